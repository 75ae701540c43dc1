/* SPDX-License-Identifier: Apache-2.0 */
/* status_figures - each figure of the services once: its name, meaning and value */

#include "cli/status_figures.h"

#include "cli/lags.h"
#include "shared/reasons.h"
#include "shared/weights.h"

#define NS_PER_SECOND 1e9
#define US_PER_SECOND 1e6
#define MS_PER_SECOND 1e3
#define PPM           1e6

struct list {
	struct status_figure *figures;
	unsigned count;
};

static void add(struct list *list, const struct status_figure *figure)
{
	if (list->count < STATUS_FIGURES_MAX)
		list->figures[list->count++] = *figure;
}

static void counter(struct list *list, const char *name, const char *help, uint64_t number)
{
	const struct status_figure figure = {
		.name = name, .help = help, .counter = true, .number = (double)number};

	add(list, &figure);
}

static void gauge(struct list *list, const char *name, const char *help, double number)
{
	const struct status_figure figure = {.name = name, .help = help, .number = number};

	add(list, &figure);
}

/* One figure for each reason, zero or not: a series that comes and goes cannot be summed. */
static void reasons(struct list *list, const char *name, const char *help, const uint64_t *numbers,
		    unsigned first, unsigned end, const char *(*reason)(unsigned))
{
	for (unsigned i = first; i < end; i++) {
		const struct status_figure figure = {
			.name = name,
			.help = help,
			.label = "reason",
			.value = reason(i),
			.counter = true,
			.number = (double)numbers[i],
		};

		add(list, &figure);
	}
}

static void add_samples(struct list *list, const struct tm_status *status)
{
	const struct tm_counts *counts = &status->counts;
	const struct tm_result *result = &status->result;
	uint64_t drops[TM_DROP_N];

	for (unsigned i = 0; i < TM_DROP_N; i++)
		drops[i] = counts->drops[i] + result->drops[i];
	counter(list, "samples_taken", "On-CPU samples that the kernel took.", counts->taken);
	counter(list, "samples_exported", "On-CPU samples in reports.", result->exported);
	reasons(list, "samples_dropped", "On-CPU samples that were dropped, by reason.", drops, 0,
		TM_DROP_N, tm_reasons_drop);
	counter(list, "samples_not_run", "On-CPU samples owed by perf events and never run.",
		counts->owed > counts->hits ? counts->owed - counts->hits : 0);
	counter(list, "hits_thinned", "On-CPU hits not taken of an owner beyond his share.",
		counts->bpf.thinned);
	reasons(list, "stacks_truncated", "Stacks that do not reach their root, by reason.",
		result->truncated, TM_STOP_NONE + 1, TM_STOP_N, tm_reasons_stop);
	counter(list, "off_cpu_samples_taken", "Times without a CPU whose stack was taken.",
		counts->off_cpu.taken);
	counter(list, "off_cpu_samples_exported", "The same, in reports.",
		result->off_cpu.exported);
	counter(list, "late_records", "Records older than a published watermark: must be 0.",
		result->late_records);
}

static void add_names(struct list *list, const struct tm_status *status)
{
	const struct tm_counts *counts = &status->counts;
	const struct tm_result *result = &status->result;

	counter(list, "frames", "Frames of all reports.", result->frames);
	reasons(list, "frames_unnamed", "Frames without a name, by reason.", result->unnamed, 0,
		TM_UNNAMED_N, tm_reasons_unnamed);
	reasons(list, "frames_unresolved", "Frames without a mapping, by reason.",
		result->unresolved, 0, TM_UNRESOLVED_N, tm_reasons_unresolved);
	counter(list, "files_opened", "Sampled files that were opened.", counts->files.opened);
	reasons(list, "files_not_opened", "Sampled files without a descriptor, by reason.",
		result->unopened, 0, TM_NO_FILE_N, tm_reasons_no_file);
	reasons(list, "parse_failures", "Requests to the parser that failed, by reason.",
		result->parse_failures, 0, TM_PARSE_N, tm_reasons_parse);
	counter(list, "parsers_lost", "Parsers that exited early.", result->parsers_lost);
	gauge(list, "unwind_tables", "Unwind tables that are loaded.", (double)counts->tables);
	gauge(list, "unwind_table_bytes", "Memory of these.", (double)counts->table_bytes);
	counter(list, "tables_cached", "Tables that the cache on disk had.",
		result->tables_cached + result->symbols_cached);
}

static void add_export(struct list *list, const struct tm_status *status)
{
	const struct tm_export_result *export = &status->result.export;

	reasons(list, "export_requests", "Requests to the receiver of reports, by outcome.",
		export->requests, 0, TM_EXPORT_N, tm_reasons_export);
	reasons(list, "export_samples", "Samples in these requests.", export->samples, 0,
		TM_EXPORT_N, tm_reasons_export);
	counter(list, "export_bytes", "Bytes of these requests.", export->bytes);
	counter(list, "export_rejected_profiles", "Profiles that a receiver took no part of.",
		export->rejected);
}

static double seconds_since(const struct tm_status *status, uint64_t ktime)
{
	return ktime && status->now > ktime ? (double)(status->now - ktime) / NS_PER_SECOND : 0;
}

static void add_lowered(struct list *list, const struct tm_counts *counts)
{
	unsigned most;
	const struct status_figure figure = {
		.name = "rate_lowered_seconds",
		.help = "In which the rate was lower, so that tidemark costs less.",
		.counter = true,
		.number = (double)tm_weights_lowered(counts->weight_ns, &most) / NS_PER_SECOND,
	};

	add(list, &figure);
}

static void add_state(struct list *list, const struct tm_status *status)
{
	const struct tm_export_result *export = &status->result.export;
	const struct tm_counts *counts = &status->counts;

	gauge(list, "up_seconds", "Since the symbolizer attached to the collector.",
	      seconds_since(status, status->started));
	gauge(list, "sampling_hertz", "Samples a second and CPU.", (double)status->hz);
	gauge(list, "cpu_limit_ratio",
	      "What tidemark may cost of the time of all CPUs; 0: no limit.",
	      (double)status->cpu_max_ppm / PPM);
	gauge(list, "interval_seconds", "Between two reports.",
	      (double)status->interval_ms / MS_PER_SECOND);
	counter(list, "reloads", "Configurations that were taken over without a restart.",
		status->reloads);
	counter(list, "reloads_refused", "Messages on the reload socket that do not check.",
		status->reloads_refused);
	add_lowered(list, counts);
	gauge(list, "sampled_cpus", "CPUs that are sampled.", (double)counts->cpus);
	gauge(list, "watermark_lag_seconds", "Age of the watermark.",
	      seconds_since(status, status->watermark));
	gauge(list, "watermark_lag_p99_seconds",
	      "Its age before a publish, 99th percentile of the last hour.",
	      (double)lags_p99_ns(counts) / NS_PER_SECOND);
	counter(list, "reports", "Reports that were made.", status->reports);
	gauge(list, "report_age_seconds", "Since the last report was made.",
	      seconds_since(status, status->reported ? status->reported : status->started));
	gauge(list, "report_seconds", "That the last report took.",
	      (double)status->report_ns / NS_PER_SECOND);
	gauge(list, "spool_bytes", "What the spool holds.", (double)export->spool_bytes);
	gauge(list, "spool_reach_seconds", "How far back the spool reaches.",
	      (double)export->spool_reach_ns / NS_PER_SECOND);
	gauge(list, "spool_least_reach_seconds",
	      "How far back it reaches for whom it was shortened most; 0: for nobody.",
	      (double)export->spool_least_ns / NS_PER_SECOND);
	gauge(list, "ring_bytes", "Size of the ring between collector and symbolizer.",
	      (double)status->ring_bytes);
	gauge(list, "ring_most_bytes", "The most that waited in it.", (double)status->ring_most);
	gauge(list, "bpf_seconds", "Run time of the BPF programs, by their own clock.",
	      (double)counts->bpf_ns / NS_PER_SECOND);
	gauge(list, "bpf_map_bytes", "Memory of the BPF maps.", (double)counts->bpf_map_bytes);
	counter(list, "protocol_violations", "Invalid messages between the services.",
		counts->violations);
	counter(list, "symbolizers_attached", "Symbolizers since the collector's start.",
		counts->attached);
}

static void add_memory(struct list *list, const struct tm_status *status)
{
	const struct tm_result *result = &status->result;

	gauge(list, "memory_limit_bytes", "What the symbolizer may use.",
	      (double)result->memory_limit);
	gauge(list, "memory_peak_bytes", "The most that it used.", (double)result->memory_peak);
	for (unsigned i = 0; i < TM_MEMORY_N; i++) {
		const struct status_figure figure = {
			.name = "memory_share_peak_bytes",
			.help = "The most that each share of it used.",
			.label = "share",
			.value = tm_reasons_memory(i),
			.number = (double)result->memory_peaks[i],
		};

		add(list, &figure);
	}
}

static void add_units(struct list *list, const struct status_unit *units, bool memory)
{
	for (unsigned i = 0; i < STATUS_UNITS_N; i++) {
		const struct status_figure figure = {
			.name = memory ? "unit_memory_bytes" : "unit_cpu_seconds",
			.help = memory ? "Memory of a unit." : "CPU time of a unit.",
			.label = "unit",
			.value = status_units_name((enum status_units_name)i),
			.counter = !memory,
			.number = memory ? (double)units[i].memory_bytes
					 : (double)units[i].cpu_us / US_PER_SECOND,
		};

		if (memory ? units[i].has_memory : units[i].has_cpu)
			add(list, &figure);
	}
}

unsigned status_figures_make(const struct tm_status *status, const struct status_unit *units,
			     struct status_figure ret_figures[STATUS_FIGURES_MAX])
{
	struct list list = {.figures = ret_figures};

	add_state(&list, status);
	add_samples(&list, status);
	add_names(&list, status);
	add_export(&list, status);
	add_memory(&list, status);
	add_units(&list, units, /* memory= */ false);
	add_units(&list, units, /* memory= */ true);
	return list.count;
}
