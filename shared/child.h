/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * child - a program of ours that serves its parent over one socket: its birth and its end
 *
 * Shape      the child is exec'd with --socket-fd=N and an empty environment; it has that SEQPACKET socket and
 *            the standard streams, nothing else of ours, and ends with its socket.
 * Before     `prepare`, if any, runs in the child before exec: rights that are to pass on.
 */

#include <stdint.h>
#include <sys/types.h>

#define TM_CHILD_END_MS 1000

struct tm_child {
	pid_t pid;  /* 0: none */
	int socket; /* owned; -1: none */
};
#define TM_CHILD_NULL ((struct tm_child){0, -1})

/* @program: descriptor of it, stays the caller's. @prepare: NULL; returns 0, -errno. Return: 0, -errno. */
int tm_child_start(struct tm_child *child, int program, const char *name, int (*prepare)(void));
/* Lets it end in order and asks what it and its own children cost; 0 where that stays unknown: one that does not
 * end in TM_CHILD_END_MS is left to the end of file of its socket. Total. */
void tm_child_stop(struct tm_child *child, uint64_t *ret_cpu_ns, uint64_t *ret_rss_bytes);
