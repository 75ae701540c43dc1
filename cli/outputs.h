/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * outputs - all files of one report: the outputs that the symbolizer writes, and the summary
 *
 * Owns       the descriptors, and the numbered names of a report that is one of several.
 */

#include "cli/options.h"
#include "cli/output.h"
#include "cli/summary.h"

struct session;

struct targets {
	const struct options *options;
	struct output outputs[OPTIONS_OUTPUTS_MAX]; /* as in the options */
	size_t count;                               /* of those, open */
	struct output summary;
	int has_summary;
	int refused[OPTIONS_OUTPUTS_MAX]; /* could not be opened, said; goes nowhere */
	int summary_refused;
	int stored[OPTIONS_OUTPUTS_MAX]; /* in its place */
	int summary_stored;
	char *names[OPTIONS_OUTPUTS_MAX + 1]; /* NULL: as in the options; the summary's is last */
};

/*
 * Opens each, so that what cannot be written is known first. @number: of the report, 0: the only
 * one. Return: 0, or an outcome, said.
 */
int targets_open(struct targets *ret_targets, const struct options *options, unsigned number);
/* The same for a later report: what cannot be opened is said and left out. */
void targets_open_more(struct targets *ret_targets, const struct options *options, unsigned number);
/* Another number, before they are stored. */
void targets_renumber(struct targets *targets, unsigned number);
/* Puts every whole file in its place. Return: 0, OUTCOME_SOME, OUTCOME_FAILED, said. */
int targets_store(struct targets *targets, const struct session *session,
		  const struct summary *summary);
/* Total; what is not in its place is gone. */
void targets_close(struct targets *targets);
