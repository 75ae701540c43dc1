/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sandbox - what the filters of the symbolizer, its parser and a worker allow and kill
 */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "parser_filter.h"
#include "shared/sandbox.h"
#include "symbolizer_filter.h"
#include "symbolizer_service_filter.h"
#include "worker_filter.h"

#define FILTERS 4

static const struct tm_filter *const filters[FILTERS] = {
	&symbolizer_filter, &symbolizer_service_filter, &parser_filter, &worker_filter};
enum {
	COMMAND = 1 << 0, /* the command's symbolizer */
	SERVICE = 1 << 1, /* that of the service */
	SYMBOLIZER = COMMAND | SERVICE,
	PARSER = 1 << 2,
	WORKER = 1 << 3,
	EVERYBODY = SYMBOLIZER | PARSER | WORKER,
};

struct probe {
	const char *what;
	long number;
	long arguments[4];
	int allowed; /* the programs that may; all others are killed */
};

static char path[] = "/etc/passwd";

static const struct probe probes[] = {
	{"socket", SYS_socket, {AF_INET, SOCK_STREAM, 0}, 0},
	{"a socketpair of the parser's kind",
	 SYS_socketpair,
	 {AF_UNIX, SOCK_SEQPACKET, 0, 0},
	 PARSER},
	{"a socketpair of another kind", SYS_socketpair, {AF_INET, SOCK_SEQPACKET, 0, 0}, 0},
	{"connect", SYS_connect, {-1, 0, 0}, 0},
	{"accept4", SYS_accept4, {-1, 0, 0, SOCK_CLOEXEC}, SERVICE},
	{"accept4 with another flag", SYS_accept4, {-1, 0, 0, 0}, 0},
	{"who connected", SYS_getsockopt, {-1, SOL_SOCKET, SO_PEERCRED, 0}, SERVICE},
	{"another option of a socket", SYS_getsockopt, {-1, SOL_SOCKET, SO_ERROR, 0}, 0},
	{"an option of another protocol", SYS_getsockopt, {-1, IPPROTO_TCP, SO_PEERCRED, 0}, 0},
	{"an option that is set", SYS_setsockopt, {-1, SOL_SOCKET, SO_RCVTIMEO, 0}, 0},
	{"execve", SYS_execve, {0, 0, 0}, 0},
	{"execveat", SYS_execveat, {-1, 0, 0, 0}, 0},
	{"openat2", SYS_openat2, {-1, 0, 0, 0}, 0},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, 0},
	{"process_vm_readv", SYS_process_vm_readv, {0, 0, 0, 0}, 0},
	{"bpf", SYS_bpf, {0, 0, 0}, 0},
	{"perf_event_open", SYS_perf_event_open, {0, 0, 0, 0}, 0},
	{"io_uring_setup", SYS_io_uring_setup, {1, 0}, 0},
	{"flock", SYS_flock, {-1, 2}, 0},
	{"ioctl", SYS_ioctl, {-1, 0, 0}, 0},
	{"unlink", SYS_unlink, {0}, 0},
	{"setuid", SYS_setuid, {0}, 0},
	{"unshare", SYS_unshare, {0}, 0},
	{"pidfd_getfd", SYS_pidfd_getfd, {-1, 0, 0}, 0},
	{"a new user namespace", SYS_clone, {0x10000000, 0, 0, 0}, 0},
	{"kill", SYS_kill, {0, 0}, 0},
	{"a signal by pidfd", SYS_pidfd_send_signal, {-1, 0, 0, 0}, PARSER},
	{"executable memory", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE}, 0},
	{"memory made executable", SYS_mprotect, {0, 0, PROT_EXEC}, 0},
	{"a file's flags", SYS_fcntl, {-1, F_SETFL, 0}, 0},
	{"a lease", SYS_fcntl, {-1, F_SETLEASE, 0}, 0},
	{"a descriptor's state",
	 SYS_statx,
	 {-1, 0, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0},
	 EVERYBODY},
	{"a copy of a descriptor", SYS_fcntl, {-1, F_DUPFD_CLOEXEC, 0}, SYMBOLIZER},
	{"write", SYS_write, {-1, 0, 0}, SYMBOLIZER},
	{"pread64", SYS_pread64, {-1, 0, 0, 0}, EVERYBODY},
	{"recvmsg", SYS_recvmsg, {-1, 0, 0}, SYMBOLIZER | PARSER},
	{"recvfrom", SYS_recvfrom, {-1, 0, 0, 0}, SYMBOLIZER},
	{"sendmsg", SYS_sendmsg, {-1, 0, 0}, EVERYBODY},
	{"memory", SYS_mprotect, {0, 0, PROT_READ}, EVERYBODY},
};

static _Noreturn void try_under(const struct tm_filter *filter, const struct probe *probe)
{
	const long *a = probe->arguments;

	if (tm_sandbox_harden() < 0 || tm_sandbox_filter(filter) < 0)
		_exit(3);
	(void)syscall(probe->number, a[0], a[1], a[2], a[3], -1L, 0L);
	_exit(0);
}

static void each_call_is_allowed_or_kills_as_the_table_says(void **state)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		for (int filter = 0; filter < FILTERS; filter++) {
			int allowed = probes[i].allowed >> filter & 1;
			pid_t pid = fork();
			int status;

			if (pid == 0)
				try_under(filters[filter], &probes[i]);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			if (allowed ? status != 0
				    : !WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
				fail_msg("filter %d, %s: status %x", filter, probes[i].what,
					 (unsigned)status);
		}
}

/* Libraries may try to open a file: they get an error, and no file. */
static void symbolizer_opens_nothing(void **state)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (tm_sandbox_harden() < 0 || tm_sandbox_filter(&symbolizer_filter) < 0)
			_exit(3);
		_exit(open(path, O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_is_allowed_or_kills_as_the_table_says),
		cmocka_unit_test(symbolizer_opens_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
