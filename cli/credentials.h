/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * credentials - the child's way from this command's identity to the program's; used by launch alone
 *
 * Runs between fork and exec: no allocation, no output; the step that failed is told by word.
 */

#include <sys/types.h>

struct launch;

struct credentials_failure {
	char step[32];
	int error; /* errno */
};

/* @errors: becomes stderr. Return: 0, -1 and *ret_failure. */
int credentials_take(const struct launch *launch, pid_t parent, int errors,
		     struct credentials_failure *ret_failure);
/* Returns only on failure. */
void credentials_execute(const struct launch *launch, struct credentials_failure *ret_failure);
