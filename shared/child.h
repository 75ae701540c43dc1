/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * child - starts a program of ours with one end of a socketpair, and stops it
 *
 * Shape      the child is exec'd with --socket-fd=N and an empty environment. It inherits that
 *            SEQPACKET socket and the standard streams, no other descriptor, and exits when the
 *            socket closes.
 * Owner      struct tm_child owns the socket and the pid until tm_child_stop.
 * Order      start the child before the parent installs its seccomp filter: fork and exec are not
 *            in it.
 * Threads    one; the caller must be single-threaded at tm_child_start, since @prepare runs after
 *            fork.
 * Limits     a child has TM_CHILD_END_MS to exit after its socket was shut down.
 */

#include <stdint.h>
#include <sys/types.h>

#define TM_CHILD_END_MS 1000

struct tm_child {
	pid_t pid;  /* 0: none */
	int socket; /* owned; -1: none */
};
#define TM_CHILD_NULL ((struct tm_child){0, -1})

/*
 * @program: descriptor of the executable; stays the caller's. @prepare: runs in the child before
 * exec, for example to pass capabilities on; returns 0 or -errno; NULL: nothing to do. A failure of
 * @prepare or of exec shows as a closed socket. Return: 0, -errno.
 */
int tm_child_start(struct tm_child *child, int program, const char *name, int (*prepare)(void));
/*
 * Shuts the socket down, waits for the child to exit and returns the CPU time and the largest
 * resident size of it and its own children. Both are 0 where they are unknown: a child that has not
 * exited after TM_CHILD_END_MS is left alone with its closed socket. Accepts TM_CHILD_NULL.
 */
void tm_child_stop(struct tm_child *child, uint64_t *ret_cpu_ns, uint64_t *ret_rss_bytes);
