/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * off_cpu_options - the options of `tidemark record` about time without a CPU
 *
 * Errors     PROBLEM_E_USAGE (the sentence is in the problem).
 */

#include <stdbool.h>
#include <stdint.h>

#define OFF_CPU_RATE_DEFAULT 1000u
#define OFF_CPU_RATE_MAX     100000u
#define OFF_CPU_SECONDS_MAX  604800u /* a week; of --off-cpu-min and --off-cpu-max */

struct off_cpu_options {
	bool on;
	bool kernel_threads;
	bool wakers;       /* with the stacks of those who end a sleep */
	unsigned rate;     /* stacks per second of the whole host that are aimed at */
	uint64_t min_ns;   /* a shorter time is not sampled */
	uint64_t max_ns;   /* a longer time is not sampled */
	const char *given; /* an option that needs --off-cpu; NULL: none */
};

/* What getopt_long returns for them; no character. */
enum off_cpu_option {
	OFF_CPU_OPTION_ON = 0x100,
	OFF_CPU_OPTION_RATE,
	OFF_CPU_OPTION_MIN,
	OFF_CPU_OPTION_MAX,
	OFF_CPU_OPTION_KERNEL,
	OFF_CPU_OPTION_WAKERS,
};

void off_cpu_options_init(struct off_cpu_options *options);
/* @value: NULL if the option takes none. Return: 0, PROBLEM_E_USAGE. */
int off_cpu_options_set(struct off_cpu_options *options, enum off_cpu_option option,
			const char *value, char *ret_problem);
/* Checks them together. Return: 0, PROBLEM_E_USAGE. */
int off_cpu_options_check(const struct off_cpu_options *options, char *ret_problem);
