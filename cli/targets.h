/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * targets - all files of one recording: the outputs that the symbolizer writes, and the summary
 */

#include "cli/output.h"
#include "cli/session.h"
#include "cli/summary.h"

struct targets {
	const struct options *options;
	struct output outputs[OPTIONS_OUTPUTS_MAX]; /* as in the options */
	size_t count;                               /* of those, open */
	struct output summary;
	int has_summary;
	int stored[OPTIONS_OUTPUTS_MAX]; /* in its place */
};

/* Opens each, so that what cannot be written is known first. Return: 0, or an outcome, said. */
int targets_open(struct targets *ret_targets, const struct options *options);
/* Puts every whole file in its place. Return: 0, OUTCOME_SOME, OUTCOME_FAILED, said. */
int targets_store(struct targets *targets, const struct session *session,
		  const struct summary *summary);
/* Total; what is not in its place is gone. */
void targets_close(struct targets *targets);
