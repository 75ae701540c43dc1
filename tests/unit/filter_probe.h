/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * filter_probe - makes one system call under a filter, in a child: it is allowed, or it kills
 *
 * Include cmocka before.
 */

#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/sandbox.h"

/* @a: five arguments. @what: for the message of a failure. */
static inline void filter_probe(const struct tm_filter *filter, const char *what, long number,
				const long *a, bool allowed)
{
	pid_t pid = fork();
	int ended;

	if (pid == 0) {
		if (tm_sandbox_harden() < 0 || tm_sandbox_filter(filter) < 0)
			_exit(3);
		(void)syscall(number, a[0], a[1], a[2], a[3], a[4], 0L);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	if (allowed ? ended != 0 : !WIFSIGNALED(ended) || WTERMSIG(ended) != SIGSYS)
		fail_msg("%s: status %x", what, (unsigned)ended);
}
