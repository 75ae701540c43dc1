/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * outputs - all files of one report: the outputs that the symbolizer writes, and the summary
 *
 * Owns       the descriptors, and the numbered names of a report that is one of several.
 * Starter    opens and names the files of a recording, whose command may not; it keeps the same
 *            report's outputs, with folders and hidden names. Where there is none, this process
 *            does it.
 */

#include <stdbool.h>

#include "cli/options.h"
#include "cli/output.h"
#include "cli/summary.h"

struct starter_client;

struct outputs {
	const struct options *options;
	struct starter_client *starter;           /* borrowed; NULL: none */
	struct output items[OPTIONS_OUTPUTS_MAX]; /* as in the options */
	size_t count;                             /* of those, open */
	struct output summary;
	bool has_summary;
	bool refused[OPTIONS_OUTPUTS_MAX]; /* could not be opened, printed; leads to /dev/null */
	bool summary_refused;
	bool stored[OPTIONS_OUTPUTS_MAX]; /* in its place */
	bool summary_stored;
	char *names[OPTIONS_OUTPUTS_MAX + 1]; /* NULL: as in the options; the summary's is last */
};

/* How writing the outputs ended, as the symbolizer reported it. */
struct outputs_results {
	bool reported;                  /* it finished the report; else nothing is printed */
	bool has[OPTIONS_OUTPUTS_MAX];  /* it answered for this output */
	int codes[OPTIONS_OUTPUTS_MAX]; /* 0, -errno */
};

/*
 * Opens each, so that what cannot be written is known first. @number: of the report; 0: the only
 * one. Return: 0, or an exit code, after printing why.
 */
int outputs_open(struct outputs *ret_outputs, struct starter_client *starter,
		 const struct options *options, unsigned number);
/* The same for the report behind @before, in the folders of that one, whatever their paths lead to
 * by now: what cannot be opened is printed and left out. */
void outputs_open_more(struct outputs *ret_outputs, const struct outputs *before, unsigned number);
/* Another number, before they are stored. */
void outputs_renumber(struct outputs *outputs, unsigned number);
/* Puts every whole file in its place. Return: 0, EXIT_CODE_SOME, EXIT_CODE_FAILED, printed. */
int outputs_store(struct outputs *outputs, const struct outputs_results *results,
		  const struct summary *summary);
/* Puts one whole file in its place; @index: output_count: the summary. Return: 0, -errno (printed).
 */
int outputs_commit(struct outputs *outputs, size_t index);
/* Closes them; the starter goes on to those of the next report. */
void outputs_leave(struct outputs *outputs);
/* Total; what is not in its place is gone, or left to the starter. */
void outputs_close(struct outputs *outputs);
