/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * credentials - changes a child's identity from the command's to the program's, before its exec
 *
 * Used by launch only. Runs between fork and exec: no allocation, no output; the name of the step
 * that failed is returned.
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
