/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * credentials - the child's way from this command's identity to the program's; used by launch alone
 *
 * Runs between fork and exec: no allocation, no output; the step that failed is told by word.
 */

#include <sys/types.h>

struct launch;

struct identity_failure {
	char step[32];
	int error; /* errno */
};

/* @errors: becomes stderr. Return: 0, -1 and *ret_failure. */
int identity_take(const struct launch *launch, pid_t parent, int errors,
		  struct identity_failure *ret_failure);
/* Returns only on failure. */
void identity_execute(const struct launch *launch, struct identity_failure *ret_failure);
