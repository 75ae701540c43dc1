/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_names - gives the places of a report their inlined calls and source lines
 */

#include "symbolizer/names/line_names.h"

#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/region.h"
#include "symbolizer/base/sort.h"

#define FILE_SHIFT 40
#define DEBUG_INFO (PARSER_SYMBOLS_HAS_DWARF | PARSER_SYMBOLS_HAS_GO_LINES)

struct work { /* file by file, place by place in the order of their addresses */
	struct line_names *lines;
	struct name_table *names;
	const struct files *files;
	uint32_t *order;  /* owned: the places that have an address */
	uint64_t *vaddrs; /* owned: what one file misses */
	uint32_t count;
};

void line_names_init(struct line_names *lines, struct line_requests *requests,
		     const struct hash_seed *seed)
{
	lines->requests = requests;
	line_cache_init(&lines->cache, LINE_CACHE_BYTES, seed);
}

void line_names_deinit(struct line_names *lines)
{
	line_cache_deinit(&lines->cache);
}

/* --- results ---------------------------------------------------------------------------------- */

/* Of a separate debug file, too: it has the build id of the sampled one. */
static bool is_of_file(const struct lines_check *checked,
		       const struct line_requests_build_id *build_id)
{
	return checked->header->build_id_bytes == build_id->bytes &&
	       memcmp(checked->header->build_id, build_id->id, build_id->bytes) == 0;
}

/* Takes all of @result. */
static void keep_result(struct line_names *lines, struct line_requests_result *result)
{
	struct tm_region region = TM_REGION_NULL;
	struct lines_check checked;

	if (tm_region_open_blob(&region, result->fd, LINES_CHECK_MAX_BYTES)) {
		(void)tm_close(result->fd);
		line_requests_refuse(lines->requests, &result->identity);
	} else if (lines_check_check(&checked, region.addr, region.bytes, result->count) ||
		   !is_of_file(&checked, &result->build_id)) {
		line_requests_refuse(lines->requests, &result->identity);
	} else {
		for (uint32_t i = 0; i < result->count; i++)
			line_cache_add(&lines->cache, &result->identity, result->vaddrs[i],
				       &checked, &checked.places[i]);
	}
	tm_region_close(&region);
	free(result->vaddrs);
}

static void keep_results(struct line_names *lines, int64_t end_ms)
{
	struct line_requests_result result;

	while (line_requests_next_result(lines->requests, end_ms, &result) == 0)
		keep_result(lines, &result);
}

/* --- places ----------------------------------------------------------------------------------- */

static uint32_t file_of(const struct name_table_place *place)
{
	return (uint32_t)(place->key >> FILE_SHIFT);
}

static int by_address(uint32_t a, uint32_t b, const void *context)
{
	const struct name_table_place *places = context;

	if (file_of(&places[a]) != file_of(&places[b]))
		return sort_by_number(file_of(&places[a]), file_of(&places[b]));
	return sort_by_number(places[a].vaddr, places[b].vaddr);
}

/* A place that a segment holds, of a file. */
static bool is_wanted(const struct name_table_place *place)
{
	return place->has_vaddr && file_of(place) != NAME_TABLE_VDSO;
}

static void add_call(struct name_table *names, const struct line_record *record,
		     const struct parser_call *call)
{
	const char *function = line_record_text(record, call->function);
	const char *path = line_record_text(record, call->file);
	struct name_table_call added = {.line = call->line, .start_line = call->start_line};

	if (strings_add(names->strings, function, strlen(function), &added.function) ||
	    strings_add(names->strings, path, strlen(path), &added.path))
		return;
	names->calls[names->call_count++] = added;
}

/* Return: whether all of its calls are there. */
static bool add_calls(struct name_table *names, struct name_table_place *place,
		      const struct line_record *record)
{
	const uint32_t first = names->call_count;

	if (budget_grow(names->strings->budget, &names->calls, &names->call_capacity,
			first + record->call_count, sizeof(*names->calls)))
		return false;
	for (uint32_t i = 0; i < record->call_count; i++)
		add_call(names, record, &record->calls[i]);
	if (names->call_count - first < record->call_count) {
		names->call_count = first;
		return false;
	}
	place->first_call = first;
	place->call_count = record->call_count;
	return true;
}

static void take_record(struct name_table *names, struct name_table_place *place,
			const struct line_record *record)
{
	if (!record->call_count)
		place->no_line = record->flags & PARSER_LINES_SPLIT_DEBUG ? TM_NO_LINE_SPLIT_DEBUG
									  : TM_NO_LINE_NOT_COVERED;
	else if (!add_calls(names, place, record))
		place->no_line = TM_NO_LINE_MEMORY;
	else
		place->no_line = record->calls[0].line ? TM_NO_LINE_N : TM_NO_LINE_NOT_COVERED;
}

/* --- one file --------------------------------------------------------------------------------- */

/* A file without .symtab is asked for a debug file before this (debug_files.h). Of one that has a
 * .symtab and a build id, only the request for its lines tells. */
bool line_names_may_have(const struct symbol_store_pin *pin)
{
	const struct parser_symbol_table *own = pin->table.header, *debug = pin->debug.header;

	if (!own || own->flags & DEBUG_INFO)
		return own;
	if (debug)
		return debug->flags & PARSER_SYMBOLS_HAS_DWARF;
	return own->flags & PARSER_SYMBOLS_HAS_SYMTAB && own->build_id_bytes;
}

struct line_requests_build_id line_names_build_id(const struct parser_symbol_table *header)
{
	struct line_requests_build_id build_id = {.bytes = header->build_id_bytes};

	memcpy(build_id.id, header->build_id, sizeof(build_id.id));
	return build_id;
}

/* Asks for those of @places (of one file) that are not in the cache. Return: whether any was. */
static bool want_missing(struct work *work, const struct name_table_file *file,
			 const uint32_t *places, uint32_t count)
{
	const struct line_requests_build_id build_id = line_names_build_id(file->pin.table.header);
	const struct name_table_place *all = work->names->places;
	const struct tm_identity *identity = &work->files->items[file_of(&all[*places])].identity;
	uint32_t missing = 0;
	uint64_t misses = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct name_table_place *place = &all[places[i]];

		if (line_cache_find(&work->lines->cache, identity, place->vaddr))
			continue;
		misses += place->weight;
		if (!missing || work->vaddrs[missing - 1] != place->vaddr)
			work->vaddrs[missing++] = place->vaddr;
	}
	(void)line_requests_want(work->lines->requests, identity, &build_id, work->vaddrs, missing,
				 misses);
	return missing > 0;
}

static void fill_file(struct work *work, const uint32_t *places, uint32_t count)
{
	struct name_table_place *all = work->names->places;
	const struct tm_identity *identity = &work->files->items[file_of(&all[*places])].identity;
	const enum tm_no_line reason = line_requests_reason(work->lines->requests, identity);

	for (uint32_t i = 0; i < count; i++) {
		struct name_table_place *place = &all[places[i]];
		const struct line_record *record =
			line_cache_find(&work->lines->cache, identity, place->vaddr);

		place->no_line = (uint8_t)reason;
		if (record)
			take_record(work->names, place, record);
	}
}

static void mark_file(struct work *work, const uint32_t *places, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		work->names->places[places[i]].no_line = TM_NO_LINE_NO_DEBUG_INFO;
}

/* Calls want_missing for each file that has debug information, or fill_file; the places of others
 * are marked. Return: whether anything is missing. */
static bool walk(struct work *work, bool fill)
{
	const struct name_table *names = work->names;
	const struct name_table_file *file = names->files;
	bool missing = false;
	uint32_t end;

	for (uint32_t at = 0; at < work->count; at = end) {
		uint32_t index = file_of(&names->places[work->order[at]]);

		for (end = at + 1; end < work->count; end++)
			if (file_of(&names->places[work->order[end]]) != index)
				break;
		while (file->file != index)
			file++;
		if (!line_names_may_have(&file->pin))
			mark_file(work, work->order + at, end - at);
		else if (fill)
			fill_file(work, work->order + at, end - at);
		else
			missing |= want_missing(work, file, work->order + at, end - at);
	}
	return missing;
}

/* Return: whether there is memory for it. */
static bool begin(struct work *work)
{
	const struct name_table *names = work->names;
	uint32_t *sorted = sort_new(names->place_count, by_address, names->places);

	work->vaddrs = calloc(names->place_count + 1ull, sizeof(*work->vaddrs));
	work->order = sorted;
	if (!sorted || !work->vaddrs)
		return false;
	for (uint32_t i = 0; i < names->place_count; i++)
		if (is_wanted(&names->places[sorted[i]]))
			work->order[work->count++] = sorted[i];
	return true;
}

void line_names_resolve(struct line_names *lines, struct name_table *names,
			const struct files *files, int64_t timeout_ms)
{
	struct work work = {.lines = lines, .names = names, .files = files};

	line_cache_begin(&lines->cache, tm_clock_ms());
	keep_results(lines, /* end_ms= */ 0);
	if (begin(&work)) {
		if (walk(&work, /* fill= */ false))
			keep_results(lines, (int64_t)tm_clock_ms() + timeout_ms);
		(void)walk(&work, /* fill= */ true);
	}
	line_cache_expire(&lines->cache);
	free(work.order);
	free(work.vaddrs);
}
