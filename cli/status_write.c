/* SPDX-License-Identifier: Apache-2.0 */
/* status_write - the figures of the services as text, as JSON, and for Prometheus */

#include "cli/status_write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "cli/lags.h"
#include "cli/status_figures.h"
#include "shared/reasons.h"
#include "shared/weights.h"

#define NS_PER_SECOND 1000000000ull
#define MIB           (1024.0 * 1024.0)

/* --- for programs ----------------------------------------------------------------------------- */

/* Counts as such, the rest with what a double has to say. */
static void put_number(FILE *out, double number)
{
	if (number == (double)(uint64_t)number)
		(void)fprintf(out, "%" PRIu64, (uint64_t)number);
	else
		(void)fprintf(out, "%.9g", number);
}

static bool is_first_of_name(const struct status_figure *figures, unsigned at)
{
	return at == 0 || strcmp(figures[at - 1].name, figures[at].name) != 0;
}

void status_write_prometheus(FILE *out, const struct tm_status *status,
			     const struct status_unit *units)
{
	static struct status_figure figures[STATUS_FIGURES_MAX];
	unsigned count = status_figures_make(status, units, figures);

	for (unsigned i = 0; i < count; i++) {
		const struct status_figure *figure = &figures[i];
		const char *suffix = figure->counter ? "_total" : "";

		if (is_first_of_name(figures, i))
			(void)fprintf(out, "# HELP tidemark_%s%s %s\n# TYPE tidemark_%s%s %s\n",
				      figure->name, suffix, figure->help, figure->name, suffix,
				      figure->counter ? "counter" : "gauge");
		(void)fprintf(out, "tidemark_%s%s", figure->name, suffix);
		if (figure->label)
			(void)fprintf(out, "{%s=\"%s\"}", figure->label, figure->value);
		(void)fputc(' ', out);
		put_number(out, figure->number);
		(void)fputc('\n', out);
	}
}

void status_write_json(FILE *out, const struct tm_status *status, const struct status_unit *units)
{
	static struct status_figure figures[STATUS_FIGURES_MAX];
	unsigned count = status_figures_make(status, units, figures);

	(void)fputc('{', out);
	for (unsigned i = 0; i < count; i++) {
		const struct status_figure *figure = &figures[i];
		bool begins = is_first_of_name(figures, i);

		if (i > 0)
			(void)fputs(begins && figures[i - 1].label ? "},\n " : ",\n ", out);
		if (begins)
			(void)fprintf(out, "\"%s\": ", figure->name);
		if (figure->label)
			(void)fprintf(out, "%s\"%s\": ", begins ? "{" : "", figure->value);
		put_number(out, figure->number);
	}
	(void)fputs(count && figures[count - 1].label ? "}}\n" : "}\n", out);
}

/* --- for people ------------------------------------------------------------------------------- */

static void put_duration(FILE *out, uint64_t ns)
{
	const uint64_t seconds = ns / NS_PER_SECOND;

	if (seconds >= 86400)
		(void)fprintf(out, "%" PRIu64 " d %" PRIu64 " h", seconds / 86400,
			      seconds % 86400 / 3600);
	else if (seconds >= 3600)
		(void)fprintf(out, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600,
			      seconds % 3600 / 60);
	else if (seconds >= 60)
		(void)fprintf(out, "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
	else
		(void)fprintf(out, "%.1f s", (double)ns / (double)NS_PER_SECOND);
}

static uint64_t since(const struct tm_status *status, uint64_t ktime)
{
	return status->now > ktime ? status->now - ktime : 0;
}

/* " (ring_full 5, memory 1)", or nothing. */
static void put_reasons(FILE *out, const uint64_t *numbers, const uint64_t *more, unsigned first,
			unsigned end, const char *(*reason)(unsigned))
{
	const char *before = " (";
	bool any = false;

	for (unsigned i = first; i < end; i++) {
		uint64_t number = numbers[i] + (more ? more[i] : 0);

		if (number == 0)
			continue;
		(void)fprintf(out, "%s%s %" PRIu64, before, reason(i), number);
		before = ", ";
		any = true;
	}
	(void)fputs(any ? ")\n" : "\n", out);
}

static uint64_t sum_of(const uint64_t *numbers, unsigned first, unsigned end)
{
	uint64_t sum = 0;

	for (unsigned i = first; i < end; i++)
		sum += numbers[i];
	return sum;
}

static void put_samples(FILE *out, const struct tm_status *status)
{
	const struct tm_counts *counts = &status->counts;
	const struct tm_result *result = &status->result;

	(void)fprintf(out, "samples     taken %" PRIu64 ", exported %" PRIu64 ", dropped %" PRIu64,
		      counts->taken, result->exported,
		      sum_of(counts->drops, 0, TM_DROP_N) + sum_of(result->drops, 0, TM_DROP_N));
	put_reasons(out, counts->drops, result->drops, 0, TM_DROP_N, tm_reasons_drop);
	(void)fprintf(out, "stacks      truncated %" PRIu64,
		      sum_of(result->truncated, TM_STOP_NONE + 1, TM_STOP_N));
	put_reasons(out, result->truncated, NULL, TM_STOP_NONE + 1, TM_STOP_N, tm_reasons_stop);
	(void)fprintf(out, "names       %" PRIu64 " of %" PRIu64 " frames have none",
		      result->unnamed_frames, result->frames);
	put_reasons(out, result->unnamed, NULL, 0, TM_UNNAMED_N, tm_reasons_unnamed);
}

static void put_reports(FILE *out, const struct tm_status *status)
{
	const struct tm_export_result *export = &status->result.export;

	(void)fprintf(out, "reports     %" PRIu64, status->reports);
	if (status->reports) {
		(void)fputs(", the last one ", out);
		put_duration(out, since(status, status->reported));
		(void)fputs(" ago", out);
	}
	(void)fprintf(out, ", every %.1f s\n", (double)status->interval_ms / 1000);
	(void)fprintf(out, "delivery    %" PRIu64 " requests",
		      sum_of(export->requests, 0, TM_EXPORT_N));
	put_reasons(out, export->requests, NULL, 0, TM_EXPORT_N, tm_reasons_export);
	if (!export->spool_bytes)
		return;
	(void)fprintf(out, "spool       %.1f MiB, reaches back ",
		      (double)export->spool_bytes / MIB);
	put_duration(out, export->spool_reach_ns);
	if (export->spool_least_ns) {
		(void)fputs(", for who fills it ", out);
		put_duration(out, export->spool_least_ns);
	}
	(void)fputc('\n', out);
}

static void put_resources(FILE *out, const struct tm_status *status,
			  const struct status_unit *units)
{
	const struct tm_counts *counts = &status->counts;

	(void)fprintf(out,
		      "watermark   %.0f ms old; before a publish %.0f ms (99 %%), %.0f ms (most) "
		      "in the last hour\n",
		      (double)since(status, status->watermark) / 1e6,
		      (double)lags_p99_ns(counts) / 1e6, (double)lags_max_ns(counts) / 1e6);
	(void)fprintf(out, "ring        at most %.1f of %.1f MiB\n",
		      (double)status->ring_most / MIB, (double)status->ring_bytes / MIB);
	(void)fprintf(out,
		      "memory      at most %.1f of %.1f MiB; BPF %.1f MiB, of it unwind tables "
		      "%.1f MiB for %" PRIu64 " files\n",
		      (double)status->result.memory_peak / MIB,
		      (double)status->result.memory_limit / MIB,
		      (double)counts->bpf_map_bytes / MIB, (double)counts->table_bytes / MIB,
		      counts->tables);
	for (unsigned i = 0; i < STATUS_UNITS_N; i++) {
		const char *name = status_units_name((enum status_units_name)i);

		if (units[i].has_cpu)
			(void)fprintf(out, "%-11s %.2f s of CPU time", name,
				      (double)units[i].cpu_us / 1e6);
		if (units[i].has_memory)
			(void)fprintf(out, "%s%.1f MiB", units[i].has_cpu ? ", " : "",
				      (double)units[i].memory_bytes / MIB);
		if (units[i].has_cpu || units[i].has_memory)
			(void)fputc('\n', out);
	}
}

static void put_lowered(FILE *out, const struct tm_status *status)
{
	unsigned most;
	uint64_t ns = tm_weights_lowered(status->counts.weight_ns, &most);

	if (status->counts.bpf.thinned)
		(void)fprintf(out, "; %" PRIu64 " hits thinned", status->counts.bpf.thinned);
	if (!ns)
		return;
	(void)fputs("; rate lowered for ", out);
	put_duration(out, ns);
	(void)fprintf(out, ", at most to 1/%u", most);
}

void status_write_text(FILE *out, const struct tm_status *status, const struct status_unit *units)
{
	(void)fprintf(out, "tidemark    samples %" PRIu64 " CPUs at %" PRIu64 " Hz, for ",
		      status->counts.cpus, status->hz);
	put_duration(out, since(status, status->started));
	put_lowered(out, status);
	(void)fputc('\n', out);
	put_samples(out, status);
	put_reports(out, status);
	put_resources(out, status, units);
}
