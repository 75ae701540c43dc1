/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_runtime - describes the CPython interpreter that a file contains
 */

#include "symbolizer/parser/python/python_runtime.h"

#include <stdbool.h>
#include <string.h>

#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/python/python_layout.h"
#include "symbolizer/parser/python/python_symbols.h"

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

/* @ret_away: address - offset of the loop. */
static bool find_loop(const struct image *image, uint64_t vaddr, uint64_t bytes,
		      struct tm_runtime_code *ret_loop, uint64_t *ret_away)
{
	const Elf64_Phdr *found = segments_of_code(image, vaddr);
	uint64_t within, start;

	if (!found || !bytes || bytes > PYTHON_RUNTIME_LOOP_MAX)
		return false;
	within = vaddr - found->p_vaddr;
	start = found->p_offset + within;
	if (bytes > found->p_filesz - within || start < within || start > UINT32_MAX - bytes)
		return false;
	*ret_loop = (struct tm_runtime_code){(uint32_t)start, (uint32_t)(start + bytes)};
	*ret_away = vaddr - start;
	return true;
}

/* 3.11.2 is 0x030b02f0. @ret_version: as in struct tm_runtime; 0: not known. */
static int read_version(const struct sections *sections, const struct python_symbols *symbols,
			uint32_t *ret_version)
{
	struct section constant = {0};
	uint64_t value;
	int r = 0;

	*ret_version = 0;
	if (symbols->list[PYTHON_VERSION].vaddr)
		r = sections_load_at(sections, symbols->list[PYTHON_VERSION].vaddr, sizeof(value),
				     &constant);
	if (r || constant.size < sizeof(value))
		return r;
	memcpy(&value, constant.bytes, sizeof(value));
	*ret_version = value <= UINT32_MAX ? (uint32_t)(value >> 16) : 0;
	return 0;
}

int python_runtime_find(struct tm_runtime *ret_runtime, const struct sections *sections)
{
	const struct image *image = sections->image;
	struct tm_runtime runtime = {.kind = TM_RUNTIME_PYTHON};
	const struct tm_python *layout;
	struct python_symbols symbols;
	uint64_t state, away;
	int r = python_symbols_read(&symbols, sections);

	*ret_runtime = (struct tm_runtime){0};
	state = symbols.list[PYTHON_STATE].vaddr;
	if (r || !state || !is_in_memory(image, state) ||
	    !find_loop(image, symbols.list[PYTHON_LOOP].vaddr, symbols.list[PYTHON_LOOP].bytes,
		       &runtime.loops[0], &away))
		return r;
	r = read_version(sections, &symbols, &runtime.version);
	layout = python_layout_find(runtime.version);
	if (r || !layout)
		return r;
	runtime.state = (int64_t)(state - away);
	runtime.python = *layout;
	*ret_runtime = runtime;
	return 0;
}
