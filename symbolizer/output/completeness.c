/* SPDX-License-Identifier: Apache-2.0 */
/* completeness - the line that states what a report lacks */

#include "symbolizer/output/completeness.h"
#include "shared/reasons.h"
#include "shared/weights.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#define PART_BYTES_MAX 48 /* a reason, its number, two separators */
_Static_assert(((size_t)3 * TM_DROP_N + 2 * TM_STOP_N + TM_UNNAMED_N + TM_NO_LINE_N + TM_NO_FILE_N +
		TM_UNRESOLVED_N) * PART_BYTES_MAX +
			       1408 <=
		       COMPLETENESS_BYTES,
	       "every reason fits");

struct line {
	char *text;
	size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
	size_t space = COMPLETENESS_BYTES - line->used;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line->text + line->used, space, format, arguments);
	va_end(arguments);
	if (length > 0)
		line->used += (size_t)length < space ? (size_t)length : space - 1;
}

/* " (reason n, ...)", without those that are 0; nothing where all are. */
static void add_counts(struct line *line, const uint64_t *counts, unsigned first, unsigned end,
		       const char *(*name)(unsigned))
{
	const char *separator = " (";

	for (unsigned i = first; i < end; i++) {
		if (counts[i] == 0)
			continue;
		add(line, "%s%s %" PRIu64, separator, name(i), counts[i]);
		separator = ", ";
	}
	if (*separator == ',')
		add(line, ")");
}

static void add_reasons(struct line *line, const char *what, const uint64_t *counts, unsigned first,
			unsigned end, const char *(*name)(unsigned))
{
	uint64_t total = 0;

	for (unsigned i = first; i < end; i++)
		total += counts[i];
	add(line, "%s %" PRIu64, what, total);
	add_counts(line, counts, first, end, name);
}

static bool has_any(const uint64_t *counts, unsigned end)
{
	for (unsigned i = 0; i < end; i++)
		if (counts[i])
			return true;
	return false;
}

static double seconds(uint64_t ns)
{
	return (double)ns / (double)TM_NS_PER_SECOND;
}

static void add_off_cpu_drops(struct line *line, const struct report_off_cpu *off_cpu)
{
	const char *separator = " (";
	uint64_t count = 0, ns = 0;

	for (unsigned i = 0; i < TM_DROP_N; i++) {
		count += off_cpu->drops[i];
		ns += off_cpu->drops_ns[i];
	}
	add(line, " + dropped %" PRIu64 " (%.3f s)", count, seconds(ns));
	for (unsigned i = 0; i < TM_DROP_N; i++) {
		if (!off_cpu->drops[i] && !off_cpu->drops_ns[i])
			continue;
		add(line, "%s%s %" PRIu64 " %.3f s", separator, tm_reasons_drop(i),
		    off_cpu->drops[i], seconds(off_cpu->drops_ns[i]));
		separator = ", ";
	}
	if (*separator == ',')
		add(line, ")");
}

static void add_off_cpu(struct line *line, const struct report_off_cpu *off_cpu)
{
	add(line, ". off-CPU: taken %" PRIu64 " (%.3f s) = exported %" PRIu64 " (%.3f s)",
	    off_cpu->taken, seconds(off_cpu->taken_ns), off_cpu->exported,
	    seconds(off_cpu->exported_ns));
	add_off_cpu_drops(line, off_cpu);
	add(line, "; observed %.3f s in %" PRIu64 " times", seconds(off_cpu->times_ns),
	    off_cpu->times);
	if (off_cpu->times_ns)
		add(line, ", exported %.1f %%",
		    100.0 * (double)off_cpu->exported_ns / (double)off_cpu->times_ns);
	add(line, "; in progress %" PRIu64 " (%.3f s); untracked %" PRIu64, off_cpu->in_progress,
	    seconds(off_cpu->in_progress_ns), off_cpu->untracked);
	if (off_cpu->unseen_ns)
		add(line, "; waking not seen %.3f s", seconds(off_cpu->unseen_ns));
	if (off_cpu->woken || off_cpu->wakers_lost)
		add(line, "; wakers %" PRIu64 ", lost %" PRIu64, off_cpu->woken,
		    off_cpu->wakers_lost);
	add_reasons(line, "; truncated", off_cpu->truncated, TM_STOP_NONE + 1, TM_STOP_N,
		    tm_reasons_stop);
}

/* "; rate lowered for 12.0 s, to 1/8 at most" */
static void add_weights(struct line *line, const uint64_t weight_ns[TM_WEIGHTS_N])
{
	unsigned most;
	uint64_t ns = tm_weights_lowered(weight_ns, &most);

	if (ns)
		add(line, "; rate lowered for %.1f s, at most to 1/%u", seconds(ns), most);
}

void completeness_format(const struct report *report, char text[static COMPLETENESS_BYTES])
{
	struct line line = {.text = text};

	text[0] = '\0';
	add(&line, "taken %" PRIu64 " = exported %" PRIu64, report->taken, report->exported);
	add_reasons(&line, " + dropped", report->drops, 0, TM_DROP_N, tm_reasons_drop);
	add(&line, "; not run %" PRIu64, report->not_run);
	add_weights(&line, report->weight_ns);
	if (report->thinned)
		add(&line, "; hits thinned %" PRIu64 " (owners beyond their share of time)",
		    report->thinned);
	add_reasons(&line, "; truncated", report->truncated, TM_STOP_NONE + 1, TM_STOP_N,
		    tm_reasons_stop);
	add(&line, "; unnamed frames %" PRIu64 " of %" PRIu64, report->unnamed_frames,
	    report->frames_shown);
	add_counts(&line, report->unnamed, 0, TM_UNNAMED_N, tm_reasons_unnamed);
	if (report->merged)
		add(&line, "; merged stacks %" PRIu64 " (memory)", report->merged);
	if (report->lines || has_any(report->no_line, TM_NO_LINE_N)) {
		add(&line, "; frames with a source line %" PRIu64, report->lines);
		add_reasons(&line, ", without", report->no_line, 0, TM_NO_LINE_N,
			    tm_reasons_no_line);
	}
	if (has_any(report->unresolved, TM_UNRESOLVED_N))
		add_reasons(&line, "; frames without a mapping", report->unresolved, 0,
			    TM_UNRESOLVED_N, tm_reasons_unresolved);
	if (has_any(report->unopened, TM_NO_FILE_N))
		add_reasons(&line, "; files not opened", report->unopened, 0, TM_NO_FILE_N,
			    tm_reasons_no_file);
	add(&line, "; late records %" PRIu64, report->late_records);
	if (report_has(report, TM_SAMPLE_OFF_CPU))
		add_off_cpu(&line, &report->off_cpu);
}
