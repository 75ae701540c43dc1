/* SPDX-License-Identifier: Apache-2.0 */
/* summary - counts, completeness and cost of one report as a JSON object */

#include "cli/summary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/lags.h"
#include "shared/reasons.h"

#define NS_PER_SECOND 1000000000ull

typedef const char *(*name_fn)(unsigned reason);

static void put_number(FILE *out, const char *key, uint64_t number)
{
	(void)fprintf(out, "  \"%s\": %llu,\n", key, (unsigned long long)number);
}

static void put_seconds(FILE *out, const char *key, uint64_t ns, const char *end)
{
	(void)fprintf(out, "\"%s\": %llu.%09llu%s", key, (unsigned long long)(ns / NS_PER_SECOND),
		      (unsigned long long)(ns % NS_PER_SECOND), end);
}

static void put_list(FILE *out, const uint64_t *numbers, unsigned first, unsigned end, name_fn name)
{
	unsigned i;

	(void)fputc('{', out);
	for (i = first; i < end; i++)
		(void)fprintf(out, "%s\"%s\": %llu", i == first ? "" : ", ", name(i),
			      (unsigned long long)numbers[i]);
	(void)fputs("},\n", out);
}

static void put_reasons(FILE *out, const char *key, const uint64_t *numbers, unsigned first,
			unsigned end, name_fn name)
{
	(void)fprintf(out, "  \"%s\": ", key);
	put_list(out, numbers, first, end, name);
}

static void put_sum(FILE *out, const struct accounting_sum *sum)
{
	put_number(out, "taken", sum->taken);
	put_number(out, "exported", sum->exported);
	put_reasons(out, "dropped", sum->drops, 0, TM_DROP_N, tm_reasons_drop);
}

/* Time in which a sample stood for 1, 2, 4, ... periods, and for how much all of them stand. */
static void put_weights(FILE *out, const struct summary *s)
{
	(void)fprintf(out, "  \"cpu_max\": %.4f,\n", (double)s->cpu_max_ppm / 1e4);
	(void)fputs("  \"weight_seconds\": {", out);
	for (unsigned i = 0; i < TM_WEIGHTS_N; i++) {
		(void)fprintf(out, "%s\"%u\": %.9f", i ? ", " : "", 1u << i,
			      (double)s->counts.weight_ns[i] / (double)NS_PER_SECOND);
	}
	(void)fputs("},\n  ", out);
	put_seconds(out, "on_cpu_seconds", s->result.on_cpu_ns, ",\n");
}

static void put_samples(FILE *out, const struct summary *s)
{
	put_sum(out, &s->balance.of[ACCOUNTING_ON_CPU]);
	put_number(out, "not_run", s->balance.not_run);
	put_reasons(out, "truncated", s->balance.truncated, TM_STOP_NONE + 1, TM_STOP_N,
		    tm_reasons_stop);
	put_reasons(out, "unresolved", s->result.unresolved, 0, TM_UNRESOLVED_N,
		    tm_reasons_unresolved);
	put_number(out, "merged", s->result.merged);
	put_number(out, "frames", s->result.frames);
	put_number(out, "unnamed_frames", s->result.unnamed_frames);
	put_reasons(out, "unnamed", s->result.unnamed, 0, TM_UNNAMED_N, tm_reasons_unnamed);
	put_number(out, "lines", s->result.lines);
	put_reasons(out, "no_line", s->result.no_line, 0, TM_NO_LINE_N, tm_reasons_no_line);
	put_number(out, "undemangled_names", s->result.undemangled);
	put_number(out, "exiting", s->counts.bpf.exiting);
	put_number(out, "late_records", s->result.late_records);
	put_number(out, "files_opened", s->counts.files.opened);
	put_number(out, "files_refused", s->counts.files.refused);
	put_number(out, "files_failed", s->counts.files.failed);
	put_reasons(out, "files_not_opened", s->result.unopened, 0, TM_NO_FILE_N,
		    tm_reasons_no_file);
	(void)fputs("  ", out);
	put_seconds(out, "seconds", s->duration_ns, ",\n  ");
	put_seconds(out, "idle_seconds", s->idle_ns, ",\n");
	put_number(out, "hz", s->hz);
	put_number(out, "cpus", s->counts.cpus);
	put_weights(out, s);
}

/* Of the symbolizer. */
static void put_memory(FILE *out, const struct tm_result *result)
{
	put_number(out, "memory_limit", result->memory_limit);
	put_number(out, "memory_peak", result->memory_peak);
	put_reasons(out, "memory_peaks", result->memory_peaks, 0, TM_MEMORY_N, tm_reasons_memory);
	put_reasons(out, "memory_refused", result->memory_refused, 0, TM_MEMORY_N,
		    tm_reasons_memory);
}

/* What user stacks were unwound by. */
static void put_tables(FILE *out, const struct summary *s)
{
	const struct tm_counts *counts = &s->counts;

	put_number(out, "steps_by_table", counts->bpf.steps_by_table);
	put_number(out, "steps_by_frame_pointer", counts->bpf.steps_by_frame_pointer);
	put_number(out, "tables_made", s->result.tables_made);
	put_number(out, "tables_empty", s->result.tables_empty);
	put_number(out, "tables_cached", s->result.tables_cached);
	put_number(out, "symbols_cached", s->result.symbols_cached);
	put_number(out, "cache_refused", s->result.cache_refused);
	put_number(out, "cache_dropped", s->result.cache_dropped);
	put_number(out, "cache_late", s->result.cache_late);
	put_number(out, "cache_unwritten", s->result.cache_unwritten);
	put_number(out, "tables", counts->tables);
	put_number(out, "table_bytes", counts->table_bytes);
	put_number(out, "tables_installed", counts->installs.installed);
	put_number(out, "tables_refused", counts->installs.refused);
	put_number(out, "tables_evicted", counts->installs.evicted);
	put_number(out, "tables_failed", counts->installs.failed);
	put_number(out, "tables_ahead", counts->installs.ahead);
	put_number(out, "tables_ahead_refused", counts->installs.ahead_refused);
	put_number(out, "parsers_started", s->parsers_started);
	put_number(out, "parsers_lost", s->result.parsers_lost);
	put_reasons(out, "parse_failures", s->result.parse_failures, 0, TM_PARSE_N,
		    tm_reasons_parse);
	put_reasons(out, "debuginfod", s->result.debuginfod, 0, TM_DEBUGINFOD_N,
		    tm_reasons_debuginfod);
}

/* What the collector met beside samples, and how full its maps are. */
static void put_state(FILE *out, const struct summary *s)
{
	const struct accounting_sum *whole = &s->whole[ACCOUNTING_ON_CPU];
	const struct tm_counts *counts = &s->counts;

	put_number(out, "cpus_not_sampled", s->cpus_not_sampled);
	put_number(out, "announce_lost", counts->bpf.announce_lost);
	put_number(out, "processes_full", counts->bpf.processes_full);
	put_number(out, "files_full", counts->bpf.files_full);
	put_number(out, "files_limited", counts->bpf.files_limited);
	put_number(out, "methods", counts->bpf.methods);
	put_number(out, "methods_written", counts->bpf.methods_written);
	put_number(out, "methods_lost", counts->bpf.methods_lost);
	put_number(out, "methods_late", counts->bpf.methods_late);
	put_number(out, "methods_limited", counts->bpf.methods_limited);
	put_number(out, "thinned", counts->bpf.thinned);
	put_number(out, "files_retired", counts->files_retired);
	put_number(out, "lookups", counts->bpf.lookups);
	put_number(out, "lookup_cached", counts->bpf.lookup_cached);
	put_number(out, "lookup_retries", counts->bpf.lookup_retries);
	put_number(out, "kernel_unknown", counts->kernel_unknown);
	put_number(out, "kernel_readings", counts->kernel_readings);
	put_number(out, "processes_known", counts->processes_known);
	put_number(out, "files_known", counts->files_known);
	put_number(out, "attached", counts->attached);
	put_tables(out, s);
	put_memory(out, &s->result);
	(void)fputs("  \"watermark_lag_seconds\": {", out);
	put_seconds(out, "p99", lags_p99_ns(counts), ", ");
	put_seconds(out, "max", lags_max_ns(counts), "},\n");
	if (s->report > 0)
		put_number(out, "report", s->report);
	else
		(void)fputs("  \"report\": null,\n", out);
	(void)fputs("  \"recording\": {", out);
	put_seconds(out, "seconds", s->whole_ns, ", ");
	(void)fprintf(out, "\"taken\": %llu, \"exported\": %llu, \"dropped\": %llu},\n",
		      (unsigned long long)whole->taken, (unsigned long long)whole->exported,
		      (unsigned long long)whole->dropped);
}

static void put_off_cpu_sum(FILE *out, const struct accounting_sum *sum, const char *unit)
{
	(void)fprintf(out, "    \"taken%s\": %llu, \"exported%s\": %llu, \"dropped%s\": ", unit,
		      (unsigned long long)sum->taken, unit, (unsigned long long)sum->exported,
		      unit);
	put_list(out, sum->drops, 0, TM_DROP_N, tm_reasons_drop);
}

/* Of all reports so far. */
static void put_off_cpu_whole(FILE *out, const struct accounting_sum whole[ACCOUNTING_UNITS_N])
{
	const struct accounting_sum *samples = &whole[ACCOUNTING_OFF_CPU];
	const struct accounting_sum *ns = &whole[ACCOUNTING_OFF_CPU_NS];

	(void)fprintf(out,
		      "    \"recording\": {\"taken\": %llu, \"exported\": %llu, \"dropped\": %llu, "
		      "\"taken_ns\": %llu, \"exported_ns\": %llu, \"dropped_ns\": %llu}\n",
		      (unsigned long long)samples->taken, (unsigned long long)samples->exported,
		      (unsigned long long)samples->dropped, (unsigned long long)ns->taken,
		      (unsigned long long)ns->exported, (unsigned long long)ns->dropped);
}

static void put_off_cpu(FILE *out, const struct summary *s)
{
	const struct tm_off_cpu_counts *counts = &s->counts.off_cpu;
	const struct tm_off_cpu_result *result = &s->result.off_cpu;

	(void)fputs("  \"off_cpu\": {\n", out);
	put_off_cpu_sum(out, &s->balance.of[ACCOUNTING_OFF_CPU], "");
	put_off_cpu_sum(out, &s->balance.of[ACCOUNTING_OFF_CPU_NS], "_ns");
	(void)fprintf(
		out,
		"    \"observed\": %llu, \"observed_ns\": %llu, \"untracked\": %llu, "
		"\"waking_unseen_ns\": %llu, \"stratum_ns\": %llu, "
		"\"in_progress\": %llu, \"in_progress_ns\": %llu, "
		"\"wakers\": %llu, \"wakers_lost\": %llu,\n",
		(unsigned long long)counts->seen.times, (unsigned long long)counts->seen.times_ns,
		(unsigned long long)counts->seen.untracked,
		(unsigned long long)counts->seen.unseen_ns, (unsigned long long)counts->stratum_ns,
		(unsigned long long)result->in_progress, (unsigned long long)result->in_progress_ns,
		(unsigned long long)result->woken,
		(unsigned long long)(counts->seen.wakers_lost + result->wakers_lost));
	put_off_cpu_whole(out, s->whole);
	(void)fputs("  },\n", out);
}

static void put_export(FILE *out, const struct tm_export_result *result)
{
	(void)fputs("  \"otlp\": {\n    \"requests\": ", out);
	put_list(out, result->requests, 0, TM_EXPORT_N, tm_reasons_export);
	(void)fputs("    \"samples\": ", out);
	put_list(out, result->samples, 0, TM_EXPORT_N, tm_reasons_export);
	(void)fprintf(out, "    \"replayed\": %llu, \"rejected\": %llu, \"bytes\": %llu\n  },\n",
		      (unsigned long long)result->replayed, (unsigned long long)result->rejected,
		      (unsigned long long)result->bytes);
}

static void put_cost(FILE *out, const struct summary *s)
{
	(void)fputs("  \"cpu_seconds\": {", out);
	put_seconds(out, "command", s->command_cpu_ns, ", ");
	put_seconds(out, "collector", s->collector_cpu_ns, ", ");
	put_seconds(out, "opener", s->opener_cpu_ns, ", ");
	put_seconds(out, "symbolizer", s->symbolizer_cpu_ns, ", ");
	put_seconds(out, "parser", s->parser_cpu_ns, ", ");
	put_seconds(out, "debuginfod", s->debuginfod_cpu_ns, ", ");
	put_seconds(out, "exporter", s->exporter_cpu_ns, ", ");
	put_seconds(out, "spool", s->spool_cpu_ns, "},\n  ");
	put_seconds(out, "bpf_seconds", s->counts.bpf_ns, ",\n");
	(void)fprintf(out,
		      "  \"rss_bytes\": {\"command\": %llu, \"collector\": %llu, "
		      "\"opener\": %llu, \"symbolizer\": %llu, \"parser\": %llu, "
		      "\"debuginfod\": %llu, \"exporter\": %llu, \"spool\": %llu},\n",
		      (unsigned long long)s->command_rss, (unsigned long long)s->collector_rss,
		      (unsigned long long)s->opener_rss, (unsigned long long)s->symbolizer_rss,
		      (unsigned long long)s->parser_rss, (unsigned long long)s->debuginfod_rss,
		      (unsigned long long)s->exporter_rss, (unsigned long long)s->spool_rss);
	put_number(out, "bpf_map_bytes", s->counts.bpf_map_bytes);
	if (s->command_status >= 0)
		(void)fprintf(out, "  \"command_status\": %d\n", s->command_status);
	else
		(void)fputs("  \"command_status\": null\n", out);
}

int summary_text(const struct summary *summary, char **ret_text, size_t *ret_bytes)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return -ENOMEM;
	(void)fputs("{\n", out);
	put_samples(out, summary);
	put_state(out, summary);
	if (summary->off_cpu)
		put_off_cpu(out, summary);
	if (summary->otlp)
		put_export(out, &summary->result.export);
	put_cost(out, summary);
	(void)fputs("}\n", out);
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	*ret_bytes = bytes;
	return 0;
}
