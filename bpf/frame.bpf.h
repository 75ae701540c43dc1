/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * frame - the encoded frame of a user address, and the unwind table of its code
 */

#include "bpf/announce.bpf.h"
#include "bpf/remapped.bpf.h"

#define FRAME(kind)              ((__u64)TM_FRAME_##kind << TM_FRAME_KIND_SHIFT)
#define FRAME_UNRESOLVED(reason) (FRAME(UNRESOLVED) | TM_UNRESOLVED_##reason)

/* Reference to the unwind table of the vDSO; set by change_file. */
__u64 vdso_table;

#define FRAMES_MAX (TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX)

static __always_inline __u64 frame_kind(__u64 frame)
{
	return frame >> TM_FRAME_KIND_SHIFT;
}

/* Adds a user frame to the sample. */
static __always_inline void frame_put(struct scratch *s, __u64 frame)
{
	__u64 at = (__u64)s->walk.first + s->walk.frames;

	kread_opaque(at);
	if (at < FRAMES_MAX)
		s->frames[at] = frame;
	s->walk.frames++;
	s->walk.kinds |= 1u << frame_kind(frame);
}

/* Takes the last user frame back. */
static __always_inline __u64 frame_take(struct scratch *s)
{
	__u64 at = (__u64)s->walk.first + --s->walk.frames;

	kread_opaque(at);
	return at < FRAMES_MAX ? s->frames[at] : 0;
}

static __always_inline bool frame_is_unresolved(__u64 frame)
{
	return frame_kind(frame) == TM_FRAME_UNRESOLVED;
}

/* Whether the mapping of its address was found executable. */
static __always_inline bool frame_is_of_code(__u64 frame)
{
	return frame != FRAME_UNRESOLVED(NO_MAPPING) && frame != FRAME_UNRESOLVED(MAPPING_BUSY) &&
	       frame != FRAME_UNRESOLVED(MAPPING_DEEP);
}

/* The frame of the start of s->mapping. Writes the FILE record of s->found if it is due. */
static __always_inline __u64 frame_of_file(struct scratch *s, __u32 level, __u64 *ret_table)
{
	struct tm_file_state *state = NULL;
	__u64 offset = s->mapping.pgoff << 12;
	__u32 number;

	if (offset + (s->mapping.end - s->mapping.start) > TM_FRAME_OFFSET_MAX)
		return FRAME_UNRESOLVED(OFFSET);
	if (*(volatile __u32 *)&delay_reads)
		lookup_delay(delay_reads);
	file_identify(&s->block, s->found.file, &s->fresh.identity);
	if (!lookup_stands(s, level))
		return FRAME_UNRESOLVED(MAPPING_BUSY);
	number = file_number(s, level, &state);
	if (!state)
		return FRAME(UNRESOLVED) | s->no_number;
	*ret_table = *(volatile __u64 *)&state->table;
	announce_mapped(s, level, number, state);
	return FRAME(FILE) | (__u64)number << TM_FRAME_FILE_SHIFT | offset;
}

static __always_inline __u64 frame_of_start(struct scratch *s, __u32 level, __u64 *ret_table)
{
	if (!(s->mapping.flags & VM_EXEC))
		return FRAME_UNRESOLVED(
			NO_MAPPING); /* not executable, so the address is not one of code */
	if (s->mapping.file)
		return frame_of_file(s, level, ret_table);
	if (s->mapping.start == (__u64)KERNEL_READ(mm_struct, s->walk.mm, context.vdso)) {
		*ret_table = *(volatile __u64 *)&vdso_table;
		return FRAME(VDSO);
	}
	if (remapped_find(level))
		return frame_of_file(s, level, ret_table);
	*ret_table = TM_UNWIND_MAP_EMPTY;
	return FRAME(ANON) | s->mapping.start;
}

/* Looks the mapping up, and caches it if it has a frame and its file need not be announced by the
 * next sample. */
__noinline __u64 frame_look_up(__u32 level, __u64 address)
{
	struct scratch *s = nesting_scratch(level);
	__u64 frame, table = 0;
	int status;

	if (!s)
		return FRAME_UNRESOLVED(MAPPING_BUSY);
	status = lookup_mapping(s, level, address);
	if (status == VMA_NONE)
		return FRAME_UNRESOLVED(NO_MAPPING);
	if (status == VMA_DEEP)
		return FRAME_UNRESOLVED(MAPPING_DEEP);
	if (status != VMA_FOUND)
		return FRAME_UNRESOLVED(MAPPING_BUSY);
	s->mapping = s->found;
	s->walk.postponed = false;
	frame = frame_of_start(s, level, &table);
	s->walk.table = table;
	if (frame_is_unresolved(frame))
		return frame;
	if (!s->walk.postponed)
		mapping_cache_put(s, frame, table);
	return frame + (address - s->mapping.start);
}

/* The frame of an address; the table of its code becomes s->walk.table. */
static __always_inline __u64 frame_of(struct scratch *s, __u32 level, __u64 address)
{
	const struct mapping_cache_entry *mapping = mapping_cache_find(s, address);

	if (!mapping) {
		s->walk.table = 0;
		s->walk.looked_up = true;
		return frame_look_up(level, address);
	}
	s->counts.bpf.lookup_cached++;
	s->walk.table = mapping->table;
	return mapping->base + (address - mapping->start);
}

/* Whether there is code at the address, so that it may be read. */
__noinline int frame_code_at(__u32 level, __u64 address)
{
	struct scratch *s = nesting_scratch(level);
	__u64 table, frame;

	if (!s)
		return 0;
	table = s->walk.table;
	frame = frame_of(s, level, address);
	s->walk.table = table;
	return frame_is_of_code(frame);
}
