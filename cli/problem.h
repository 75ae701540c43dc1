/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * problem - the sentence about what is wrong with a command line
 */

#define PROBLEM_BYTES 512u

enum {
	PROBLEM_E_USAGE = 2,
};

/* Writes the sentence, safe for a terminal, to @ret_problem (PROBLEM_BYTES). Return:
 * PROBLEM_E_USAGE, always. */
int problem_write(char *ret_problem, const char *format, ...) __attribute__((format(printf, 2, 3)));
