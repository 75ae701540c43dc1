/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sandbox - what the two filters of tidemark-exporter allow: over TCP and over a unix socket
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exporter_filter.h"
#include "exporter_unix_filter.h"
#include "shared/sandbox.h"

enum result {
	ALLOWED,
	KILLED,
	REFUSED, /* with an error */
};

struct probe {
	const char *what;
	long number;
	long arguments[5];
	enum result tcp, unix_socket;
};

static char path[] = "/etc/hosts", empty[] = "";
static struct stat status;

static const struct probe probes[] = {
	{"a TCP socket", SYS_socket, {AF_INET, SOCK_STREAM, IPPROTO_TCP}, ALLOWED, KILLED},
	{"a TCP socket of IPv6", SYS_socket, {AF_INET6, SOCK_STREAM, 0}, ALLOWED, KILLED},
	{"a UDP socket", SYS_socket, {AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0}, ALLOWED, KILLED},
	{"multipath TCP", SYS_socket, {AF_INET, SOCK_STREAM, 262}, KILLED, KILLED},
	{"a raw socket", SYS_socket, {AF_INET, SOCK_RAW, IPPROTO_ICMP}, KILLED, KILLED},
	{"a ping socket", SYS_socket, {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}, KILLED, KILLED},
	{"a packet socket", SYS_socket, {AF_PACKET, SOCK_RAW, 0}, KILLED, KILLED},
	{"a unix socket", SYS_socket, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0}, REFUSED, ALLOWED},
	{"a unix socket of datagrams", SYS_socket, {AF_UNIX, SOCK_DGRAM, 0}, REFUSED, KILLED},
	{"a netlink socket", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_ROUTE}, REFUSED, KILLED},
	{"connect", SYS_connect, {-1, 0, 0}, ALLOWED, ALLOWED},
	{"bind", SYS_bind, {-1, 0, 0}, KILLED, KILLED},
	{"listen", SYS_listen, {-1, 1}, KILLED, KILLED},
	{"accept4", SYS_accept4, {-1, 0, 0, 0}, KILLED, KILLED},
	{"no delay", SYS_setsockopt, {-1, IPPROTO_TCP, TCP_NODELAY, 0, 0}, ALLOWED, KILLED},
	{"another socket option", SYS_setsockopt, {-1, SOL_SOCKET, SO_MARK, 0, 0}, KILLED, KILLED},
	{"another option of TCP", SYS_setsockopt, {-1, IPPROTO_TCP, TCP_ULP, 0, 0}, KILLED, KILLED},
	{"the socket's error", SYS_getsockopt, {-1, SOL_SOCKET, SO_ERROR, 0, 0}, ALLOWED, ALLOWED},
	{"the peer's identity", SYS_getsockopt, {-1, SOL_SOCKET, SO_PEERCRED, 0}, KILLED, KILLED},
	{"bytes to be read", SYS_ioctl, {-1, FIONREAD, 0}, ALLOWED, KILLED},
	{"another ioctl", SYS_ioctl, {-1, TIOCSTI, 0}, KILLED, KILLED},
	{"a file", SYS_openat, {AT_FDCWD, (long)path, O_RDONLY}, ALLOWED, KILLED},
	{"a file for writing", SYS_openat, {AT_FDCWD, (long)path, O_WRONLY}, KILLED, KILLED},
	{"a file for both", SYS_openat, {AT_FDCWD, (long)path, O_RDWR}, KILLED, KILLED},
	{"a new file", SYS_openat, {AT_FDCWD, (long)path, O_CREAT, 0600}, KILLED, KILLED},
	{"openat2", SYS_openat2, {-1, 0, 0, 0}, KILLED, KILLED},
	{"the size of a descriptor",
	 SYS_newfstatat,
	 {1, (long)empty, (long)&status, AT_EMPTY_PATH},
	 ALLOWED,
	 ALLOWED},
	{"the size of a file",
	 SYS_newfstatat,
	 {AT_FDCWD, (long)path, (long)&status, 0},
	 ALLOWED,
	 KILLED},
	{"statx", SYS_statx, {AT_FDCWD, (long)path, 0, 0, (long)&status}, KILLED, KILLED},
	{"a new memfd", SYS_memfd_create, {(long)path, 0}, KILLED, KILLED},
	{"the seals", SYS_fcntl, {-1, F_GET_SEALS, 0}, ALLOWED, ALLOWED},
	{"more seals", SYS_fcntl, {-1, F_ADD_SEALS, 0}, KILLED, KILLED},
	{"a copied descriptor", SYS_fcntl, {-1, F_DUPFD, 0}, KILLED, KILLED},
	{"a lease", SYS_fcntl, {-1, F_SETLEASE, 0}, KILLED, KILLED},
	{"pread64", SYS_pread64, {-1, 0, 0, 0}, ALLOWED, ALLOWED},
	{"pwrite64", SYS_pwrite64, {-1, 0, 0, 0}, KILLED, KILLED},
	{"unlink", SYS_unlink, {0}, KILLED, KILLED},
	{"rename", SYS_rename, {0, 0}, KILLED, KILLED},
	{"mkdir", SYS_mkdir, {0, 0}, KILLED, KILLED},
	{"execve", SYS_execve, {0, 0, 0}, KILLED, KILLED},
	{"execveat", SYS_execveat, {-1, 0, 0, 0}, KILLED, KILLED},
	{"fork", SYS_clone, {SIGCHLD, 0, 0, 0}, KILLED, KILLED},
	{"a thread that cannot be", SYS_clone, {CLONE_THREAD, 0, 0, 0}, REFUSED, KILLED},
	{"clone3", SYS_clone3, {0, 0}, REFUSED, KILLED},
	{"kill", SYS_kill, {0, 0}, KILLED, KILLED},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, KILLED, KILLED},
	{"process_vm_readv", SYS_process_vm_readv, {0, 0, 0, 0}, KILLED, KILLED},
	{"bpf", SYS_bpf, {0, 0, 0}, KILLED, KILLED},
	{"io_uring_setup", SYS_io_uring_setup, {1, 0}, KILLED, KILLED},
	{"unshare", SYS_unshare, {0}, KILLED, KILLED},
	{"setuid", SYS_setuid, {0}, KILLED, KILLED},
	{"executable memory",
	 SYS_mmap,
	 {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, -1},
	 KILLED,
	 KILLED},
	{"memory made executable", SYS_mprotect, {0, 0, PROT_EXEC}, KILLED, KILLED},
	{"memory", SYS_mprotect, {0, 0, PROT_READ}, ALLOWED, ALLOWED},
	{"random bytes", SYS_getrandom, {0, 0, 0}, ALLOWED, ALLOWED},
	{"a pair of sockets", SYS_socketpair, {AF_INET, 0, 0, 0}, KILLED, KILLED},
	{"a pair of unix sockets", SYS_socketpair, {AF_UNIX, SOCK_RAW, 0, 0}, ALLOWED, KILLED},
};

static _Noreturn void try_probe(const struct tm_filter *filter, const struct probe *probe,
				enum result result)
{
	const long *a = probe->arguments;
	long r;

	if (tm_sandbox_harden() < 0 || tm_sandbox_filter(filter) < 0)
		_exit(3);
	r = syscall(probe->number, a[0], a[1], a[2], a[3], a[4], 0L);
	_exit(result == REFUSED && r >= 0 ? 1 : 0);
}

static void check(const struct tm_filter *filter, const struct probe *probe, enum result result)
{
	int ended;
	pid_t pid = fork();

	if (pid == 0)
		try_probe(filter, probe, result);
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	if (result != KILLED ? ended != 0 : !WIFSIGNALED(ended) || WTERMSIG(ended) != SIGSYS)
		fail_msg("%s: status %x", probe->what, (unsigned)ended);
}

static void each_call_over_tcp_is_allowed_refused_or_kills(void **state)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		check(&exporter_filter, &probes[i], probes[i].tcp);
}

static void each_call_over_a_unix_socket_is_allowed_or_kills(void **state)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		check(&exporter_unix_filter, &probes[i], probes[i].unix_socket);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_over_tcp_is_allowed_refused_or_kills),
		cmocka_unit_test(each_call_over_a_unix_socket_is_allowed_or_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
