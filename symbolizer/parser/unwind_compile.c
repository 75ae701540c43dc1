/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_compile - compiles one file's unwind information into an unwind table
 */

#include "symbolizer/parser/unwind_compile.h"

#include "symbolizer/parser/cfi/program.h"
#include "symbolizer/parser/cfi/rule.h"
#include "symbolizer/parser/go/pclntab.h"
#include "symbolizer/parser/go/pclntab_rules.h"
#include "symbolizer/parser/java/java_runtime.h"
#include "symbolizer/parser/python/python_runtime.h"
#include "symbolizer/parser/table_writer.h"
#include "symbolizer/parser/x86/disassembly.h"
#include "symbolizer/parser/x86/known_code.h"

struct compilation {
	struct image image;
	struct sections sections;
	struct code_ranges ranges;
	struct frame_sections frames;
	struct program program;
	struct pclntab pclntab;
	struct code_map map;
	struct table_writer writer;
	const struct code_range *range; /* whose rows are being written */
	uint64_t scan_left;
	bool has_unknown_row; /* this range has a row that no rule can express */
};

static const struct tm_rule unknown = {.cfa = TM_CFA_NONE};
static const struct tm_rule outermost = {.cfa = TM_CFA_END};

/* A section that is too large or malformed is skipped, and the table says so. */
static int skip_malformed(struct compilation *compilation, int status)
{
	if (status == PARSER_FAILED)
		return status;
	compilation->ranges.truncated |= status != 0;
	return 0;
}

static int collect_pclntab(struct compilation *compilation)
{
	int r = pclntab_open(&compilation->pclntab, &compilation->sections);

	if (r)
		return skip_malformed(compilation, r);
	return pclntab_add(&compilation->pclntab, &compilation->ranges, &compilation->image);
}

static int collect_ranges(struct compilation *compilation)
{
	const struct sections *sections = &compilation->sections;
	struct code_ranges *ranges = &compilation->ranges;
	int r = skip_malformed(compilation, sections_open(&compilation->sections,
							  &compilation->image, sections->source));

	if (!r)
		r = collect_pclntab(compilation);
	if (!r)
		r = frame_sections_add_eh_frame(&compilation->frames, sections, ranges);
	if (!r)
		r = frame_sections_add_debug_frame(&compilation->frames, sections, ranges);
	if (!r)
		r = skip_malformed(compilation, known_code_add(ranges, sections));
	code_ranges_sort(ranges);
	return r;
}

static int write_row(void *context, uint64_t at, const struct row *row)
{
	struct compilation *compilation = context;
	const struct code_range *range = compilation->range;
	struct tm_rule rule = unknown;

	if (row)
		rule = rule_from_row(row, compilation->frames.cies.list[range->index].is_signal);
	compilation->has_unknown_row |= rule.cfa == TM_CFA_NONE;
	return table_writer_put(&compilation->writer, range->start + at, &rule);
}

static int write_range(struct compilation *compilation, const struct code_range *range,
		       uint64_t limit)
{
	bool refused = false;
	int r;

	/* Compilers write ordinary CFI for _start, but it has no caller. */
	if (code_ranges_is_root(&compilation->ranges, range->vaddr))
		return table_writer_put(&compilation->writer, range->start, &outermost);
	compilation->range = range;
	compilation->has_unknown_row = false;
	switch (range->source) {
	case CODE_RANGE_PCLNTAB:
		r = pclntab_rules_write(&compilation->pclntab, &compilation->writer, range, limit,
					&refused);
		break;
	case CODE_RANGE_KNOWN_CODE:
		return known_code_write(&compilation->writer, range, limit);
	default:
		r = program_run(&compilation->program, range, limit, &refused);
		break;
	}
	compilation->ranges.refused += refused || compilation->has_unknown_row;
	return r;
}

/* Code of which even disassembly knows nothing: it may contain a sigreturn trampoline. */
static int write_unknown(struct compilation *compilation, uint64_t from, uint64_t to)
{
	int r;

	if (to - from <= UNWIND_COMPILE_PADDING)
		return 0;
	r = table_writer_put(&compilation->writer, from, &unknown);
	if (!r)
		r = known_code_scan(&compilation->writer, &compilation->sections, from, to,
				    &compilation->scan_left);
	return skip_malformed(compilation, r);
}

static int write_gap(struct compilation *compilation, uint64_t from, uint64_t to)
{
	int r = 0;

	if (to - from <= UNWIND_COMPILE_PADDING)
		return 0;
	while (!r && from < to) {
		const struct stack_height *height;
		uint64_t bytes = code_map_find(&compilation->map, from, to, &height);
		struct tm_rule rule;

		if (height) {
			rule = stack_height_rule(height);
			r = table_writer_put(&compilation->writer, from, &rule);
		} else {
			r = write_unknown(compilation, from, from + bytes);
		}
		from += bytes;
	}
	return r;
}

static int map_gap(struct compilation *compilation, uint64_t from, uint64_t to)
{
	if (to - from <= UNWIND_COMPILE_PADDING)
		return 0;
	return skip_malformed(compilation, code_map_add(&compilation->map, from, to));
}

static int skip_range(struct compilation *compilation, const struct code_range *range,
		      uint64_t limit)
{
	return 0;
}

/* Visits all code of the file in order: described ranges, and the gaps between them. */
static int visit_code(struct compilation *compilation,
		      int (*take_range)(struct compilation *, const struct code_range *, uint64_t),
		      int (*take_gap)(struct compilation *, uint64_t, uint64_t))
{
	const struct code_ranges *ranges = &compilation->ranges;
	uint64_t end = 0;
	int r = 0;

	for (uint32_t i = 0; !r && i < ranges->count; i++) {
		const struct code_range *range = &ranges->list[i];
		uint64_t own;

		if (range->start < end) /* a better source describes it */
			continue;
		own = code_ranges_own_bytes(ranges, i);
		r = take_gap(compilation, end, range->start);
		if (!r)
			r = take_range(compilation, range, own);
		end = range->start + own;
	}
	return r ? r : take_gap(compilation, end, UINT32_MAX);
}

static int write_rows(struct compilation *compilation)
{
	struct code_map *map = &compilation->map;
	int r;

	code_map_open(map, &compilation->sections);
	r = visit_code(compilation, skip_range, map_gap);
	if (!r)
		r = skip_malformed(compilation, disassembly_run(map));
	compilation->ranges.truncated |= map->truncated;
	return r ? r : visit_code(compilation, write_range, write_gap);
}

static int finish(struct compilation *compilation, struct result_blob *result)
{
	const struct code_ranges *ranges = &compilation->ranges;
	struct tm_unwind_table header = {.magic = TM_UNWIND_TABLE_MAGIC};
	struct tm_runtime runtime;
	int r = skip_malformed(compilation,
			       python_runtime_find(&runtime, &compilation->sections, ranges));

	if (!r && !runtime.kind)
		r = skip_malformed(compilation,
				   java_runtime_find(&runtime, &compilation->sections));
	if (r)
		return r;
	header.flags = ranges->truncated ? TM_UNWIND_TABLE_CUT : 0;
	header.frames = ranges->described;
	header.refused = ranges->refused;
	return table_writer_finish(&compilation->writer, &header, &runtime, &result->data,
				   &result->bytes);
}

static int compile(struct compilation *compilation, struct result_blob *result)
{
	int r = table_writer_open(&compilation->writer);

	if (!r)
		r = collect_ranges(compilation);
	if (!r)
		r = program_open(&compilation->program, &compilation->frames, write_row,
				 compilation);
	if (!r)
		r = write_rows(compilation);
	return r ? r : finish(compilation, result);
}

int unwind_compile(struct result_blob *result, const struct image_source *source)
{
	static struct compilation compilation; /* large; a process compiles one file at a time */
	int r;

	compilation = (struct compilation){.scan_left = KNOWN_CODE_SCAN_MAX};
	compilation.sections.source = source;
	*result = (struct result_blob){0};
	r = image_open(&compilation.image, source);
	if (!r)
		r = compile(&compilation, result);
	frame_sections_free(&compilation.frames);
	code_map_close(&compilation.map);
	program_close(&compilation.program);
	table_writer_close(&compilation.writer);
	code_ranges_free(&compilation.ranges);
	image_close(&compilation.image);
	return r;
}
