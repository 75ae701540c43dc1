/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_runtime - describes the CPython interpreter that a file contains
 */

#include "symbolizer/parser/python/python_runtime.h"

#include "symbolizer/parser/python/python_layout.h"
#include "symbolizer/parser/python/python_loop.h"
#include "symbolizer/parser/python/python_version.h"

/* The state may lie in .bss. */
static bool is_in_memory(const struct image *image, uint64_t vaddr)
{
	for (uint32_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *segment = &image->segments[i];

		if (segment->p_type == PT_LOAD && vaddr >= segment->p_vaddr &&
		    vaddr - segment->p_vaddr < segment->p_memsz)
			return true;
	}
	return false;
}

static int find_layout(struct tm_runtime *runtime, const struct sections *sections, uint64_t state,
		       bool *ret_found)
{
	struct section head = {0};
	int r = 0;

	if (runtime->version >= PYTHON_LAYOUT_PUBLISHED)
		r = sections_load_at(sections, state, PYTHON_LAYOUT_HEAD, &head);
	*ret_found =
		!r && python_layout_find(&runtime->python, runtime->version, head.bytes, head.size);
	return r;
}

/* Whether the loop can be that of this version. */
static bool check_loop(struct tm_runtime *runtime)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < TM_RUNTIME_LOOPS_MAX; i++)
		bytes += runtime->loops[i].end - runtime->loops[i].start;
	if (bytes >= PYTHON_LOOP_MIN)
		return true;
	runtime->python.flags |= TM_PYTHON_CALLS;
	return bytes && runtime->version >= PYTHON_LOOP_CALLS;
}

int python_runtime_find(struct tm_runtime *ret_runtime, const struct sections *sections,
			const struct code_ranges *ranges)
{
	struct tm_runtime runtime = {.kind = TM_RUNTIME_PYTHON};
	struct python_symbols symbols;
	const struct named_symbol *state = &symbols.list[PYTHON_STATE];
	const struct named_symbol *loop = &symbols.list[PYTHON_LOOP];
	bool found = false;
	uint64_t away;
	int r = python_symbols_read(&symbols, sections);

	*ret_runtime = (struct tm_runtime){0};
	if (r || !loop->vaddr || !is_in_memory(sections->image, state->vaddr))
		return r;
	r = python_version_read(&runtime.version, sections, &symbols);
	if (!r)
		r = find_layout(&runtime, sections, state->vaddr, &found);
	if (!r && found)
		r = python_loop_find(runtime.loops, &away, sections, ranges, loop);
	if (r || !found || !check_loop(&runtime))
		return r;
	runtime.state = (int64_t)(state->vaddr - away);
	*ret_runtime = runtime;
	return 0;
}
