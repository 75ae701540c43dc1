/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_notes - what a report could not do, said to the command, or in the journal of a service
 */

#include "symbolizer/report_notes.h"

#include <inttypes.h>

#include "shared/clock.h"
#include "shared/control.h"

struct note {
	uint64_t number;
	const char *what;
};

bool report_notes_is_due(struct report_notes *notes, const char *what, uint64_t now_ms)
{
	for (unsigned i = 0; i < REPORT_NOTES_MAX; i++) {
		if (notes->said[i].what && notes->said[i].what != what)
			continue;
		if (now_ms < notes->said[i].next_ms)
			return false;
		notes->said[i].what = what;
		notes->said[i].next_ms = now_ms + REPORT_NOTES_PAUSE_MS;
		return true;
	}
	return true;
}

/* The command gets each. */
static bool is_wanted(struct report_notes *notes, const char *what, int control)
{
	return control >= 0 || report_notes_is_due(notes, what, tm_clock_ms());
}

void report_notes_send(struct report_notes *notes, const struct report_job *job, int control)
{
	const struct note counted[] = {
		{job->names.failed,
		 "files have unnamed functions: the parser ended or missed its deadline "
		 "(parse_failures in the summary)"},
		{job->result.undemangled, "function names are shown mangled: the parser did not "
					  "demangle them in time"},
		{job->accounting.on_cpu.unexplained, "samples are unaccounted for"},
		{job->accounting.off_cpu.unexplained, "off-CPU samples are unaccounted for"},
		{job->accounting.off_cpu_ns.unexplained,
		 "ns of off-CPU samples are unaccounted for"},
		{job->threads_lost.full, "sleeps are not reported before their end: there was no "
					 "memory to remember them"},
		{job->threads_lost.stacks, "stacks of threads were not kept until they were "
					   "needed: there was no memory for them"},
		{job->threads_lost.unknown, "threads are missing in the view of threads: what "
					    "they did before this report is not known"},
		{job->threads_lost.bad, "records of threads that the collector sent do not check"},
		{job->methods_full, "times there was no memory for the name of a language "
				    "runtime's function: it is shown as [java] or [python]"},
		{job->method_conflicts, "records of language runtimes' functions contradict "
					"earlier ones: the earlier names are shown"},
		{job->conflicts, "file numbers got a second meaning too early: samples from "
				 "before may bear its name"},
	};

	for (unsigned i = 0; i < job->note_count; i++)
		if (is_wanted(notes, job->notes[i], control))
			(void)tm_control_note(control, "%s", job->notes[i]);
	for (unsigned i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (counted[i].number && is_wanted(notes, counted[i].what, control))
			(void)tm_control_note(control, "%" PRIu64 " %s", counted[i].number,
					      counted[i].what);
}
