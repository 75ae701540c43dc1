/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * doctor - `tidemark doctor`: what this host and this account allow, and what they lack
 *
 * Each check finds one thing: it is well, or something is left out or costs more (a note), or
 * recording is impossible (a failure). Nothing is changed.
 */

#include <stdbool.h>
#include <stddef.h>

#define DOCTOR_CHECKS_MAX 32u
#define DOCTOR_TEXT_BYTES 200

enum doctor_verdict {
	DOCTOR_OK,
	DOCTOR_NOTE,
	DOCTOR_FAIL,
	DOCTOR_VERDICTS_N,
};

struct doctor_finding {
	const char *check;
	enum doctor_verdict verdict;
	char text[DOCTOR_TEXT_BYTES];
	const char *advice; /* static; NULL: nothing can be done, or nothing needs to be */
};

struct doctor {
	struct doctor_finding findings[DOCTOR_CHECKS_MAX];
	size_t count;
};

/* Return: exit code: EXIT_CODE_HOST: recording is impossible here. */
int doctor_main(int argc, char *const argv[]);

/* --- parts ---------------------------------------------------------------------------------- */

/* Adds a finding; a longer text is cut. */
__attribute__((format(printf, 5, 6))) void doctor_add(struct doctor *doctor, const char *check,
						      enum doctor_verdict verdict,
						      const char *advice, const char *format, ...);
/* What the kernel has, and how it is set. */
void doctor_check_kernel(struct doctor *doctor);
/* What this account, its limits and its namespaces allow. */
void doctor_check_account(struct doctor *doctor);
