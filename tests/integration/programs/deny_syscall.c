/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deny_syscall - runs a program in which one system call is refused with EPERM
 *
 * deny bpf|perf_event_open|socket PROGRAM ARGUMENT...
 */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned number_of(const char *name)
{
	if (strcmp(name, "bpf") == 0)
		return SYS_bpf;
	return strcmp(name, "socket") == 0 ? SYS_socket : SYS_perf_event_open;
}

int main(int argc, char **argv)
{
	unsigned number = number_of(argc > 1 ? argv[1] : "");
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (argc < 3)
		return 2;
	/* As root, so without PR_SET_NO_NEW_PRIVS, which would change what is tested. */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("deny_syscall: seccomp");
		return 126;
	}
	execv(argv[2], argv + 2);
	perror("deny_syscall: exec");
	return 127;
}
