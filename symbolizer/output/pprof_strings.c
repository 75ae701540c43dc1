/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_strings - the string table of a pprof message */

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "shared/reasons.h"
#include "symbolizer/output/pprof_message.h"

#define ANONYMOUS_BYTES sizeof("[anon pid 4294967295 start 18446744073709551615 exec 4294967295]")

static const char *const fixed_texts[] = {
	[PPROF_SAMPLES] = "samples",
	[PPROF_COUNT] = "count",
	[PPROF_CPU] = "cpu",
	[PPROF_OFF_CPU_SAMPLES] = "off_cpu_samples",
	[PPROF_OFF_CPU] = "off_cpu",
	[PPROF_NANOSECONDS] = "nanoseconds",
	[PPROF_PID] = "pid",
	[PPROF_PROCESS_START] = "process_start",
	[PPROF_EXEC_ID] = "exec_id",
	[PPROF_TID] = "tid",
	[PPROF_COMM] = "comm",
	[PPROF_CGROUP] = "cgroup",
	[PPROF_CONTAINER] = "container_id",
	[PPROF_POD] = "pod_uid",
	[PPROF_TRUNCATED] = "truncated",
	[PPROF_THREAD_STATE] = "thread_state",
};

struct table { /* the report's strings, ours, then names of files and of anonymous memory */
	const char **strings;
	size_t count;
	char *text; /* where the next of those names is made */
	size_t bytes_left;
};

static void fill_extra_texts(struct pprof_message *message)
{
	const struct report *report = message->report;

	snprintf(message->texts[PPROF_MAIN], PPROF_TEXT_BYTES, "[%" PRIu32 " processes]",
		 report->process_count);
	for (unsigned stop = 0; stop < TM_STOP_N; stop++) {
		snprintf(message->texts[PPROF_STOP_WORDS + stop], PPROF_TEXT_BYTES, "%s",
			 tm_reasons_stop(stop));
		snprintf(message->texts[PPROF_STOP_FRAMES + stop], PPROF_TEXT_BYTES,
			 "[truncated: %s]", tm_reasons_stop(stop));
	}
	for (unsigned state = 0; state < TM_THREAD_STATES_N; state++)
		snprintf(message->texts[PPROF_STATES + state], PPROF_TEXT_BYTES, "%s",
			 tm_reasons_thread(state));
	/* some readers drop a sample without any location */
	snprintf(message->texts[PPROF_STOP_FRAMES + (unsigned)TM_STOP_NONE], PPROF_TEXT_BYTES,
		 "[no frames]");
	completeness_format(report, message->completeness);
}

/* text_bytes is the room for all of them. */
static int64_t __attribute__((format(printf, 2, 3)))
add_text(struct table *table, const char *format, ...)
{
	size_t bytes;
	va_list arguments;

	va_start(arguments, format);
	bytes = (size_t)vsnprintf(table->text, table->bytes_left, format, arguments) + 1;
	va_end(arguments);
	assert(bytes <= table->bytes_left);
	table->strings[table->count] = table->text;
	table->text += bytes;
	table->bytes_left -= bytes;
	return (int64_t)table->count++;
}

/*
 * Readers look for a file at its path. One that has none, the kernel, a module or named memory,
 * gets its name in brackets. A deleted one without symbols is marked as the kernel marks it, lest
 * they name its functions by what took its place; the others keep their path, whatever it says.
 */
static int64_t name_file(struct table *table, const struct report *report,
			 const struct report_file *file)
{
	const char *path = report->strings[file->path];

	if (file->is_kernel || path[0] != '/')
		return path[0] == '[' ? file->path : add_text(table, "[%s]", path);
	return file->deleted && !file->has_symbols ? add_text(table, "%s (deleted)", path)
						   : file->path;
}

static void name_files(struct pprof_message *message, struct table *table)
{
	const struct report *report = message->report;

	for (uint32_t i = 0; i < report->file_count; i++)
		message->file_names[i] = name_file(table, report, &report->files[i]);
}

/* By generation, so that readers who merge profiles never unite those of two. */
static void name_anonymous_memory(struct pprof_message *message, struct table *table)
{
	const struct report *report = message->report;

	for (uint32_t i = 0; i < report->frame_count; i++) {
		uint32_t index = report->frames[i].process;
		const struct report_process *process;

		if (index == REPORT_NO_PROCESS || message->anonymous_names[index] != 0)
			continue;
		process = &report->processes[index];
		message->anonymous_names[index] =
			add_text(table, "[anon pid %" PRIu32 " start %" PRIu64 " exec %" PRIu32 "]",
				 process->tgid, process->start_boottime, process->exec_id);
	}
}

/* Of the texts of all names that may be made. */
static size_t text_bytes(const struct report *report)
{
	size_t bytes = ANONYMOUS_BYTES * (size_t)report->process_count;

	for (uint32_t i = 0; i < report->file_count; i++)
		bytes += strlen(report->strings[report->files[i].path]) + sizeof(" (deleted)");
	return bytes;
}

void pprof_fill_strings(struct pprof_message *message)
{
	const struct report *report = message->report;
	struct table table = {.count = (size_t)report->string_count + PPROF_EXTRA_N};

	table.strings =
		pprof_take(message, table.count + report->file_count + report->process_count,
			   sizeof(*table.strings));
	table.bytes_left = text_bytes(report);
	table.text = pprof_take(message, table.bytes_left, 1);
	message->file_names = pprof_take(message, report->file_count, sizeof(int64_t));
	message->anonymous_names = pprof_take(message, report->process_count, sizeof(int64_t));
	if (message->error != 0)
		return;
	fill_extra_texts(message);
	memcpy(table.strings, report->strings, sizeof(*table.strings) * report->string_count);
	for (unsigned i = 0; i < PPROF_EXTRA_N; i++)
		table.strings[report->string_count + i] = message->texts[i];
	for (unsigned i = 0; i < sizeof(fixed_texts) / sizeof(*fixed_texts); i++)
		table.strings[report->string_count + i] = fixed_texts[i];
	table.strings[report->string_count + PPROF_COMPLETENESS] = message->completeness;
	name_files(message, &table);
	name_anonymous_memory(message, &table);
	message->profile.n_string_table = table.count;
	message->profile.string_table = (char **)(uintptr_t)table.strings;
}
