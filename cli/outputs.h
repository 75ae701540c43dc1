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

struct outputs {
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
int outputs_open(struct outputs *ret_targets, const struct options *options, unsigned number);
/* The same for a later report: what cannot be opened is said and left out. */
void outputs_open_more(struct outputs *ret_targets, const struct options *options, unsigned number);
/* Another number, before they are stored. */
void outputs_renumber(struct outputs *targets, unsigned number);
/* Puts every whole file in its place. Return: 0, EXIT_CODE_SOME, EXIT_CODE_FAILED, said. */
int outputs_store(struct outputs *targets, const struct session *session,
		  const struct summary *summary);
/* Total; what is not in its place is gone. */
void outputs_close(struct outputs *targets);
