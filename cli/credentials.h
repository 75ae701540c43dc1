/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * credentials - changes a child's identity from the command's to the program's, before its exec
 *
 * Used by launch, and by the command for itself. Runs between fork and exec: no allocation, no
 * output; the name of the step that failed is returned.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/capability.h>
#include <sys/types.h>

#include "cli/uid_pool.h"

#define CREDENTIALS_CAPABILITIES_MAX 16u

struct credentials {
	struct uid_pool_account account;
	bool as_caller; /* no other account: the caller may not change to one */
	cap_value_t capabilities[CREDENTIALS_CAPABILITIES_MAX];
	unsigned capability_count;
	const int *kept; /* descriptors that stay open in the program */
	size_t kept_count;
	int program;      /* descriptor to execute */
	char **arguments; /* NULL-terminated; [0] is the name */
};

struct credentials_failure {
	char step[32];
	int error; /* errno */
};

/* @errors: becomes stderr. Return: 0, -1 and *ret_failure. */
int credentials_take(const struct credentials *credentials, pid_t parent, int errors,
		     struct credentials_failure *ret_failure);
/* This process goes on under @account, without any capability. Return: 0, -1 and *ret_failure. */
int credentials_give_up(struct uid_pool_account account, struct credentials_failure *ret_failure);
/* This process keeps those of @capabilities that it has, and its account. Return: likewise. */
int credentials_keep(const cap_value_t *capabilities, size_t count,
		     struct credentials_failure *ret_failure);
/* Returns only on failure. */
void credentials_execute(const struct credentials *credentials,
			 struct credentials_failure *ret_failure);
