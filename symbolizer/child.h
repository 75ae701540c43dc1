/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * child - starting the parser before our walls are up, and ending it
 */

#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;  /* 0: none */
	int socket; /* owned; -1: none */
};
#define CHILD_NULL ((struct child){0, -1})

/* Executes the program open at @program. Return: 0, -errno. */
int child_start(struct child *child, int program);
/*
 * Lets it end in order and asks what it and its workers cost; one that does not end is left to the
 * end of file of its socket. Total.
 */
void child_stop(struct child *child, uint64_t *ret_cpu_ns, uint64_t *ret_rss_bytes);
