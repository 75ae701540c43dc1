/* SPDX-License-Identifier: Apache-2.0 */
/* report_table - prints the ten functions with the most time, and the line of completeness */

#include "cli/report_table.h"

#include <string.h>

#include "shared/reasons.h"
#include "shared/weights.h"

#define NS_PER_US 1000u

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

static void print_weights(FILE *out, const uint64_t weight_ns[TM_WEIGHTS_N])
{
	unsigned most;
	uint64_t ns = tm_weights_lowered(weight_ns, &most);

	if (ns)
		(void)fprintf(out, ", rate lowered for %.1f s, at most to 1/%u", (double)ns / 1e9,
			      most);
}

void report_table_print_completeness(FILE *out, const struct summary *summary)
{
	const struct accounting_balance *balance = &summary->balance;
	const struct accounting_sum *sum = &balance->of[ACCOUNTING_ON_CPU];
	const struct tm_result *result = &summary->result;
	const struct tm_counts *counts = &summary->counts;

	(void)fprintf(out, "samples: taken %llu, exported %llu, dropped %llu",
		      (unsigned long long)sum->taken, (unsigned long long)sum->exported,
		      (unsigned long long)sum->dropped);
	print_reasons(out, sum->drops, 0, TM_DROP_N, tm_reasons_drop);
	(void)fprintf(out, ", not run %llu", (unsigned long long)balance->not_run);
	if (balance->not_run > 0 && summary->idle_ns > 0)
		(void)fprintf(out, " (CPUs idle for %.1f s)", (double)summary->idle_ns / 1e9);
	print_weights(out, counts->weight_ns);
	print_some(out, counts->bpf.thinned, "hits thinned");
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
	print_some(out, counts->bpf.announce_lost, "announcements lost");
	print_some(out, counts->bpf.processes_full, "times the process table was full");
	print_some(out, counts->bpf.files_full, "times the file table was full");
	print_some(out, counts->bpf.files_limited, "times a new file was beyond its owner's share");
	print_some(out, counts->bpf.methods_lost, "names of interpreted functions lost");
	print_some(out, counts->bpf.methods_limited, "functions beyond their owner's share");
	print_some(out, counts->files_retired, "file numbers reused");
	print_some(out, counts->installs.refused, "unwind tables refused");
	print_some(out, counts->installs.evicted, "unwind tables evicted");
	print_some(out, counts->attached > 1 ? counts->attached - 1 : 0, "symbolizers died");
	(void)fputc('\n', out);
}

/* "delivered 2 of 3 requests with 20 of 30 samples" */
static void print_part(FILE *out, const char *what, const struct tm_export_result *result,
		       enum tm_export part)
{
	uint64_t requests = 0, samples = 0;

	for (unsigned outcome = 0; outcome < TM_EXPORT_N; outcome++) {
		requests += result->requests[outcome];
		samples += result->samples[outcome];
	}
	(void)fprintf(out, "%s %llu of %llu requests with %llu of %llu samples", what,
		      (unsigned long long)result->requests[part], (unsigned long long)requests,
		      (unsigned long long)result->samples[part], (unsigned long long)samples);
}

void report_table_print_spool(FILE *out, const struct tm_export_result *result)
{
	struct tm_export_result others = *result;

	print_part(out, "spool: kept", result, TM_EXPORT_SPOOLED);
	others.requests[TM_EXPORT_SPOOLED] = 0;
	print_reasons(out, others.requests, TM_EXPORT_DELIVERED + 1, TM_EXPORT_N,
		      tm_reasons_export);
	(void)fputc('\n', out);
}

void report_table_print_export(FILE *out, const struct tm_export_result *result)
{
	print_part(out, "OTLP: delivered", result, TM_EXPORT_DELIVERED);
	print_reasons(out, result->requests, TM_EXPORT_DELIVERED + 1, TM_EXPORT_N,
		      tm_reasons_export);
	print_some(out, result->replayed, "requests of earlier recordings sent");
	print_some(out, result->rejected, "profiles rejected by the server");
	(void)fputc('\n', out);
}

/* "3 for 1.2 s" */
static void print_for(FILE *out, uint64_t number, uint64_t ns)
{
	(void)fprintf(out, "%llu for %.1f s", (unsigned long long)number, (double)ns / 1e9);
}

void report_table_print_off_cpu(FILE *out, const struct summary *summary)
{
	const struct accounting_sum *sum = &summary->balance.of[ACCOUNTING_OFF_CPU];
	const struct accounting_sum *ns = &summary->balance.of[ACCOUNTING_OFF_CPU_NS];
	const struct tm_off_cpu_counts *counts = &summary->counts.off_cpu;
	const struct tm_off_cpu_result *result = &summary->result.off_cpu;

	(void)fprintf(out, "off-CPU: taken %llu stacks for %.1f s of %.1f s observed, exported ",
		      (unsigned long long)sum->taken, (double)ns->taken / 1e9,
		      (double)counts->seen.times_ns / 1e9);
	print_for(out, sum->exported, ns->exported);
	(void)fputs(", dropped ", out);
	print_for(out, sum->dropped, ns->dropped);
	print_reasons(out, sum->drops, 0, TM_DROP_N, tm_reasons_drop);
	(void)fputs(", in progress ", out);
	print_for(out, result->in_progress, result->in_progress_ns);
	print_some(out, counts->seen.untracked, "context switches of threads without a state");
	if (counts->seen.unseen_ns)
		(void)fprintf(out, ", %.1f s of sleep whose end was not seen",
			      (double)counts->seen.unseen_ns / 1e9);
	print_some(out, result->woken, "with the stack of their waker");
	print_some(out, counts->seen.wakers_lost + result->wakers_lost, "stacks of wakers dropped");
	if (counts->stratum_ns >= NS_PER_US)
		(void)fprintf(out, ", times below %.3f ms sampled by chance",
			      (double)counts->stratum_ns / 1e6);
	(void)fputc('\n', out);
}
