/* SPDX-License-Identifier: Apache-2.0 */
/* test_sandbox - what the filters of a recording's command and of its starter allow, what kills */

#include "tests/unit/cli/check.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_filter.h"
#include "starter_filter.h"
#include "tests/unit/filter_probe.h"

struct probe {
	const char *what;
	long number;
	long arguments[5];
	bool allowed;
};

static char path[] = "/proc/self/status";

static const struct probe of_command[] = {
	{"text of /proc", SYS_openat, {AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC}, true},
	{"reading it", SYS_read, {-1, 0, 0}, true},
	{"an output", SYS_write, {-1, 0, 0}, true},
	{"a request", SYS_sendmsg, {-1, 0, 0}, true},
	{"an answer", SYS_recvmsg, {-1, 0, 0}, true},
	{"a socket for programs", SYS_socketpair, {-1, 0, 0, 0}, true},
	{"a timer", SYS_timerfd_create, {-1, 0}, true},
	{"the end of COMMAND", SYS_wait4, {-1, 0, WNOHANG, 0}, true},
	{"memory", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1}, true},
	{"a file for writing", SYS_openat, {AT_FDCWD, (long)path, O_WRONLY}, false},
	{"a new file", SYS_openat, {AT_FDCWD, (long)path, O_CREAT}, false},
	{"a file without its bytes", SYS_openat, {AT_FDCWD, (long)path, O_TRUNC}, false},
	{"a file, as of old", SYS_open, {(long)path, O_RDONLY}, false},
	{"openat2", SYS_openat2, {-1, 0, 0, 0}, false},
	{"linkat", SYS_linkat, {-1, 0, -1, 0, 0}, false},
	{"renameat", SYS_renameat, {-1, 0, -1, 0}, false},
	{"unlinkat", SYS_unlinkat, {-1, 0, 0}, false},
	{"fsync", SYS_fsync, {-1}, false},
	{"a socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, false},
	{"connect", SYS_connect, {-1, 0, 0}, false},
	{"a keystroke for the shell", SYS_ioctl, {-1, TIOCSTI, 0}, false},
	{"kill", SYS_kill, {0, 0}, false},
	{"pidfd_send_signal", SYS_pidfd_send_signal, {-1, 0, 0, 0}, false},
	{"pidfd_getfd", SYS_pidfd_getfd, {-1, 0, 0}, false},
	{"execve", SYS_execve, {0, 0, 0}, false},
	{"execveat", SYS_execveat, {-1, 0, 0, 0}, false},
	{"fork", SYS_clone, {SIGCHLD, 0, 0, 0}, false},
	{"clone3", SYS_clone3, {0, 0}, false},
	{"setresuid", SYS_setresuid, {-1, -1, -1}, false},
	{"perf_event_open", SYS_perf_event_open, {0, 0, 0, 0, 0}, false},
	{"bpf", SYS_bpf, {0, 0, 0}, false},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, false},
	{"prctl", SYS_prctl, {0}, false},
	{"executable memory", SYS_mmap, {0, 4096, PROT_EXEC, MAP_PRIVATE, -1}, false},
	{"memory made executable", SYS_mprotect, {0, 0, PROT_EXEC}, false},
	{"io_uring_setup", SYS_io_uring_setup, {1, 0}, false},
};

static const struct probe of_starter[] = {
	{"a request", SYS_recvmsg, {-1, 0, 0}, true},
	{"a program, by descriptor", SYS_execveat, {-1, 0, 0, 0, AT_EMPTY_PATH}, true},
	{"a program of a folder", SYS_execveat, {AT_FDCWD, (long)path, 0, 0, 0}, false},
	{"its account", SYS_setresuid, {-1, -1, -1}, true},
	{"its end", SYS_kill, {0, 0}, true},
	{"an event", SYS_perf_event_open, {0, 0, 0, 0, 0}, true},
	{"a deadline of a program's", SYS_setitimer, {ITIMER_REAL, 0, 0}, true},
	{"the name of an output", SYS_linkat, {-1, 0, -1, 0, 0}, true},
	{"what was not stored", SYS_unlinkat, {-1, 0, 0}, true},
	{"a program, by path", SYS_execve, {0, 0, 0}, false},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, false},
	{"process_vm_readv", SYS_process_vm_readv, {0, 0, 0, 0}, false},
	{"pidfd_getfd", SYS_pidfd_getfd, {-1, 0, 0}, false},
	{"mount", SYS_mount, {0, 0, 0, 0, 0}, false},
	{"umount2", SYS_umount2, {0, 0}, false},
	{"unshare", SYS_unshare, {0}, false},
	{"setns", SYS_setns, {-1, 0}, false},
	{"chroot", SYS_chroot, {0}, false},
	{"pivot_root", SYS_pivot_root, {0, 0}, false},
	{"init_module", SYS_init_module, {0, 0, 0}, false},
	{"finit_module", SYS_finit_module, {-1, 0, 0}, false},
	{"kexec_load", SYS_kexec_load, {0, 0, 0, 0}, false},
	{"reboot", SYS_reboot, {0, 0, 0, 0}, false},
	{"open_by_handle_at", SYS_open_by_handle_at, {-1, 0, 0}, false},
	{"mknodat", SYS_mknodat, {-1, 0, 0, 0}, false},
	{"symlinkat", SYS_symlinkat, {0, -1, 0}, false},
	{"fchownat", SYS_fchownat, {-1, 0, 0, 0, 0}, false},
	{"chmod", SYS_chmod, {0, 0}, false},
	{"setxattr", SYS_setxattr, {0, 0, 0, 0, 0}, false},
	{"keyctl", SYS_keyctl, {0, 0, 0, 0, 0}, false},
	{"userfaultfd", SYS_userfaultfd, {0}, false},
	{"swapon", SYS_swapon, {0, 0}, false},
	{"settimeofday", SYS_settimeofday, {0, 0}, false},
};

static void try_each(const struct tm_filter *filter, const struct probe *probes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		filter_probe(filter, probes[i].what, probes[i].number, probes[i].arguments,
			     probes[i].allowed);
}

static void command_opens_text_and_changes_nothing(void **state)
{
	try_each(&record_filter, of_command, sizeof(of_command) / sizeof(*of_command));
}

static void starter_can_do_nothing_that_no_program_needs(void **state)
{
	try_each(&starter_filter, of_starter, sizeof(of_starter) / sizeof(*of_starter));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_opens_text_and_changes_nothing),
		cmocka_unit_test(starter_can_do_nothing_that_no_program_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
