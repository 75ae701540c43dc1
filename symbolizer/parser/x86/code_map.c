/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_map - what disassembly knows of each byte of code that no unwind information describes
 */

#include "symbolizer/parser/x86/code_map.h"

#include <stdlib.h>

#include "shared/search.h"
#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/known_code.h"

#define FUNCTION_ALIGNMENT 16u /* of most functions */
#define RET                0xc3

void code_map_open(struct code_map *map, const struct sections *sections)
{
	*map = (struct code_map){.sections = sections};
}

static int add_gap(struct code_map *map, const struct section *code)
{
	void *gaps = grow(map->gaps, map->gap_count, &map->gap_capacity, sizeof(*map->gaps));

	if (!gaps)
		return PARSER_FAILED;
	map->gaps = gaps;
	map->gaps[map->gap_count++] = (struct code_gap){code->vaddr, code->offset, code->bytes,
							(uint32_t)code->size, map->cell_count};
	map->cell_count += (uint32_t)code->size;
	return 0;
}

static int load_gap(struct code_map *map, uint64_t vaddr, uint64_t offset, uint64_t bytes)
{
	struct section code;
	int r;

	if (bytes > CODE_MAP_BYTES_MAX - map->cell_count || map->gap_count >= CODE_MAP_GAPS_MAX) {
		map->truncated = true;
		return 0;
	}
	r = sections_load_at(map->sections, vaddr, bytes, &code);
	return !r && code.bytes && code.offset == offset ? add_gap(map, &code) : r;
}

/* The part of [from, to) that lies in the @bytes of code at @offset. */
static int add_overlap(struct code_map *map, uint64_t from, uint64_t to, uint64_t vaddr,
		       uint64_t offset, uint64_t bytes)
{
	uint64_t begin = offset > from ? offset : from, end = offset + bytes;

	end = end < to ? end : to;
	if (offset + bytes < offset || end <= begin)
		return 0;
	return load_gap(map, vaddr + (begin - offset), begin, end - begin);
}

static bool is_code(const Elf64_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR;
}

int code_map_add(struct code_map *map, uint64_t from, uint64_t to)
{
	const struct image *image = map->sections->image;
	bool has_code_sections = false;
	int r = 0;

	if (image->section_count > CODE_MAP_STEPS_MAX - map->steps) {
		map->truncated = true;
		return 0;
	}
	map->steps += image->section_count;
	for (uint32_t i = 0; !r && i < image->section_count; i++) {
		const Elf64_Shdr header = image->sections[i];

		if (!is_code(&header))
			continue;
		has_code_sections = true;
		r = add_overlap(map, from, to, header.sh_addr, header.sh_offset, header.sh_size);
	}
	for (uint32_t i = 0; !has_code_sections && !r && i < image->segment_count; i++) {
		const Elf64_Phdr segment = image->segments[i];

		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
			r = add_overlap(map, from, to, segment.p_vaddr, segment.p_offset,
					segment.p_filesz);
	}
	return r;
}

int code_map_allocate(struct code_map *map)
{
	/* One cell more, so that a search for the end of an instruction stops there. */
	map->cells = calloc(map->cell_count + 1ull, sizeof(*map->cells));
	return map->cells ? height_set_open(&map->heights, map->cell_count) : PARSER_FAILED;
}

static bool is_behind_vaddr(const void *gaps, uint32_t index, uint64_t vaddr)
{
	return ((const struct code_gap *)gaps)[index].vaddr > vaddr;
}

static bool is_behind_offset(const void *gaps, uint32_t index, uint64_t offset)
{
	return ((const struct code_gap *)gaps)[index].offset > offset;
}

static bool is_behind_cell(const void *gaps, uint32_t index, uint64_t cell)
{
	return ((const struct code_gap *)gaps)[index].cell > cell;
}

uint32_t code_map_cell(const struct code_map *map, uint64_t vaddr, const struct code_gap **ret_gap)
{
	const struct code_gap *gap;

	if (!map->gap_count)
		return CODE_MAP_NO_CELL;
	gap = &map->gaps[search_last(map->gaps, map->gap_count, vaddr, is_behind_vaddr)];
	if (vaddr < gap->vaddr || vaddr - gap->vaddr >= gap->bytes)
		return CODE_MAP_NO_CELL;
	if (ret_gap)
		*ret_gap = gap;
	return gap->cell + (uint32_t)(vaddr - gap->vaddr);
}

static const struct code_gap *gap_of(const struct code_map *map, uint32_t cell)
{
	return &map->gaps[search_last(map->gaps, map->gap_count, cell, is_behind_cell)];
}

uint64_t code_map_vaddr(const struct code_map *map, uint32_t cell)
{
	const struct code_gap *gap = gap_of(map, cell);

	return gap->vaddr + (cell - gap->cell);
}

int code_map_add_function(struct code_map *map, uint32_t cell, uint32_t bytes)
{
	const struct code_gap *gap = gap_of(map, cell);
	uint32_t within = cell - gap->cell;
	void *functions;

	if (map->cells[cell].is_function ||
	    known_code_is_sigreturn(gap->code + within, gap->bytes - within))
		return 0;
	if (map->function_count >= CODE_MAP_FUNCTIONS_MAX) {
		map->truncated = true;
		return 0;
	}
	functions = grow(map->functions, map->function_count, &map->function_capacity,
			 sizeof(*map->functions));
	if (!functions)
		return PARSER_FAILED;
	map->functions = functions;
	map->cells[cell].is_function = true;
	map->functions[map->function_count++] =
		(struct code_function){.cell = cell, .bytes = bytes, .first = cell, .last = cell};
	return 0;
}

int code_map_add_suspect(struct code_map *map, uint32_t cell)
{
	void *suspects;

	if (map->suspect_count >= CODE_MAP_FUNCTIONS_MAX) {
		map->truncated = true;
		return 0;
	}
	suspects = grow(map->suspects, map->suspect_count, &map->suspect_capacity,
			sizeof(*map->suspects));
	if (!suspects)
		return PARSER_FAILED;
	map->suspects = suspects;
	map->suspects[map->suspect_count++] = cell;
	return 0;
}

bool code_map_may_begin_function(const struct code_map *map, uint32_t cell)
{
	const struct code_gap *gap = gap_of(map, cell);
	uint32_t within = cell - gap->cell;

	/* The addresses of labels within functions are taken, too. */
	return !map->cells[cell].visited && ((gap->vaddr + within) % FUNCTION_ALIGNMENT == 0 ||
					     (within && gap->code[within - 1] == RET));
}

/* From @at, which no gap contains, to the next gap, or to @to. */
static uint64_t bytes_outside(const struct code_map *map, uint32_t gap, uint64_t at, uint64_t to)
{
	uint64_t next = to;

	if (at < map->gaps[gap].offset)
		next = map->gaps[gap].offset;
	else if (gap + 1 < map->gap_count)
		next = map->gaps[gap + 1].offset;
	return (next < to && next > at ? next : to) - at;
}

uint64_t code_map_find(const struct code_map *map, uint64_t at, uint64_t to,
		       const struct stack_height **ret_height)
{
	uint32_t number = search_last(map->gaps, map->gap_count, at, is_behind_offset), height;
	const struct code_cell *cell;
	const struct code_gap *gap;
	uint64_t most, run = 1;

	*ret_height = NULL;
	if (!map->gap_count || !map->cells)
		return to - at;
	gap = &map->gaps[number];
	if (at < gap->offset || at - gap->offset >= gap->bytes)
		return bytes_outside(map, number, at, to);
	most = gap->offset + gap->bytes < to ? gap->bytes - (at - gap->offset) : to - at;
	cell = &map->cells[gap->cell + (at - gap->offset)];
	height = cell->function ? cell->height : 0;
	while (run < most && (cell[run].function ? cell[run].height : 0u) == height)
		run++;
	*ret_height = height ? &map->heights.list[height] : NULL;
	return run;
}

void code_map_close(struct code_map *map)
{
	free(map->gaps);
	free(map->cells);
	free(map->functions);
	free(map->suspects);
	height_set_close(&map->heights);
	*map = (struct code_map){0};
}
