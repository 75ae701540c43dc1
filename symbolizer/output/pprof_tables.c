/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_tables - strings, mappings, functions and locations of a pprof message */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/reasons.h"
#include "symbolizer/output/pprof_message.h"

static const char *const fixed_texts[] = {
	[PPROF_SAMPLES] = "samples",
	[PPROF_COUNT] = "count",
	[PPROF_CPU] = "cpu",
	[PPROF_NANOSECONDS] = "nanoseconds",
	[PPROF_PID] = "pid",
	[PPROF_TID] = "tid",
	[PPROF_COMM] = "comm",
	[PPROF_CGROUP] = "cgroup",
	[PPROF_CONTAINER] = "container_id",
	[PPROF_POD] = "pod_uid",
	[PPROF_TRUNCATED] = "truncated",
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
	/* some readers drop a sample without any location */
	snprintf(message->texts[PPROF_STOP_FRAMES + (unsigned)TM_STOP_NONE], PPROF_TEXT_BYTES,
		 "[no frames]");
	completeness_format(report, message->completeness);
}

/* Whether a reader may look for the file: not the kernel, a module, or named memory. */
static bool has_path(const struct report *report, const struct report_file *file)
{
	return !file->is_kernel && report->strings[file->path][0] == '/';
}

/* Whether its name has no brackets yet: some names have them already. */
static bool is_bare(const struct report *report, const struct report_file *file)
{
	return !has_path(report, file) && report->strings[file->path][0] != '[';
}

/*
 * Files without a path get their name in brackets: readers look for no such file. Return: strings
 * added at list, one for each such file in their order.
 */
static size_t fill_bracketed(struct pprof_message *message, const char **list)
{
	const struct report *report = message->report;
	size_t bytes = 0, count = 0;
	char *at;

	for (uint32_t i = 0; i < report->file_count; i++)
		bytes += strlen(report->strings[report->files[i].path]) + sizeof("[]");
	at = pprof_take(message, bytes, 1);
	for (uint32_t i = 0; at && i < report->file_count; i++) {
		size_t length = strlen(report->strings[report->files[i].path]);

		if (!is_bare(report, &report->files[i]))
			continue;
		list[count++] = at;
		*at++ = '[';
		memcpy(at, report->strings[report->files[i].path], length);
		at += length;
		*at++ = ']';
		*at++ = '\0';
	}
	return count;
}

/* The report's strings, ours, then bracketed names. */
void pprof_fill_strings(struct pprof_message *message)
{
	const struct report *report = message->report;
	size_t count = (size_t)report->string_count + PPROF_EXTRA_N;
	const char **list = pprof_take(message, count + report->file_count, sizeof(*list));

	if (!list)
		return;
	fill_extra_texts(message);
	memcpy(list, report->strings, sizeof(*list) * report->string_count);
	for (unsigned i = 0; i < PPROF_EXTRA_N; i++)
		list[report->string_count + i] = message->texts[i];
	for (unsigned i = 0; i < sizeof(fixed_texts) / sizeof(*fixed_texts); i++)
		list[report->string_count + i] = fixed_texts[i];
	list[report->string_count + PPROF_COMPLETENESS] = message->completeness;
	count += fill_bracketed(message, list + count);
	message->profile.n_string_table = count;
	message->profile.string_table = (char **)(uintptr_t)list;
}

/* The executable's file if one process was recorded and it is among the files. */
static uint32_t main_file(const struct report *report)
{
	if (report->process_count != 1)
		return REPORT_NO_FILE;
	for (uint32_t i = 0; i < report->file_count; i++) {
		const char *path = report->strings[report->files[i].path];

		if (*path && strcmp(path, report->strings[report->processes[0].exe]) == 0)
			return i;
	}
	return REPORT_NO_FILE;
}

/* The synthetic mapping's name: the only executable, or how many there are. */
static int64_t main_name(const struct pprof_message *message)
{
	const struct report *report = message->report;

	if (report->process_count == 1 && report->processes[0].exe != 0)
		return report->processes[0].exe;
	return pprof_extra(message, PPROF_MAIN);
}

/* Where the segment is not known, addresses are file offsets: the range is what was sampled. */
static void widen_mappings(const struct report *report, Pprof__Mapping *mappings)
{
	for (uint32_t i = 0; i < report->frame_count; i++) {
		const struct report_frame *frame = &report->frames[i];

		if (frame->file == REPORT_NO_FILE || report->files[frame->file].segment_count > 0)
			continue;
		if (frame->address >= mappings[frame->file].memory_limit)
			mappings[frame->file].memory_limit = frame->address + 1;
	}
}

void pprof_fill_mappings(struct pprof_message *message)
{
	const struct report *report = message->report;
	uint32_t first = main_file(report);
	size_t count = report->file_count + (first == REPORT_NO_FILE ? 1u : 0u);
	Pprof__Mapping *mappings = pprof_take(message, count, sizeof(*mappings));
	Pprof__Mapping **list = pprof_take(message, count, sizeof(Pprof__Mapping *));
	int64_t bracketed = pprof_extra(message, PPROF_EXTRA_N);
	size_t used = 1;

	if (!mappings || !list)
		return;
	for (uint32_t i = 0; i < count; i++) {
		pprof__mapping__init(&mappings[i]);
		mappings[i].id = (uint64_t)i + 1;
	}
	for (uint32_t i = 0; i < report->file_count; i++) {
		const struct report_file *file = &report->files[i];

		if (file->segment_count > 0) {
			const struct report_segment *segment =
				&report->segments[file->first_segment];

			mappings[i].memory_start = segment->vaddr;
			mappings[i].memory_limit = segment->vaddr + segment->bytes;
			mappings[i].file_offset = segment->offset;
		}
		mappings[i].filename = is_bare(report, file) ? bracketed++ : file->path;
		mappings[i].build_id = file->build_id;
		/* else readers would name its frames themselves, from the file at the path */
		mappings[i].has_functions =
			file->has_symbols || file->deleted || !has_path(report, file);
		if (i != first)
			list[used++] = &mappings[i];
	}
	widen_mappings(report, mappings);
	if (first == REPORT_NO_FILE) {
		first = report->file_count;
		mappings[first].filename = main_name(message);
		mappings[first].has_functions = 1;
	}
	list[0] = &mappings[first];
	message->profile.n_mapping = count;
	message->profile.mapping = list;
}

/*
 * One function per name: the source file, by which readers would distinguish them, is not known.
 * Ids have no gaps: readers that name further frames continue the numbering.
 */
void pprof_fill_functions(struct pprof_message *message)
{
	const struct report *report = message->report;
	size_t names = message->profile.n_string_table;
	Pprof__Function *functions = pprof_take(message, names, sizeof(*functions));
	Pprof__Function **list = pprof_take(message, names, sizeof(Pprof__Function *));
	uint64_t *ids = pprof_take(message, names, sizeof(*ids)); /* by name; 0: no function */
	size_t count = 0;

	if (!functions || !list || !ids)
		return;
	for (uint32_t i = 0; i < report->frame_count; i++)
		ids[report_outermost(report, &report->frames[i])->name] = 1;
	for (unsigned stop = 0; stop < TM_STOP_N; stop++)
		ids[pprof_extra(message, PPROF_STOP_FRAMES + stop)] = 1;
	for (size_t name = 0; name < names; name++) {
		if (ids[name] == 0)
			continue;
		pprof__function__init(&functions[count]);
		functions[count].id = ids[name] = count + 1;
		functions[count].name = (int64_t)name;
		functions[count].system_name = (int64_t)name;
		list[count] = &functions[count];
		count++;
	}
	message->function_ids = ids;
	message->profile.n_function = count;
	message->profile.function = list;
}

void pprof_fill_locations(struct pprof_message *message)
{
	const struct report *report = message->report;
	size_t count = (size_t)report->frame_count + TM_STOP_N;
	Pprof__Location *locations = pprof_take(message, count, sizeof(*locations));
	Pprof__Location **list = pprof_take(message, count, sizeof(Pprof__Location *));
	Pprof__Line *lines = pprof_take(message, count, sizeof(*lines));
	Pprof__Line **line_list = pprof_take(message, count, sizeof(Pprof__Line *));

	if (!locations || !list || !lines || !line_list)
		return;
	for (size_t i = 0; i < count; i++) {
		pprof__location__init(&locations[i]);
		pprof__line__init(&lines[i]);
		line_list[i] = &lines[i];
		list[i] = &locations[i];
		locations[i].id = i + 1;
		locations[i].n_line = 1;
		locations[i].line = &line_list[i];
	}
	for (uint32_t i = 0; i < report->frame_count; i++) {
		const struct report_frame *frame = &report->frames[i];

		if (frame->file != REPORT_NO_FILE)
			locations[i].mapping_id = (uint64_t)frame->file + 1;
		locations[i].address = frame->address;
		lines[i].function_id = message->function_ids[report_outermost(report, frame)->name];
	}
	for (unsigned stop = 0; stop < TM_STOP_N; stop++)
		lines[pprof_stop_location(message, stop) - 1].function_id =
			message->function_ids[pprof_extra(message, PPROF_STOP_FRAMES + stop)];
	message->profile.n_location = count;
	message->profile.location = list;
}
