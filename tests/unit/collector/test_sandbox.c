/* SPDX-License-Identifier: Apache-2.0 */
/* test_sandbox - each filter lets the needed system calls run, and kills on all others */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector_filter.h"
#include "opener_filter.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u /* from 6.3, include/uapi/linux/memfd.h */
#endif

#define NOBODY INT32_MAX /* no process has this number */

struct call {
	const char *what;
	long number;
	long arguments[6];
};

/* Return: the signal that ended the child, 0 when the call returned. */
static int signal_of(const struct tm_filter *filter, const struct call *call)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (pid == 0) {
		const long *a = call->arguments;

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || tm_sandbox_filter(filter) < 0)
			_exit(2);
		(void)syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]);
		syscall(SYS_exit_group, 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	assert_int_equal(WEXITSTATUS(status), 0);
	return 0;
}

static void expect(const struct tm_filter *filter, const struct call *calls, size_t count,
		   int signal)
{
	for (size_t i = 0; i < count; i++) {
		int got = signal_of(filter, &calls[i]);

		if (got != signal)
			print_error("%s: signal %d, not %d\n", calls[i].what, got, signal);
		assert_int_equal(got, signal);
	}
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ANON         (MAP_PRIVATE | MAP_ANONYMOUS)

static void collector_may_do_its_work_after_ready(void **state)
{
	static const struct call calls[] = {
		{"read", SYS_read, {-1}},
		{"poll", SYS_poll, {0, 0, 0}},
		{"sendmsg", SYS_sendmsg, {-1}},
		{"recvmsg", SYS_recvmsg, {-1}},
		{"recvfrom", SYS_recvfrom, {-1}},
		{"request", SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0}},
		{"shutdown for reading", SYS_shutdown, {-1, SHUT_RD}},
		{"close", SYS_close, {-1}},
		{"clock_gettime", SYS_clock_gettime, {1, 0}},
		{"perf on", SYS_ioctl, {-1, PERF_EVENT_IOC_ENABLE}},
		{"perf off", SYS_ioctl, {-1, PERF_EVENT_IOC_DISABLE}},
		{"perf period", SYS_ioctl, {-1, PERF_EVENT_IOC_PERIOD}},
		{"CPU time of another process", SYS_clock_gettime, {-14, 0}},
		{"perf program", SYS_ioctl, {-1, PERF_EVENT_IOC_SET_BPF}},
		{"map create", SYS_bpf, {BPF_MAP_CREATE}},
		{"ring that wakes the collector", SYS_epoll_ctl, {-1, EPOLL_CTL_ADD, -1, 0}},
		{"woken", SYS_epoll_wait, {-1, 0, 1, 0}},
		{"region", SYS_memfd_create, {(long)"region", 11}},
		{"region before 6.3", SYS_memfd_create, {(long)"region", 3}},
		{"ftruncate", SYS_ftruncate, {-1}},
		{"fallocate", SYS_fallocate, {-1, 0, 0, 1}},
		{"seal", SYS_fcntl, {-1, F_ADD_SEALS, F_SEAL_SEAL}},
		{"map lookup", SYS_bpf, {BPF_MAP_LOOKUP_ELEM}},
		{"map update", SYS_bpf, {BPF_MAP_UPDATE_ELEM}},
		{"map delete", SYS_bpf, {BPF_MAP_DELETE_ELEM}},
		{"map walk", SYS_bpf, {BPF_MAP_GET_NEXT_KEY}},
		{"iterator link", SYS_bpf, {BPF_LINK_CREATE}},
		{"tracepoint", SYS_bpf, {BPF_RAW_TRACEPOINT_OPEN}},
		{"iterator", SYS_bpf, {BPF_ITER_CREATE}},
		{"program run time", SYS_bpf, {BPF_OBJ_GET_INFO_BY_FD}},
		{"run of our own program", SYS_bpf, {BPF_PROG_TEST_RUN}},
		{"brk", SYS_brk, {0}},
		{"memory", SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, ANON, -1}},
		{"munmap", SYS_munmap, {0, 0}},
		{"mremap", SYS_mremap, {0, 0}},
		{"madvise", SYS_madvise, {0, 0}},
		{"seals of an unwind table", SYS_fcntl, {-1, F_GET_SEALS}},
		{"size of an unwind table", SYS_newfstatat, {-1, (long)"", 0, AT_EMPTY_PATH}},
		{"size of an unwind table, elsewhere", SYS_fstat, {-1}},
		{"copy of an unwind table", SYS_pread64, {-1}},
		{"chunk of unwind tables",
		 SYS_mmap,
		 {0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, -1}},
		{"shutdown for writing", SYS_shutdown, {-1, SHUT_WR}},
		{"wait", SYS_wait4, {-1, 0, 1}},
	};

	expect(&collector_filter, calls, COUNT(calls), 0);
}

static void collector_may_do_nothing_else(void **state)
{
	static const struct call calls[] = {
		{"open", SYS_open, {(long)"/dev/null", O_RDONLY}},
		{"openat", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDONLY}},
		{"openat2", SYS_openat2, {AT_FDCWD, (long)"/dev/null"}},
		{"stat", SYS_newfstatat, {AT_FDCWD, (long)"/", 0, 0}},
		{"statx", SYS_statx, {-1, (long)"", AT_EMPTY_PATH, 0, 0}},
		{"write to an unwind table", SYS_pwrite64, {-1}},
		{"kill", SYS_kill, {0x7fffffff, SIGKILL}},
		{"deadline", SYS_setitimer, {ITIMER_REAL, 0, 0}},
		{"capset", SYS_capset, {0, 0}},
		{"socket", SYS_socket, {AF_UNIX, SOCK_STREAM}},
		{"other sockets", SYS_socketpair, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0}},
		{"clone", SYS_clone, {SIGCHLD}},
		{"fork", SYS_fork, {0}},
		{"execve", SYS_execve, {(long)"/bin/true"}},
		{"execveat", SYS_execveat, {-1, (long)"/bin/true"}},
		{"ptrace", SYS_ptrace, {0}},
		{"process_vm_readv", SYS_process_vm_readv, {1}},
		{"executable memory", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, ANON, -1}},
		{"mprotect", SYS_mprotect, {0, 4096, PROT_EXEC}},
		{"program load", SYS_bpf, {BPF_PROG_LOAD}},
		{"executable region", SYS_memfd_create, {(long)"region", MFD_EXEC}},
		{"epoll_create", SYS_epoll_create1, {0}},
		{"epoll_ctl, change", SYS_epoll_ctl, {-1, EPOLL_CTL_MOD, -1, 0}},
		{"hole", SYS_fallocate, {-1, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1}},
		{"flags of a descriptor", SYS_fcntl, {-1, F_SETFL, 0}},
		{"other counter", SYS_ioctl, {-1, PERF_EVENT_IOC_RESET}},
		{"pin", SYS_bpf, {BPF_OBJ_PIN}},
		{"perf_event_open", SYS_perf_event_open, {0}},
		{"other ioctl", SYS_ioctl, {0, 0x5401}},
		{"another signal", SYS_kill, {0x7fffffff, SIGTERM}},
		{"prctl", SYS_prctl, {PR_SET_DUMPABLE, 1}},
		{"io_uring", SYS_io_uring_setup, {1, 0}},
		{"write", SYS_write, {-1}},
	};

	expect(&collector_filter, calls, COUNT(calls), SIGSYS);
}

static void opener_may_open_map_send_and_fork(void **state)
{
	static const struct call calls[] = {
		{"openat", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDONLY | O_CLOEXEC}},
		{"openat O_PATH", SYS_openat, {AT_FDCWD, (long)"/", O_PATH | O_DIRECTORY}},
		{"openat2", SYS_openat2, {-1}},
		{"statx", SYS_statx, {-1}},
		{"newfstatat", SYS_newfstatat, {-1, (long)"x", 0, 0}},
		{"map to read", SYS_mmap, {0, 4096, PROT_READ, ANON, -1}},
		{"poll", SYS_poll, {0, 0, 0}},
		{"sendmsg", SYS_sendmsg, {-1}},
		{"recvmsg", SYS_recvmsg, {-1}},
		{"getpid", SYS_getpid, {0}},
		{"deadline", SYS_setitimer, {ITIMER_REAL, 0, 0}},
		{"capset", SYS_capset, {0, 0}},
		{"wait", SYS_wait4, {-1, 0, 1}},
		{"parent death", SYS_prctl, {PR_SET_PDEATHSIG, SIGKILL}},
		{"fork", SYS_clone, {CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD}},
	};

	expect(&opener_filter, calls, COUNT(calls), 0);
}

static void opener_may_do_nothing_else(void **state)
{
	static const struct call calls[] = {
		{"open to write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_WRONLY}},
		{"open to read and write", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_RDWR}},
		{"create", SYS_openat, {AT_FDCWD, (long)"/dev/null", O_CREAT}},
		{"open", SYS_open, {(long)"/dev/null", O_RDONLY}},
		{"execve", SYS_execve, {(long)"/bin/true"}},
		{"execveat", SYS_execveat, {-1, (long)"/bin/true"}},
		{"socket", SYS_socket, {AF_INET, SOCK_STREAM}},
		{"ptrace", SYS_ptrace, {0}},
		{"process_vm_readv", SYS_process_vm_readv, {1}},
		{"pidfd_getfd", SYS_pidfd_getfd, {-1}},
		{"kcmp", SYS_kcmp, {1, 1}},
		{"bpf", SYS_bpf, {0}},
		{"executable memory", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, ANON, -1}},
		{"write", SYS_write, {-1}},
		{"unlink", SYS_unlink, {(long)"/nothing"}},
		{"dumpable", SYS_prctl, {PR_SET_DUMPABLE, 1}},
		{"io_uring", SYS_io_uring_setup, {1, 0}},
		{"mount", SYS_mount, {0}},
		{"setns", SYS_setns, {-1}},
		{"a namespace", SYS_clone, {CLONE_NEWUSER | SIGCHLD}},
		{"a process in our memory", SYS_clone, {CLONE_VM | CLONE_VFORK | SIGCHLD}},
		{"fork without a signal", SYS_clone, {CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID}},
		{"clone3", SYS_clone3, {0, 0}},
		{"another timer", SYS_setitimer, {ITIMER_VIRTUAL, 0, 0}},
		{"kill", SYS_kill, {NOBODY, SIGKILL}},
	};

	expect(&opener_filter, calls, COUNT(calls), SIGSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collector_may_do_its_work_after_ready),
		cmocka_unit_test(collector_may_do_nothing_else),
		cmocka_unit_test(opener_may_open_map_send_and_fork),
		cmocka_unit_test(opener_may_do_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
