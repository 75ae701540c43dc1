/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_loop - where the code of CPython's evaluation loop lies in a file
 */

#include "symbolizer/parser/python/python_loop.h"

#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/x86/decode.h"

struct search {
	const struct sections *sections;
	const struct code_ranges *ranges;
	struct section loop;
	uint32_t checked[PYTHON_LOOP_RANGES_MAX]; /* where ranges begin */
	uint32_t checked_count;
	struct tm_runtime_code *loops;
	uint32_t loop_count;
};

/* The next jump or branch from *at on; *at is behind it then. Return: false: no more. */
static bool find_jump(const struct section *code, uint64_t *at, uint64_t *ret_target)
{
	struct insn insn;

	while (*at < code->size) {
		if (decode_insn(code->bytes + *at, code->bytes + code->size, code->vaddr + *at,
				&insn))
			return false;
		*at += insn.bytes;
		*ret_target = insn.target;
		if (insn.kind == INSN_JUMP || insn.kind == INSN_BRANCH)
			return true;
	}
	return false;
}

/* Return: 0: no code is there. */
static uint64_t offset_of(const struct image *image, uint64_t vaddr)
{
	const Elf64_Phdr *segment = segments_of_code(image, vaddr);

	return segment ? segment->p_offset + (vaddr - segment->p_vaddr) : 0;
}

static const struct code_range *range_at(const struct code_ranges *ranges, uint64_t offset)
{
	uint32_t low = 0, high = ranges->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ranges->list[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || offset - ranges->list[low - 1].start >= ranges->list[low - 1].bytes)
		return NULL;
	return &ranges->list[low - 1];
}

static bool is_checked(const struct search *search, uint32_t start)
{
	for (uint32_t i = 0; i < search->checked_count; i++)
		if (search->checked[i] == start)
			return true;
	return search->checked_count == PYTHON_LOOP_RANGES_MAX;
}

static int check_range(struct search *search, const struct code_range *range)
{
	uint64_t at = 0, target;
	struct section code;
	int r;

	if (range->bytes > PYTHON_LOOP_MAX || is_checked(search, range->start))
		return 0;
	search->checked[search->checked_count++] = range->start;
	r = sections_load_at(search->sections, range->vaddr, range->bytes, &code);
	while (!r && find_jump(&code, &at, &target)) {
		if (target <= search->loop.vaddr ||
		    target - search->loop.vaddr >= search->loop.size)
			continue;
		search->loops[search->loop_count++] = (struct tm_runtime_code){
			range->start, (uint32_t)(range->start + code.size)};
		break;
	}
	return r;
}

static int find_parts(struct search *search)
{
	uint64_t at = 0, target;
	int r = 0;

	while (!r && search->loop_count < TM_RUNTIME_LOOPS_MAX &&
	       find_jump(&search->loop, &at, &target)) {
		const struct code_range *range;

		if (target - search->loop.vaddr < search->loop.size)
			continue;
		range = range_at(search->ranges, offset_of(search->sections->image, target));
		if (range)
			r = check_range(search, range);
	}
	return r;
}

int python_loop_find(struct tm_runtime_code *ret_loops, uint64_t *ret_away,
		     const struct sections *sections, const struct code_ranges *ranges,
		     const struct named_symbol *symbol)
{
	struct search search = {
		.sections = sections, .ranges = ranges, .loops = ret_loops, .loop_count = 1};
	uint64_t start;
	int r;

	*ret_away = 0;
	for (uint32_t i = 0; i < TM_RUNTIME_LOOPS_MAX; i++)
		ret_loops[i] = (struct tm_runtime_code){0};
	if (!symbol->bytes || symbol->bytes > PYTHON_LOOP_MAX)
		return 0;
	r = sections_load_at(sections, symbol->vaddr, symbol->bytes, &search.loop);
	start = search.loop.offset;
	if (r || search.loop.size < symbol->bytes || start > UINT32_MAX - symbol->bytes)
		return r;
	*ret_away = symbol->vaddr - start;
	ret_loops[0] = (struct tm_runtime_code){(uint32_t)start, (uint32_t)(start + symbol->bytes)};
	return find_parts(&search);
}
