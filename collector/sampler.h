/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sampler - the perf events that the command opened: attached, switched, asked what they owe
 *
 * Owes       an event counts the nanoseconds it was enabled; divided by the period that is the number
 *            of hits the kernel owed, whether or not our program ran for each.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/options.h"

struct sampler {
	const struct options_perf *perf;
	unsigned count;
	uint64_t period_ns;
};

/* Attaches the program of @program_fd to the still disabled events. Return: 0, -errno. */
int sampler_attach(struct sampler *sampler, const struct options *options, int program_fd);
/* Return: 0, -errno. Once it is off no hit is running any more. */
int sampler_switch(const struct sampler *sampler, bool on);
/* Return: hits owed so far by all CPUs. */
uint64_t sampler_owed(const struct sampler *sampler);
