/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_mappings - the mappings of a pprof message: segments of files, and anonymous memory */

#include <string.h>

#include "symbolizer/output/pprof_message.h"

struct mappings {
	Pprof__Mapping *items; /* id - 1 is the index; segments come first */
	size_t count;
	uint64_t *loose;     /* of each file: id of the mapping beside its segments; 0: none */
	uint64_t *anonymous; /* likewise of each process */
};

static uint64_t add_mapping(struct mappings *mappings, int64_t name)
{
	Pprof__Mapping *mapping = &mappings->items[mappings->count++];

	pprof__mapping__init(mapping);
	mapping->id = mappings->count;
	mapping->filename = name;
	return mapping->id;
}

static void describe_file(Pprof__Mapping *mapping, const struct report_file *file)
{
	mapping->build_id = file->build_id;
	mapping->has_functions = file->has_symbols;
}

static void add_segments(struct pprof_message *message, struct mappings *mappings)
{
	const struct report *report = message->report;

	for (uint32_t i = 0; i < report->segment_count; i++)
		(void)add_mapping(mappings, 0);
	for (uint32_t i = 0; i < report->file_count; i++) {
		const struct report_file *file = &report->files[i];

		for (uint32_t j = 0; j < file->segment_count; j++) {
			uint32_t index = file->first_segment + j;
			const struct report_segment *segment = &report->segments[index];
			Pprof__Mapping *mapping = &mappings->items[index];

			describe_file(mapping, file);
			mapping->filename = message->file_names[i];
			mapping->memory_start = segment->vaddr;
			mapping->memory_limit = segment->vaddr + segment->bytes;
			mapping->file_offset = segment->offset;
		}
	}
}

/* The range of what is in no segment is what was sampled. */
static void widen(Pprof__Mapping *mapping, uint64_t address)
{
	if (mapping->memory_limit == 0 || address < mapping->memory_start)
		mapping->memory_start = address;
	if (address >= mapping->memory_limit)
		mapping->memory_limit = address + 1;
}

/* Addresses are offsets in the file or in the kernel's module: the range begins at 0. */
static uint64_t add_loose(struct pprof_message *message, struct mappings *mappings,
			  const struct report_frame *frame)
{
	uint64_t *id = &mappings->loose[frame->file];

	if (*id == 0) {
		*id = add_mapping(mappings, message->file_names[frame->file]);
		describe_file(&mappings->items[*id - 1], &message->report->files[frame->file]);
		widen(&mappings->items[*id - 1], 0);
	}
	widen(&mappings->items[*id - 1], frame->address);
	return *id;
}

static uint64_t add_anonymous(struct pprof_message *message, struct mappings *mappings,
			      const struct report_frame *frame)
{
	uint64_t *id = &mappings->anonymous[frame->process];

	if (*id == 0)
		*id = add_mapping(mappings, message->anonymous_names[frame->process]);
	widen(&mappings->items[*id - 1], frame->address);
	return *id;
}

static uint64_t mapping_of(struct pprof_message *message, struct mappings *mappings,
			   const struct report_frame *frame)
{
	if (frame->segment != REPORT_NO_SEGMENT)
		return (uint64_t)frame->segment + 1;
	if (frame->file != REPORT_NO_FILE)
		return add_loose(message, mappings, frame);
	if (frame->process != REPORT_NO_PROCESS)
		return add_anonymous(message, mappings, frame);
	return 0;
}

/* What is known of one frame is known of its mapping. */
static void note_names(const struct report *report, const struct report_frame *frame,
		       Pprof__Mapping *mapping)
{
	mapping->has_functions |= !frame->unnamed || frame->call_count > 1;
	mapping->has_inline_frames |= frame->call_count > 1;
	for (uint32_t i = 0; i < frame->call_count; i++) {
		const struct report_call *call = &report->calls[frame->first_call + i];

		mapping->has_filenames |= call->path != 0;
		mapping->has_line_numbers |= call->line != 0;
	}
}

static void place_frames(struct pprof_message *message, struct mappings *mappings)
{
	const struct report *report = message->report;

	for (uint32_t i = 0; i < report->frame_count; i++) {
		const struct report_frame *frame = &report->frames[i];
		uint64_t id = mapping_of(message, mappings, frame);

		message->mapping_ids[i] = id;
		if (id != 0)
			note_names(report, frame, &mappings->items[id - 1]);
	}
}

/* Whether the mapping is of the only executable. */
static bool is_main(const struct pprof_message *message, const Pprof__Mapping *mapping)
{
	const struct report *report = message->report;

	return report->process_count == 1 && report->processes[0].exe != 0 &&
	       mapping->filename == report->processes[0].exe;
}

/* The synthetic mapping's name: the only executable, or how many there are. */
static int64_t main_name(const struct pprof_message *message)
{
	const struct report *report = message->report;

	if (report->process_count == 1 && report->processes[0].exe != 0)
		return report->processes[0].exe;
	return pprof_extra(message, PPROF_MAIN);
}

static void list_mappings(struct pprof_message *message, struct mappings *mappings,
			  Pprof__Mapping **list)
{
	size_t first = 0, used = 1;

	while (first < mappings->count && !is_main(message, &mappings->items[first]))
		first++;
	if (first == mappings->count)
		(void)add_mapping(mappings, main_name(message));
	list[0] = &mappings->items[first];
	for (size_t i = 0; i < mappings->count; i++)
		if (i != first)
			list[used++] = &mappings->items[i];
	message->profile.n_mapping = mappings->count;
	message->profile.mapping = list;
}

void pprof_fill_mappings(struct pprof_message *message)
{
	const struct report *report = message->report;
	size_t capacity =
		(size_t)report->segment_count + report->file_count + report->process_count + 1;
	Pprof__Mapping **list = pprof_take(message, capacity, sizeof(Pprof__Mapping *));
	struct mappings mappings = {
		.items = pprof_take(message, capacity, sizeof(*mappings.items)),
		.loose = pprof_take(message, report->file_count, sizeof(*mappings.loose)),
		.anonymous =
			pprof_take(message, report->process_count, sizeof(*mappings.anonymous)),
	};

	message->mapping_ids = pprof_take(message, report->frame_count, sizeof(uint64_t));
	if (message->error != 0)
		return;
	add_segments(message, &mappings);
	place_frames(message, &mappings);
	list_mappings(message, &mappings, list);
}
