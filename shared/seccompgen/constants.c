/* SPDX-License-Identifier: Apache-2.0 */
/* constants - the C constants that a .seccomp table may name */

#include "shared/seccompgen/constants.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format 14 and 19 differ here. */
/* clang-format off */
#define NAME(constant) {.name = #constant, .value = (int64_t)(constant)}
/* clang-format on */

static const struct {
	const char *name;
	int64_t value;
} names[] = {
	/* mmap, mprotect, madvise, mremap */
	NAME(PROT_NONE),
	NAME(PROT_READ),
	NAME(PROT_WRITE),
	NAME(PROT_EXEC),
	NAME(MAP_SHARED),
	NAME(MAP_PRIVATE),
	NAME(MAP_ANONYMOUS),
	NAME(MAP_FIXED),
	NAME(MAP_POPULATE),
	NAME(MAP_NORESERVE),
	NAME(MAP_STACK),
	NAME(MADV_DONTNEED),
	NAME(MADV_FREE),
	NAME(MADV_DONTFORK),
	NAME(MADV_DONTDUMP),
	NAME(MADV_SEQUENTIAL),
	NAME(MREMAP_MAYMOVE),
	/* open, openat, fcntl, fstat, lseek */
	NAME(O_ACCMODE),
	NAME(O_RDONLY),
	NAME(O_WRONLY),
	NAME(O_RDWR),
	NAME(O_CREAT),
	NAME(O_EXCL),
	NAME(O_TRUNC),
	NAME(O_APPEND),
	NAME(O_NONBLOCK),
	NAME(O_NOCTTY),
	NAME(O_CLOEXEC),
	NAME(O_PATH),
	NAME(O_DIRECTORY),
	NAME(O_NOFOLLOW),
	NAME(O_TMPFILE),
	NAME(AT_FDCWD),
	NAME(AT_EMPTY_PATH),
	NAME(AT_SYMLINK_NOFOLLOW),
	NAME(AT_STATX_DONT_SYNC),
	NAME(F_GETFD),
	NAME(F_SETFD),
	NAME(F_GETFL),
	NAME(F_SETFL),
	NAME(F_DUPFD),
	NAME(F_DUPFD_CLOEXEC),
	NAME(F_ADD_SEALS),
	NAME(F_GET_SEALS),
	NAME(FD_CLOEXEC),
	NAME(P_PIDFD),
	NAME(SEEK_SET),
	NAME(SEEK_CUR),
	NAME(SEEK_END),
	/* bpf */
	NAME(BPF_MAP_CREATE),
	NAME(BPF_MAP_LOOKUP_ELEM),
	NAME(BPF_MAP_UPDATE_ELEM),
	NAME(BPF_MAP_DELETE_ELEM),
	NAME(BPF_MAP_GET_NEXT_KEY),
	NAME(BPF_PROG_LOAD),
	NAME(BPF_PROG_TEST_RUN),
	NAME(BPF_OBJ_GET_INFO_BY_FD),
	NAME(BPF_RAW_TRACEPOINT_OPEN),
	NAME(BPF_LINK_CREATE),
	NAME(BPF_LINK_UPDATE),
	NAME(BPF_LINK_DETACH),
	NAME(BPF_ITER_CREATE),
	NAME(BPF_MAP_LOOKUP_BATCH),
	NAME(BPF_MAP_UPDATE_BATCH),
	NAME(BPF_MAP_DELETE_BATCH),
	NAME(BPF_MAP_LOOKUP_AND_DELETE_ELEM),
	NAME(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	NAME(BPF_ENABLE_STATS),
	NAME(BPF_BTF_LOAD),
	NAME(BPF_MAP_FREEZE),
	NAME(BPF_PROG_ATTACH),
	/* io_uring_register */
	NAME(IORING_REGISTER_FILES_UPDATE),
	/* ioctl */
	NAME(PERF_EVENT_IOC_ENABLE),
	NAME(PERF_EVENT_IOC_DISABLE),
	NAME(PERF_EVENT_IOC_PERIOD),
	NAME(PERF_EVENT_IOC_SET_BPF),
	NAME(PERF_EVENT_IOC_ID),
	NAME(PERF_EVENT_IOC_RESET),
	NAME(PERF_FLAG_FD_CLOEXEC),
	NAME(TCGETS),
	NAME(FIONREAD),
	NAME(FIONBIO),
	NAME(TIOCGWINSZ),
	/* sockets */
	NAME(AF_UNIX),
	NAME(AF_INET),
	NAME(AF_INET6),
	NAME(AF_NETLINK),
	NAME(SOCK_STREAM),
	NAME(SOCK_DGRAM),
	NAME(SOCK_SEQPACKET),
	NAME(SOCK_CLOEXEC),
	NAME(SOCK_NONBLOCK),
	NAME(IPPROTO_IP),
	NAME(IPPROTO_IPV6),
	NAME(IPPROTO_TCP),
	NAME(IP_RECVERR),
	NAME(IPV6_RECVERR),
	NAME(TCP_NODELAY),
	NAME(SOL_SOCKET),
	NAME(SO_ERROR),
	NAME(SO_PEERCRED),
	NAME(MSG_DONTWAIT),
	NAME(MSG_NOSIGNAL),
	NAME(MSG_CMSG_CLOEXEC),
	NAME(SHUT_RD),
	NAME(SHUT_WR),
	NAME(SHUT_RDWR),
	/* processes, signals, futex, clocks, limits */
	NAME(CLONE_VM),
	NAME(CLONE_THREAD),
	NAME(CLONE_CHILD_CLEARTID),
	NAME(CLONE_CHILD_SETTID),
	NAME(CLONE_PIDFD),
	NAME(SIGCHLD),
	NAME(SIGKILL),
	NAME(SIGTERM),
	NAME(SIGABRT),
	NAME(SIGSTOP),
	NAME(WNOHANG),
	NAME(WEXITED),
	NAME(WNOWAIT),
	NAME(P_PID),
	NAME(P_PIDFD),
	NAME(P_ALL),
	NAME(FUTEX_WAIT),
	NAME(FUTEX_WAKE),
	NAME(FUTEX_WAIT_PRIVATE),
	NAME(FUTEX_WAKE_PRIVATE),
	NAME(FUTEX_WAIT_BITSET),
	NAME(FUTEX_PRIVATE_FLAG),
	NAME(CLOCK_MONOTONIC),
	NAME(CLOCK_REALTIME),
	NAME(CLOCK_BOOTTIME),
	NAME(CLOCK_PROCESS_CPUTIME_ID),
	NAME(RUSAGE_SELF),
	NAME(RUSAGE_CHILDREN),
	NAME(RLIMIT_NOFILE),
	NAME(RLIMIT_AS),
	NAME(RLIMIT_CPU),
	NAME(PR_SET_NAME),
	NAME(PR_GET_NAME),
	NAME(PR_SET_PDEATHSIG),
	NAME(ITIMER_REAL),
	NAME(PR_SET_DUMPABLE),
	NAME(PR_GET_DUMPABLE),
	NAME(PR_SET_NO_NEW_PRIVS),
	NAME(PR_SET_SECCOMP),
	NAME(PR_CAP_AMBIENT),
	NAME(PR_CAPBSET_READ),
	NAME(PR_CAPBSET_DROP),
	NAME(PR_SET_KEEPCAPS),
	NAME(EPOLL_CTL_ADD),
	NAME(EPOLL_CTL_MOD),
	NAME(EPOLL_CTL_DEL),
};

static int one(const char *word, int64_t *ret_value)
{
	char *end;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i].name, word) == 0) {
			*ret_value = names[i].value;
			return 0;
		}
	}
	if (word[0] < '0' || word[0] > '9')
		return -EINVAL;
	errno = 0;
	*ret_value = (int64_t)strtoull(word, &end, 0);
	return errno == 0 && *end == '\0' ? 0 : -EINVAL;
}

int constants_value(char *word, int64_t *ret_value, const char **ret_word)
{
	int64_t value = 0, part = 0;
	char *rest = word;

	while ((word = strsep(&rest, "|")) != NULL) {
		if (one(word, &part) < 0) {
			*ret_word = word;
			return -EINVAL;
		}
		value |= part;
	}
	*ret_value = value;
	return 0;
}
