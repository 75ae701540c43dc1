/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_retire - asks for the lines of files before their numbers are retired
 */

#include "symbolizer/names/line_retire.h"

#include <stdlib.h>

#include "symbolizer/names/line_names.h"
#include "symbolizer/names/symbol_table.h"

#define FILE_SHIFT 40

struct scan {
	const struct line_retire *retire;
	uint8_t *is_due; /* owned; of each file */
	uint64_t *keys;  /* owned: of places, as of name_table_key() */
	uint32_t count;
};

static int compare(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Return: how many are left, ascending, each once. */
static uint32_t sort_once(uint64_t *values, uint32_t count)
{
	uint32_t kept = 0;

	qsort(values, count, sizeof(*values), compare);
	for (uint32_t i = 0; i < count; i++)
		if (!kept || values[kept - 1] != values[i])
			values[kept++] = values[i];
	return kept;
}

static bool is_due(const struct file *file, uint64_t now_ns)
{
	return file->used && file->sampled && file->identified && file->opened && file->numbers &&
	       file->lines_ktime != file->seen_ktime &&
	       now_ns >= file->seen_ktime + LINE_RETIRE_QUIET_NS;
}

/* Return: whether any file is due. */
static bool mark_due(struct scan *scan, uint64_t now_ns)
{
	const struct files *files = scan->retire->files;
	bool any = false;

	for (uint32_t i = 0; i < files->count; i++) {
		scan->is_due[i] = is_due(&files->items[i], now_ns);
		any |= scan->is_due[i];
	}
	return any;
}

/* Return: whether there is space for more. */
static bool add_word(struct scan *scan, uint64_t word)
{
	const uint64_t key = name_table_key(word);
	const uint64_t file = key >> FILE_SHIFT;

	if (word >> TM_FRAME_KIND_SHIFT != TM_FRAME_FILE || file >= scan->retire->files->count ||
	    !scan->is_due[file])
		return true;
	if (scan->count == LINE_RETIRE_PLACES)
		scan->count = sort_once(scan->keys, scan->count);
	if (scan->count == LINE_RETIRE_PLACES)
		return false;
	scan->keys[scan->count++] = key;
	return true;
}

static void collect(struct scan *scan, const struct aggregate *aggregate)
{
	for (uint32_t i = 0; i < aggregate->stack_count; i++) {
		const struct aggregate_stack *stack = &aggregate->stacks[i];

		for (uint32_t f = 0; f < stack->count; f++)
			if (!add_word(scan, stack->frames[f]))
				return;
	}
	scan->count = sort_once(scan->keys, scan->count);
}

/* Makes addresses of the keys of one file. Return: how many, ascending, each once. */
static uint32_t find_vaddrs(const struct symbol_table *table, uint64_t *keys, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t offset = keys[i] & TM_FRAME_OFFSET_MAX;
		const struct parser_segment *segment = symbol_table_segment(table, offset);

		if (segment)
			keys[found++] = symbol_table_vaddr(segment, offset);
	}
	return sort_once(keys, found);
}

static void ask(const struct line_retire *retire, struct file *file, uint64_t *keys, uint32_t count)
{
	struct line_requests_build_id build_id;
	struct symbol_store_pin pin;

	symbol_store_pin(retire->store, &file->identity, &pin);
	if (pin.entry == SYMBOL_STORE_NO_ENTRY)
		return; /* perhaps its symbols come yet */
	if (line_names_may_have(&pin)) {
		build_id = line_names_build_id(pin.table.header);
		(void)line_requests_want(retire->requests, &file->identity, &build_id, keys,
					 find_vaddrs(&pin.table, keys, count),
					 LINE_REQUESTS_ANY_COST);
	}
	file->lines_ktime = file->seen_ktime;
	symbol_store_unpin(retire->store, &pin);
}

static void ask_all(const struct scan *scan)
{
	uint32_t end;

	for (uint32_t at = 0; at < scan->count; at = end) {
		const uint64_t file = scan->keys[at] >> FILE_SHIFT;

		for (end = at + 1; end < scan->count; end++)
			if (scan->keys[end] >> FILE_SHIFT != file)
				break;
		if (line_requests_open(scan->retire->requests) >= LINE_RETIRE_FILES)
			return;
		ask(scan->retire, &scan->retire->files->items[file], scan->keys + at, end - at);
	}
}

void line_retire_round(struct line_retire *retire, const struct aggregate *aggregate,
		       uint64_t now_ns)
{
	struct scan scan = {.retire = retire};

	if (now_ns < retire->scanned_ns + LINE_RETIRE_SCAN_NS || !retire->files->count ||
	    line_requests_is_finished(retire->requests))
		return;
	retire->scanned_ns = now_ns;
	scan.is_due = calloc(retire->files->count, 1);
	if (scan.is_due && mark_due(&scan, now_ns))
		scan.keys = calloc(LINE_RETIRE_PLACES, sizeof(*scan.keys));
	if (scan.keys) {
		collect(&scan, aggregate);
		ask_all(&scan);
	}
	free(scan.is_due);
	free(scan.keys);
}
