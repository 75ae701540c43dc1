/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sandbox - what the filter of tidemark-debuginfod allows, and what Landlock leaves of it
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debuginfod_filter.h"
#include "shared/landlock.h"
#include "shared/sandbox.h"
#include "symbolizer/network/network.h"

#define PORT_ALLOWED 49151
#define PORT_OTHER   49150
#define ABI_PORTS    4

enum result {
	ALLOWED,
	KILLED,
	REFUSED, /* with an error */
};

struct probe {
	const char *what;
	long number;
	long arguments[5];
	enum result result;
};

static char path[] = "/etc/passwd";

static const struct probe probes[] = {
	{"a TCP socket", SYS_socket, {AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP}, ALLOWED},
	{"a TCP socket of IPv6", SYS_socket, {AF_INET6, SOCK_STREAM, 0}, ALLOWED},
	{"a UDP socket", SYS_socket, {AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0}, ALLOWED},
	{"multipath TCP", SYS_socket, {AF_INET, SOCK_STREAM, 262}, KILLED},
	{"a raw socket", SYS_socket, {AF_INET, SOCK_RAW, IPPROTO_ICMP}, KILLED},
	{"a ping socket", SYS_socket, {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}, KILLED},
	{"a packet socket", SYS_socket, {AF_PACKET, SOCK_RAW, 0}, KILLED},
	{"a unix socket", SYS_socket, {AF_UNIX, SOCK_STREAM, 0}, REFUSED},
	{"a netlink socket", SYS_socket, {AF_NETLINK, SOCK_RAW, NETLINK_ROUTE}, REFUSED},
	{"bind", SYS_bind, {-1, 0, 0}, KILLED},
	{"listen", SYS_listen, {-1, 1}, KILLED},
	{"accept4", SYS_accept4, {-1, 0, 0, 0}, KILLED},
	{"another socket option", SYS_setsockopt, {-1, SOL_SOCKET, SO_MARK, 0, 0}, KILLED},
	{"another option of TCP", SYS_setsockopt, {-1, IPPROTO_TCP, TCP_ULP, 0, 0}, KILLED},
	{"another ioctl", SYS_ioctl, {-1, 0, 0}, KILLED},
	{"a file for writing", SYS_openat, {AT_FDCWD, (long)path, O_WRONLY}, KILLED},
	{"a file for both", SYS_openat, {AT_FDCWD, (long)path, O_RDWR}, KILLED},
	{"a new file", SYS_openat, {AT_FDCWD, (long)path, O_CREAT, 0600}, KILLED},
	{"openat2", SYS_openat2, {-1, 0, 0, 0}, KILLED},
	{"unlink", SYS_unlink, {0}, KILLED},
	{"rename", SYS_rename, {0, 0}, KILLED},
	{"mkdir", SYS_mkdir, {0, 0}, KILLED},
	{"execve", SYS_execve, {0, 0, 0}, KILLED},
	{"execveat", SYS_execveat, {-1, 0, 0, 0}, KILLED},
	{"fork", SYS_clone, {SIGCHLD, 0, 0, 0}, KILLED},
	{"clone3", SYS_clone3, {0, 0}, REFUSED},
	{"kill", SYS_kill, {0, 0}, KILLED},
	{"ptrace", SYS_ptrace, {0, 0, 0, 0}, KILLED},
	{"process_vm_readv", SYS_process_vm_readv, {0, 0, 0, 0}, KILLED},
	{"bpf", SYS_bpf, {0, 0, 0}, KILLED},
	{"io_uring_setup", SYS_io_uring_setup, {1, 0}, KILLED},
	{"unshare", SYS_unshare, {0}, KILLED},
	{"setuid", SYS_setuid, {0}, KILLED},
	{"executable memory", SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, -1}, KILLED},
	{"memory made executable", SYS_mprotect, {0, 0, PROT_EXEC}, KILLED},
	{"a lock on a file", SYS_flock, {-1, 2}, KILLED},
	{"a lease", SYS_fcntl, {-1, F_SETLEASE, 0}, KILLED},
	{"seals", SYS_fcntl, {STDOUT_FILENO, F_ADD_SEALS, 0}, ALLOWED},
	{"memory", SYS_mprotect, {0, 0, PROT_READ}, ALLOWED},
};

static _Noreturn void try_probe(const struct probe *probe)
{
	const long *a = probe->arguments;
	long r;

	if (tm_sandbox_harden() < 0 || tm_sandbox_filter(&debuginfod_filter) < 0)
		_exit(3);
	r = syscall(probe->number, a[0], a[1], a[2], a[3], a[4], 0L);
	_exit(probe->result == REFUSED && r >= 0 ? 1 : 0);
}

static void each_call_is_allowed_refused_or_kills_as_the_table_says(void **state)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			try_probe(&probes[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (probes[i].result != KILLED ? status != 0
					       : !WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
			fail_msg("%s: status %x", probes[i].what, (unsigned)status);
	}
}

static int connect_to(uint16_t port)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0
		       ? 0
		       : errno;
}

/* Return: the number of the first thing that is not as it must be; 0: none. */
static int look_around(bool with_ports)
{
	const uint16_t ports[] = {PORT_ALLOWED};
	const struct tm_landlock_allowed allowed = {
		.paths = network_paths, .ports = ports, .port_count = 1};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || tm_landlock_enter(&allowed) != 0)
		return 1;
	if (open("/etc/hosts", O_RDONLY | O_CLOEXEC) < 0)
		return 2;
	if (open("/etc/hosts", O_WRONLY | O_CLOEXEC) >= 0)
		return 3;
	if (open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
		return 4;
	if (open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 || errno != EACCES)
		return 5;
	if (open("/tmp", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600) >= 0 || errno != EACCES)
		return 6;
	if (with_ports && connect_to(PORT_OTHER) != EACCES)
		return 7;
	return connect_to(PORT_ALLOWED) == EACCES ? 8 : 0;
}

static void only_the_resolvers_files_and_the_servers_ports_are_left(void **state)
{
	/* LANDLOCK_CREATE_RULESET_VERSION */
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	int status;
	pid_t pid;

	if (abi < 0)
		skip(); /* the kernel has no Landlock */
	pid = fork();
	if (pid == 0)
		_exit(look_around(abi >= ABI_PORTS));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_is_allowed_refused_or_kills_as_the_table_says),
		cmocka_unit_test(only_the_resolvers_files_and_the_servers_ports_are_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
