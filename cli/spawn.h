/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spawn - waits for children of the command and describes how they ended
 */

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Waits, EINTR retried. @ret_status, @ret_usage: may be NULL. Return: 0, -errno. */
int spawn_wait(pid_t pid, int *ret_status, struct rusage *ret_usage);
/* Return: descriptor (CLOEXEC) or -errno. */
int spawn_pidfd(pid_t pid);
/* "with status 3", "by signal 9 (Killed)" */
void spawn_describe(int status, char *ret_text, size_t bytes);
