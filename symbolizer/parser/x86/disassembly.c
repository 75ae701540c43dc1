/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembly - rows of code that nobody describes, by reading its instructions
 */

#include "symbolizer/parser/x86/disassembly.h"

#include <stdlib.h>
#include <string.h>

#include "symbolizer/parser/grow.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/entry_points.h"
#include "symbolizer/parser/x86/function.h"
#include "symbolizer/parser/x86/known_code.h"

#define ALIGNED 16u /* as most functions are */
#define RET     0xc3

void disassembly_open(struct disassembly *heights, const struct sections *sections)
{
	*heights = (struct disassembly){.sections = sections};
}

static int add_gap(struct disassembly *heights, const struct section *code)
{
	void *gaps =
		grow(heights->gaps, heights->gap_count, &heights->gap_room, sizeof(*heights->gaps));

	if (!gaps)
		return PARSER_FAILED;
	heights->gaps = gaps;
	heights->gaps[heights->gap_count++] = (struct disassembly_gap){
		code->vaddr, code->offset, code->bytes, (uint32_t)code->size, heights->cell_count};
	heights->cell_count += (uint32_t)code->size;
	return 0;
}

static int add_range(struct disassembly *heights, uint64_t vaddr, uint64_t offset, uint64_t bytes)
{
	struct section code;
	int r;

	if (bytes > DISASSEMBLY_BYTES_MAX - heights->cell_count ||
	    heights->gap_count >= DISASSEMBLY_GAPS_MAX) {
		heights->cut = 1;
		return 0;
	}
	r = sections_load_at(heights->sections, vaddr, bytes, &code);
	return !r && code.bytes && code.offset == offset ? add_gap(heights, &code) : r;
}

/* What of [from, to) is at @offset, @bytes of it. */
static int add_part(struct disassembly *heights, uint64_t from, uint64_t to, uint64_t vaddr,
		    uint64_t offset, uint64_t bytes)
{
	uint64_t begin = offset > from ? offset : from, end = offset + bytes;

	end = end < to ? end : to;
	if (offset + bytes < offset || end <= begin)
		return 0;
	return add_range(heights, vaddr + (begin - offset), begin, end - begin);
}

static int is_code(const Elf64_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR;
}

int disassembly_add(struct disassembly *heights, uint64_t from, uint64_t to)
{
	const struct image *image = heights->sections->image;
	int any = 0, r = 0;

	if (image->section_count > DISASSEMBLY_STEPS_MAX - heights->steps) {
		heights->cut = 1;
		return 0;
	}
	heights->steps += image->section_count;
	for (uint32_t i = 0; !r && i < image->section_count; i++) {
		const Elf64_Shdr header = image->sections[i];

		if (!is_code(&header))
			continue;
		any = 1;
		r = add_part(heights, from, to, header.sh_addr, header.sh_offset, header.sh_size);
	}
	for (uint32_t i = 0; !any && !r && i < image->segment_count; i++) {
		const Elf64_Phdr segment = image->segments[i];

		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
			r = add_part(heights, from, to, segment.p_vaddr, segment.p_offset,
				     segment.p_filesz);
	}
	return r;
}

uint32_t disassembly_cell(const struct disassembly *heights, uint64_t vaddr,
			  const struct disassembly_gap **ret_gap)
{
	uint32_t low = 0, high = heights->gap_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct disassembly_gap *gap = &heights->gaps[middle];

		if (vaddr >= gap->vaddr && vaddr - gap->vaddr < gap->bytes) {
			if (ret_gap)
				*ret_gap = gap;
			return gap->cell + (uint32_t)(vaddr - gap->vaddr);
		}
		if (gap->vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return DISASSEMBLY_NO_CELL;
}

static const struct disassembly_gap *gap_of(const struct disassembly *heights, uint32_t cell)
{
	uint32_t low = 0, high = heights->gap_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (heights->gaps[middle].cell <= cell)
			low = middle;
		else
			high = middle;
	}
	return &heights->gaps[low];
}

uint64_t disassembly_vaddr(const struct disassembly *heights, uint32_t cell)
{
	const struct disassembly_gap *gap = gap_of(heights, cell);

	return gap->vaddr + (cell - gap->cell);
}

int disassembly_begin(struct disassembly *heights, uint32_t cell, uint32_t bytes)
{
	const struct disassembly_gap *gap = gap_of(heights, cell);
	uint32_t within = cell - gap->cell;
	void *starts;

	if (heights->cells[cell].is_start ||
	    known_code_is_trampoline(gap->code + within, gap->bytes - within))
		return 0;
	if (heights->start_count >= DISASSEMBLY_STARTS_MAX) {
		heights->cut = 1;
		return 0;
	}
	starts = grow(heights->starts, heights->start_count, &heights->start_room,
		      sizeof(*heights->starts));
	if (!starts)
		return PARSER_FAILED;
	heights->starts = starts;
	heights->cells[cell].is_start = 1;
	heights->starts[heights->start_count++] = (struct disassembly_start){
		.cell = cell, .bytes = bytes, .first = cell, .last = cell};
	return 0;
}

int disassembly_suspect(struct disassembly *heights, uint32_t cell)
{
	void *maybe;

	if (heights->maybe_count >= DISASSEMBLY_STARTS_MAX) {
		heights->cut = 1;
		return 0;
	}
	maybe = grow(heights->maybe, heights->maybe_count, &heights->maybe_room,
		     sizeof(*heights->maybe));
	if (!maybe)
		return PARSER_FAILED;
	heights->maybe = maybe;
	heights->maybe[heights->maybe_count++] = cell;
	return 0;
}

/* Labels within functions have addresses too: where the flow has been, or in the midst of something. */
static int may_begin(const struct disassembly *heights, uint32_t cell)
{
	const struct disassembly_gap *gap = gap_of(heights, cell);
	uint32_t within = cell - gap->cell;

	return !heights->cells[cell].is_seen &&
	       ((gap->vaddr + within) % ALIGNED == 0 || (within && gap->code[within - 1] == RET));
}

/* Every function known so far, those that they call, and those whose address they make. */
static int read_functions(struct disassembly *heights, struct function *flow, uint32_t *done)
{
	uint32_t looked = 0;
	int r = 0;

	while (!r && (*done < heights->start_count || looked < heights->maybe_count)) {
		if (*done < heights->start_count) {
			r = function_read(flow, (*done)++);
			continue;
		}
		if (may_begin(heights, heights->maybe[looked]))
			r = disassembly_begin(heights, heights->maybe[looked], 0);
		looked++;
	}
	return r;
}

static int read_once(struct disassembly *heights, struct function *flow)
{
	uint32_t done = 0, count;
	int r;

	for (uint32_t i = 0; i < heights->cell_count; i++)
		heights->cells[i].owner = heights->cells[i].is_seen = 0;
	r = read_functions(heights, flow, &done);
	count = heights->start_count;
	for (uint32_t i = 0; !r && i < count; i++)
		r = function_read_blocks(flow, i);
	return r ? r : read_functions(heights, flow, &done);
}

/* Return: whether any of them is news. */
static int note_ends(struct disassembly *heights)
{
	int any = 0;

	for (uint32_t i = 0; i < heights->start_count; i++) {
		const struct disassembly_start *start = &heights->starts[i];
		struct disassembly_cell *cell = &heights->cells[start->cell];
		uint8_t is_end = !start->returns, is_sure = !start->bad && start->returns & 2;

		any |= is_end > cell->is_end || is_sure > cell->is_sure;
		cell->is_end |= is_end;
		cell->is_sure |= is_sure;
	}
	return any;
}

static int read_all(struct disassembly *heights)
{
	struct function flow = {.heights = heights};
	int r = entry_points_find(heights);

	for (uint32_t i = 0; !r && i < DISASSEMBLY_PASSES; i++) {
		r = read_once(heights, &flow);
		if (!note_ends(heights))
			break;
	}
	function_close(&flow);
	return r;
}

int disassembly_read(struct disassembly *heights)
{
	int r;

	if (!heights->cell_count)
		return 0;
	/* One more, so that who looks for the end of an instruction finds one. */
	heights->cells = calloc(heights->cell_count + 1ull, sizeof(*heights->cells));
	if (!heights->cells || height_set_open(&heights->states, heights->cell_count))
		return PARSER_FAILED;
	r = read_all(heights);
	heights->cut |= heights->states.cut;
	return r;
}

/* The last gap that begins at or before @offset; the first if none does. */
static uint32_t gap_at(const struct disassembly *heights, uint64_t offset)
{
	uint32_t low = 0, high = heights->gap_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (heights->gaps[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t disassembly_find(const struct disassembly *heights, uint64_t at, uint64_t to,
			  const struct stack_height **ret_height)
{
	uint32_t number = gap_at(heights, at), state, run = 1;
	const struct disassembly_gap *gap;
	const struct disassembly_cell *cell;
	uint64_t most;

	*ret_height = NULL;
	if (number >= heights->gap_count || !heights->cells)
		return to - at;
	gap = &heights->gaps[number];
	if (at < gap->offset || at - gap->offset >= gap->bytes) {
		uint64_t next = at < gap->offset                  ? gap->offset
				: number + 1 < heights->gap_count ? gap[1].offset
								  : to;

		return (next < to && next > at ? next : to) - at;
	}
	most = gap->offset + gap->bytes < to ? gap->bytes - (at - gap->offset) : to - at;
	cell = &heights->cells[gap->cell + (at - gap->offset)];
	state = cell->owner ? cell->state : 0;
	while (run < most && (cell[run].owner ? cell[run].state : 0u) == state)
		run++;
	*ret_height = state ? &heights->states.list[state] : NULL;
	return run;
}

void disassembly_close(struct disassembly *heights)
{
	free(heights->gaps);
	free(heights->cells);
	free(heights->starts);
	free(heights->maybe);
	height_set_close(&heights->states);
	*heights = (struct disassembly){0};
}
