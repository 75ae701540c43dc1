/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * program - the path and the arguments of a program that is to be executed
 *
 * Limits     PROGRAM_ARGUMENTS_MAX arguments; what does not fit, or has no memory, is noticed by
 *            program_become.
 */

#include <stdbool.h>
#include <stddef.h>

#include "shared/cpus.h"
#include "shared/service.h"

#define PROGRAM_ARGUMENTS_MAX (TM_CPUS_MAX + TM_SERVICE_FDS_MAX + 64)

struct program {
	char *path; /* borrowed */
	size_t count;
	bool failed;
	char *arguments[PROGRAM_ARGUMENTS_MAX + 1];
};

void program_init(struct program *program, char *path);
__attribute__((format(printf, 2, 3))) void program_add(struct program *program, const char *format,
						       ...);
/* @arguments: ends with NULL; borrowed. */
void program_add_all(struct program *program, char **arguments);
/* Executes it. Return: exit code, after printing why it failed. */
int program_become(struct program *program);
