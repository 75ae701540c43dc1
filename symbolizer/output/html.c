/* SPDX-License-Identifier: Apache-2.0 */
/* html - the profile as one self-contained HTML page */

#include <errno.h>

#include "output_version.h"
#include "page_assets.h"
#include "shared/cleanup.h"
#include "shared/reasons.h"
#include "symbolizer/output/html_threads.h"
#include "symbolizer/output/html_tree.h"
#include "symbolizer/output/output_file.h"
#include "symbolizer/output/report.h"

#define NS_PER_MS     1000000ull
#define NS_PER_SECOND 1e9
#define NO_FILE       (-1) /* of the page alone */

/* Begins a member of the object that the page reads; the first one follows the brace. */
static void key(struct output_file *out, const char *name)
{
	output_file_format(out, ",\n\"%s\":", name);
}

/* One element of an array. */
static void element(struct output_file *out, uint32_t at, uint64_t number)
{
	if (at > 0)
		output_file_bytes(out, ",", 1);
	output_file_number(out, number);
}

static void write_reasons(struct output_file *out, const char *name, const uint64_t *counts,
			  unsigned first, unsigned end, const char *(*reason)(unsigned))
{
	const char *separator = "";

	key(out, name);
	output_file_text(out, "{");
	for (unsigned i = first; i < end; i++) {
		if (counts[i] == 0)
			continue;
		output_file_format(out, "%s\"%s\":", separator, reason(i));
		output_file_number(out, counts[i]);
		separator = ",";
	}
	output_file_text(out, "}");
}

/* The first key of the object. */
static void write_number(struct output_file *out, const char *name, uint64_t number)
{
	output_file_format(out, "\"%s\":", name);
	output_file_number(out, number);
}

struct named_number {
	const char *name;
	uint64_t number;
};

static void write_numbers(struct output_file *out, const struct named_number *numbers,
			  unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		key(out, numbers[i].name);
		output_file_number(out, numbers[i].number);
	}
}

static void write_off_cpu(struct output_file *out, const struct report_off_cpu *off_cpu)
{
	const struct named_number numbers[] = {
		{"taken_ns", off_cpu->taken_ns},
		{"exported", off_cpu->exported},
		{"exported_ns", off_cpu->exported_ns},
		{"times", off_cpu->times},
		{"times_ns", off_cpu->times_ns},
		{"untracked", off_cpu->untracked},
		{"unseen_ns", off_cpu->unseen_ns},
		{"in_progress", off_cpu->in_progress},
		{"in_progress_ns", off_cpu->in_progress_ns},
	};

	key(out, "off_cpu");
	output_file_text(out, "{");
	write_number(out, "taken", off_cpu->taken);
	write_numbers(out, numbers, sizeof(numbers) / sizeof(*numbers));
	write_reasons(out, "dropped", off_cpu->drops, 0, TM_DROP_N, tm_reasons_drop);
	write_reasons(out, "dropped_ns", off_cpu->drops_ns, 0, TM_DROP_N, tm_reasons_drop);
	write_reasons(out, "truncated", off_cpu->truncated, TM_STOP_NONE + 1, TM_STOP_N,
		      tm_reasons_stop);
	output_file_text(out, "}");
}

/* When what the samples are compared with was recorded. */
static void write_base(struct output_file *out, const struct report *base)
{
	key(out, "compare");
	output_file_text(out, "{");
	write_number(out, "start_ms", base->start_unix_ns / NS_PER_MS);
	output_file_format(out, ",\"seconds\":%.6f}", (double)base->duration_ns / NS_PER_SECOND);
}

static void write_summary(struct output_file *out, const struct report *report)
{
	const struct named_number numbers[] = {
		{"hz", report->hz},
		{"start_ms", report->start_unix_ns / NS_PER_MS},
		{"taken", report->taken},
		{"exported", report->exported},
		{"not_run", report->not_run},
		{"thinned", report->thinned},
		{"late_records", report->late_records},
		{"merged", report->merged},
		{"frames_shown", report->frames_shown},
		{"unnamed_frames", report->unnamed_frames},
	};

	output_file_text(out, "{\"version\":\"" OUTPUT_VERSION "\"");
	key(out, "title");
	output_file_json_string(out, report->title ? report->title : "");
	key(out, "seconds");
	output_file_format(out, "%.6f", (double)report->duration_ns / NS_PER_SECOND);
	write_numbers(out, numbers, sizeof(numbers) / sizeof(*numbers));
	write_reasons(out, "dropped", report->drops, 0, TM_DROP_N, tm_reasons_drop);
	write_reasons(out, "truncated", report->truncated, TM_STOP_NONE + 1, TM_STOP_N,
		      tm_reasons_stop);
	write_reasons(out, "unnamed", report->unnamed, 0, TM_UNNAMED_N, tm_reasons_unnamed);
	write_reasons(out, "not_opened", report->unopened, 0, TM_NO_FILE_N, tm_reasons_no_file);
	if (report_has(report, TM_SAMPLE_OFF_CPU))
		write_off_cpu(out, &report->off_cpu);
	if (report->base)
		write_base(out, report->base);
	key(out, "reasons");
	output_file_text(out, "[");
	for (unsigned stop = TM_STOP_NONE + 1; stop < TM_STOP_N; stop++)
		output_file_format(out, "%s\"%s\"", stop > TM_STOP_NONE + 1 ? "," : "",
				   tm_reasons_stop(stop));
	output_file_text(out, "]");
	key(out, "states");
	output_file_text(out, "[");
	for (unsigned state = TM_THREAD_ON_CPU + 1; state < TM_THREAD_STATES_N; state++)
		output_file_format(out, "%s\"%s\"", state > TM_THREAD_ON_CPU + 1 ? "," : "",
				   tm_reasons_thread(state));
	output_file_text(out, "]");
}

static void write_strings(struct output_file *out, const struct report *report)
{
	key(out, "strings");
	output_file_text(out, "[");
	for (uint32_t i = 0; i < report->string_count; i++) {
		output_file_text(out, i > 0 ? ",\n" : "");
		output_file_json_string(out, report->strings[i]);
	}
	output_file_text(out, "]");
}

static void write_files(struct output_file *out, const struct report *report)
{
	key(out, "files"); /* path, build id, deleted */
	output_file_text(out, "[");
	for (uint32_t i = 0; i < report->file_count; i++) {
		const struct report_file *file = &report->files[i];

		output_file_format(out, "%s[%u,%u,%u]", i > 0 ? "," : "", file->path,
				   file->build_id, file->deleted ? 1u : 0u);
	}
	output_file_text(out, "]");
}

static void write_functions(struct output_file *out, const struct functions *functions)
{
	key(out, "functions"); /* name, file, kind, unnamed, source file, line of it */
	output_file_text(out, "[");
	for (uint32_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->items[i];

		output_file_format(out, "%s[%u,%d,%u,%u,%u,%u]", i > 0 ? "," : "", function->name,
				   function->file == REPORT_NO_FILE ? NO_FILE : (int)function->file,
				   function->kind, function->unnamed ? 1u : 0u, function->path,
				   function->line);
	}
	output_file_text(out, "]");
}

static void write_processes(struct output_file *out, const struct report *report)
{
	key(out,
	    "processes"); /* tgid, in its own namespace, comm, exe, cgroup, container, pod, reuse */
	output_file_text(out, "[");
	for (uint32_t i = 0; i < report->process_count; i++) {
		const struct report_process *process = &report->processes[i];

		output_file_format(out, "%s[%u,%u,%u,%u,%u,%u,%u,%u]", i > 0 ? "," : "",
				   process->tgid, process->ns_tgid, process->comm, process->exe,
				   process->cgroup, process->container, process->pod,
				   process->reuse);
	}
	output_file_text(out, "]");
}

static void write_tree(struct output_file *out, const struct html_tree *tree)
{
	key(out, "up");
	output_file_text(out, "[");
	for (uint32_t i = 0; i < tree->node_count; i++)
		element(out, i, tree->up[i]);
	output_file_text(out, "]");
	key(out, "node_class"); /* 2 * function + 1 if inlined */
	output_file_text(out, "[");
	for (uint32_t i = 0; i < tree->node_count; i++)
		element(out, i, tree->class[i]);
	output_file_text(out, "]");
	key(out, "node_lines"); /* first, last - first: flat; empty if no line is known */
	output_file_text(out, "[");
	for (uint32_t i = 0; tree->has_lines && i < tree->node_count; i++) {
		element(out, i, tree->lines[i].first);
		element(out, 1, tree->lines[i].last - tree->lines[i].first);
	}
	output_file_text(out, "]");
	key(out, "threads"); /* process, tid, comm */
	output_file_text(out, "[");
	for (uint32_t i = 0; i < tree->thread_count; i++)
		output_file_format(out, "%s[%u,%u,%u]", i > 0 ? "," : "", tree->threads[i].process,
				   tree->threads[i].tid, tree->threads[i].comm);
	output_file_text(out, "]");
}

static bool is_of(const struct html_tree_sample *sample, unsigned kind, bool base)
{
	return sample->kind == kind && sample->base == base;
}

/* Leaf + 1 as the difference to the sample before (0: no frames), thread, count: flat. */
static void write_samples(struct output_file *out, const struct html_tree *tree, unsigned kind,
			  bool base)
{
	uint32_t last = 0, at = 0;

	output_file_text(out, "\"samples\":[");
	for (uint32_t i = 0; i < tree->sample_count; i++) {
		const struct html_tree_sample *sample = &tree->samples[i];
		uint32_t leaf = sample->node == HTML_TREE_NO_NODE ? 0 : sample->node + 1;

		if (!is_of(sample, kind, base))
			continue;
		element(out, at++, leaf - last);
		element(out, 1, sample->thread);
		element(out, 1, sample->count);
		last = leaf;
	}
	output_file_text(out, "]");
}

/* Of the same samples, ns; empty if each is its count times the period. */
static void write_values(struct output_file *out, const struct html_tree *tree, unsigned kind,
			 bool base, uint64_t period_ns)
{
	bool listed = false;
	uint32_t at = 0;

	for (uint32_t i = 0; i < tree->sample_count && !listed; i++) {
		const struct html_tree_sample *sample = &tree->samples[i];

		listed = is_of(sample, kind, base) && sample->value != sample->count * period_ns;
	}
	output_file_text(out, ",\"values\":[");
	for (uint32_t i = 0; listed && i < tree->sample_count; i++)
		if (is_of(&tree->samples[i], kind, base))
			element(out, at++, tree->samples[i].value);
	output_file_text(out, "]");
}

static void write_kinds(struct output_file *out, const struct report *report,
			const struct html_tree *tree)
{
	static const char *const names[TM_SAMPLE_KINDS_N] = {
		[TM_SAMPLE_ON_CPU] = "CPU",
		[TM_SAMPLE_OFF_CPU] = "off-CPU",
	};
	const char *separator = "";

	key(out, "kinds");
	output_file_text(out, "[");
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		uint64_t period_ns = kind == TM_SAMPLE_ON_CPU ? report->period_ns : 0;

		if (!(report->kinds >> kind & 1))
			continue;
		output_file_format(out, "%s{\"name\":\"%s\",\"period_ns\":", separator,
				   names[kind]);
		output_file_number(out, period_ns);
		output_file_text(out, ",");
		write_samples(out, tree, kind, /* base= */ false);
		write_values(out, tree, kind, /* base= */ false, period_ns);
		if (report->base) {
			output_file_text(out, ",\"base\":{");
			write_samples(out, tree, kind, /* base= */ true);
			write_values(out, tree, kind, /* base= */ true, period_ns);
			output_file_text(out, "}");
		}
		output_file_text(out, "}");
		separator = ",\n";
	}
	output_file_text(out, "]");
}

int html_write(struct output_file *out, const struct report *report)
{
	_cleanup_(html_tree_deinit) struct html_tree tree = {0};
	int r = html_tree_init(&tree, report);

	if (r < 0)
		return r;
	output_file_bytes(out, page_before_data, sizeof(page_before_data));
	write_summary(out, report);
	write_strings(out, report);
	write_files(out, report);
	write_functions(out, &tree.functions);
	write_processes(out, report);
	write_tree(out, &tree);
	write_kinds(out, report, &tree);
	if (report_has(report, TM_SAMPLE_OFF_CPU) && !report->threads_absent)
		html_threads_write(out, report);
	output_file_text(out, "}\n");
	output_file_bytes(out, page_after_data, sizeof(page_after_data));
	return output_file_finish(out);
}
