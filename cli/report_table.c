/* SPDX-License-Identifier: Apache-2.0 */
/* report_table - prints the ten functions with the most time, and the line of completeness */

#include "cli/report_table.h"

#include <string.h>

#include "shared/reasons.h"

typedef const char *(*name_fn)(unsigned reason);

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

void report_table_print(FILE *out, const struct tm_top *rows, size_t count, uint64_t exported)
{
	size_t i;

	if (count == 0)
		return;
	(void)fprintf(out, "%8s %8s  %s\n", "self", "total", "function");
	for (i = 0; i < count; i++)
		(void)fprintf(out, "%6.1f %% %6.1f %%  %s%s%s%s\n", percent(rows[i].self, exported),
			      percent(rows[i].total, exported), rows[i].name,
			      rows[i].file[0] ? "  (" : "", rows[i].file,
			      rows[i].file[0] ? ")" : "");
}

/* " (reason 3, reason 1)", only what is not 0. */
static void print_reasons(FILE *out, const uint64_t *numbers, unsigned first, unsigned end,
			  name_fn name)
{
	const char *before = " (";
	unsigned i;

	for (i = first; i < end; i++) {
		if (numbers[i] == 0)
			continue;
		(void)fprintf(out, "%s%s %llu", before, name(i), (unsigned long long)numbers[i]);
		before = ", ";
	}
	if (strcmp(before, ", ") == 0)
		(void)fputc(')', out);
}

/* ", 3 what", if there are any. */
static void print_some(FILE *out, uint64_t number, const char *what)
{
	if (number > 0)
		(void)fprintf(out, ", %llu %s", (unsigned long long)number, what);
}

uint64_t report_table_unopened(const struct tm_result *result)
{
	uint64_t sum = 0;

	for (unsigned reason = 0; reason < TM_NO_FILE_N; reason++)
		sum += result->unopened[reason];
	return sum;
}

/* Without the frames of files that have no debug information: there is nothing to be missed. */
static uint64_t without_line(const struct tm_result *result)
{
	uint64_t sum = 0;

	for (unsigned reason = TM_NO_LINE_NO_DEBUG_INFO + 1; reason < TM_NO_LINE_N; reason++)
		sum += result->no_line[reason];
	return sum;
}

void report_table_print_completeness(FILE *out, const struct summary *summary)
{
	const struct accounting_balance *balance = &summary->balance;
	const struct tm_result *result = &summary->result;
	const struct tm_counts *counts = &summary->counts;

	(void)fprintf(out, "samples: taken %llu, exported %llu, dropped %llu",
		      (unsigned long long)balance->taken, (unsigned long long)balance->exported,
		      (unsigned long long)balance->dropped);
	print_reasons(out, balance->drops, 0, TM_DROP_N, tm_reasons_drop);
	(void)fprintf(out, ", not run %llu", (unsigned long long)balance->not_run);
	if (balance->not_run > 0 && summary->idle_ns > 0)
		(void)fprintf(out, " (CPUs idle for %.1f s)", (double)summary->idle_ns / 1e9);
	(void)fprintf(out, ", truncated %llu", (unsigned long long)balance->cut);
	print_reasons(out, balance->truncated, TM_STOP_NONE + 1, TM_STOP_N, tm_reasons_stop);
	(void)fprintf(out, ", unnamed frames %llu of %llu",
		      (unsigned long long)result->unnamed_frames,
		      (unsigned long long)result->frames);
	print_reasons(out, result->unnamed, 0, TM_UNNAMED_N, tm_reasons_unnamed);
	print_some(out, result->merged, "stacks merged for want of memory");
	if (without_line(result) > 0) {
		(void)fprintf(out, ", frames without a source line %llu",
			      (unsigned long long)without_line(result));
		print_reasons(out, result->no_line, TM_NO_LINE_NO_DEBUG_INFO + 1, TM_NO_LINE_N,
			      tm_reasons_no_line);
	}
	if (report_table_unopened(result) > 0) {
		(void)fprintf(out, ", files not opened %llu",
			      (unsigned long long)report_table_unopened(result));
		print_reasons(out, result->unopened, 0, TM_NO_FILE_N, tm_reasons_no_file);
	}
	print_some(out, summary->cpus_not_sampled, "CPUs not sampled");
	print_some(out, counts->announce_lost, "announcements lost");
	print_some(out, counts->processes_full, "times the process table was full");
	print_some(out, counts->files_full, "times the file table was full");
	print_some(out, counts->files_retired, "file numbers reused");
	print_some(out, counts->tables_refused, "unwind tables refused");
	print_some(out, counts->tables_evicted, "unwind tables evicted");
	print_some(out, counts->attached > 1 ? counts->attached - 1 : 0, "symbolizers died");
	(void)fputc('\n', out);
}
