/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spool_options - the options of `tidemark record` about keeping reports on this host
 *
 * Errors     PROBLEM_E_USAGE (the sentence is in the problem).
 */

#include <stdbool.h>
#include <stdint.h>

#define SPOOL_BYTES     (256ull << 20)
#define SPOOL_BYTES_MIN (1ull << 20)
#define SPOOL_BYTES_MAX (1ull << 40)
#define SPOOL_AGE_S     86400ull
#define SPOOL_AGE_MAX_S (366ull * 86400)

struct spool_options {
	const char *folder; /* NULL: no spool */
	uint64_t max_bytes;
	uint64_t max_age_s;
	const char *given; /* an option that needs a folder; NULL: none */
};

/* What getopt_long returns for them; no character. */
enum spool_option {
	SPOOL_OPTION_FOLDER = 0x400,
	SPOOL_OPTION_MAX,
	SPOOL_OPTION_AGE,
};

void spool_options_init(struct spool_options *options);
/* Return: 0, PROBLEM_E_USAGE. */
int spool_options_set(struct spool_options *options, enum spool_option option, const char *value,
		      char *ret_problem);
/* Checks all together. Return: 0, PROBLEM_E_USAGE. */
int spool_options_check(const struct spool_options *options, char *ret_problem);
