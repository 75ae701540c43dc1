/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sandbox - what the filter of tidemark-viewer allows, and what kills
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/filter_probe.h"
#include "viewer_filter.h"

struct probe {
	const char *what;
	long number;
	long arguments[5];
	bool allowed;
};

static char path[] = "/etc/hosts", empty[] = "";
static struct stat status;

static const struct probe probes[] = {
	{"reading an input", SYS_pread64, {-1, 0, 0, 0}, true},
	{"writing an output", SYS_write, {-1, 0, 0}, true},
	{"the size of a descriptor", SYS_fstat, {-1, (long)&status}, true},
	{"the same, as libc does",
	 SYS_newfstatat,
	 {1, (long)empty, (long)&status, AT_EMPTY_PATH},
	 true},
	{"a message", SYS_sendmsg, {-1, 0, 0}, true},
	{"memory", SYS_mmap, {0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1}, true},
	{"random bytes", SYS_getrandom, {0, 0, 0}, true},
	{"the size of a file", SYS_newfstatat, {AT_FDCWD, (long)path, (long)&status, 0}, false},
	{"a file", SYS_openat, {AT_FDCWD, (long)path, O_RDONLY}, false},
	{"a file, as of old", SYS_open, {(long)path, O_RDONLY}, false},
	{"openat2", SYS_openat2, {-1, 0, 0, 0}, false},
	{"read", SYS_read, {-1, 0, 0}, false},
	{"pwrite64", SYS_pwrite64, {-1, 0, 0, 0}, false},
	{"ftruncate", SYS_ftruncate, {-1, 0}, false},
	{"unlink", SYS_unlink, {0}, false},
	{"rename", SYS_rename, {0, 0}, false},
	{"a memfd", SYS_memfd_create, {(long)path, 0}, false},
	{"a socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, false},
	{"a pair of sockets", SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0, 0}, false},
	{"connect", SYS_connect, {-1, 0, 0}, false},
	{"fcntl", SYS_fcntl, {-1, F_GETFL, 0}, false},
	{"ioctl", SYS_ioctl, {-1, 0, 0}, false},
	{"executable memory", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, -1}, false},
	{"memory made executable", SYS_mprotect, {0, 0, PROT_EXEC}, false},
	{"execve", SYS_execve, {0, 0, 0}, false},
	{"execveat", SYS_execveat, {-1, 0, 0, 0}, false},
	{"fork", SYS_clone, {SIGCHLD, 0, 0, 0}, false},
	{"clone3", SYS_clone3, {0, 0}, false},
	{"kill", SYS_kill, {0, 0}, false},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, false},
	{"process_vm_readv", SYS_process_vm_readv, {0, 0, 0, 0}, false},
	{"bpf", SYS_bpf, {0, 0, 0}, false},
	{"io_uring_setup", SYS_io_uring_setup, {1, 0}, false},
	{"unshare", SYS_unshare, {0}, false},
	{"setuid", SYS_setuid, {0}, false},
	{"prctl", SYS_prctl, {0}, false},
};

static void each_call_is_allowed_or_kills(void **state)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		filter_probe(&viewer_filter, probes[i].what, probes[i].number, probes[i].arguments,
			     probes[i].allowed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_is_allowed_or_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
