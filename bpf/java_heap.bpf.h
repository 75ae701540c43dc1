/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_heap - the sampled process's HotSpot, its code heaps, and the CodeBlob of an address
 *
 * Runtime    the process's entry says which file it is, and where (java_file.bpf.h).
 * Heaps      read once for a process, and again, once a walk, for an address in none of them.
 * Trust      all of it is the process's own memory, by its own pointers: it can only say something
 *            else of itself, in a bounded number of reads.
 */

#include "bpf/python_thread.bpf.h"
#include "bpf/unwind_table.bpf.h"

#define JAVA_SEGMENT_FREE  0xffu /* share/memory/heap.hpp: free_sentinel */
#define JAVA_SEGMENT_STEPS 32    /* from a segment to the block's first one: 16 KB each, at least */

static __always_inline void java_begin_sample(struct scratch *s)
{
	s->runtimes.java_file = 0;
	s->runtimes.java_table = 0;
	s->runtimes.java_begun = 0;
	s->runtimes.java_known = 0;
	s->runtimes.java_inside = 0;
	s->runtimes.java_lost = 0;
	s->runtimes.java_by_call = 0;
	s->runtimes.java_stubs_left = JAVA_STUB_SEARCH;
}

static __always_inline void java_note_process(const struct scratch *s,
					      struct tm_process_key *process)
{
	process->tgid = s->sample.event.tgid;
	process->exec_id = s->sample.event.exec_id;
	process->start_boottime = s->sample.event.start_boottime;
}

static __always_inline bool java_is_process(const struct scratch *s,
					    const struct tm_process_key *process)
{
	return process->tgid == s->sample.event.tgid &&
	       process->exec_id == s->sample.event.exec_id &&
	       process->start_boottime == s->sample.event.start_boottime;
}

/* The first bytes of the process's memory there, at most as many as there are words for. */
static __always_inline bool java_read_blob(struct scratch *s, __u64 address)
{
	const void *from = (const void *)address;

	/* The last blob of a heap may end where the memory does. */
	return !bpf_probe_read_user(s->java.words, sizeof(s->java.words), from) ||
	       !bpf_probe_read_user(s->java.words, sizeof(s->java.words) / 2, from) ||
	       !bpf_probe_read_user(s->java.words, sizeof(s->java.words) / 4, from);
}

/* A field of the current blob, with what lies above it in its word. */
static __always_inline __u64 java_field(const struct scratch *s, __u32 offset)
{
	return s->java.words[offset / 8 & (JAVA_BLOB_WORDS - 1)] >> (offset % 8 * 8);
}

/* Cut to its width; an address, or a distance that is added to @start. */
static __always_inline __u64 java_place(__u64 field, __u32 bytes, __u64 start)
{
	if (bytes == 2)
		return start + (__u16)field;
	return bytes == 4 ? start + (__u32)field : field;
}

static __always_inline void java_read_heap(struct java_heap *heap, const struct tm_java *java,
					   __u64 address)
{
	heap->low = python_word(address + java->heap_low);
	heap->high = python_word(address + java->heap_high);
	heap->segments = python_word(address + java->heap_segments);
	heap->shift = python_word(address + java->heap_shift) & 31;
}

/* Reads where the heaps are. */
__noinline int java_read_heaps(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 list, length = 1;
	const struct tm_java *java;

	if (!s)
		return 0;
	java = &s->java.runtime.java;
	s->java.heaps_read = 1;
	java_note_process(s, &s->java.process);
	s->java.heaps_start = s->java.start;
	list = s->java.start + (__u64)s->java.runtime.state;
	if (!(java->flags & TM_JAVA_ONE_HEAP)) {
		list = python_word(list);
		length = (__u32)python_word(list + java->array_length);
		list = python_word(list + java->array_data);
	}
	for (__u32 i = 0; i < JAVA_HEAPS; i++) {
		struct java_heap *heap = &s->java.heaps[i];

		heap->low = 0;
		if (i < length && list)
			java_read_heap(heap, java, python_word(list + 8ull * i));
	}
	return 0;
}

static __always_inline bool java_heaps_are_known(const struct scratch *s)
{
	return java_is_process(s, &s->java.process) && s->java.heaps_start == s->java.start;
}

/* After the process was announced: notes which file the sample has met. */
__noinline int java_note_file(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_process_state *state = s ? search_state(s) : NULL;

	if (!state || (state->runtime_start == s->java.met_start &&
		       state->runtime_file == s->runtimes.java_file))
		return 0;
	state->runtime_start = s->java.met_start;
	state->runtime_file = s->runtimes.java_file;
	return 0;
}

/* Finds the runtime of the sample's process, once in a walk. */
__noinline int java_begin(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_process_state *state;
	const struct tm_runtime *runtime;
	const struct tm_file_state *file;
	__u32 number;

	if (!s)
		return 0;
	s->runtimes.java_begun = 1;
	s->java.heaps_read = 0;
	s->java.walk++;
	if (s->java.began == mapping_cache_of(s)->began && java_heaps_are_known(s)) {
		s->runtimes.java_known = 1;
		return 0;
	}
	s->java.began = 0;
	s->java.name = 0;
	state = search_state(s);
	if (!state || !state->runtime_file)
		return 0;
	number = state->runtime_file;
	s->java.start = state->runtime_start;
	file = bpf_map_lookup_elem(&files, &number);
	if (file && !file->table)
		s->walk.table_missing = true;
	if (!file || !(file->table & TM_UNWIND_MAP_RUNTIME))
		return 0;
	runtime = unwind_table_runtime(file->table);
	if (!runtime || runtime->kind != TM_RUNTIME_JAVA)
		return 0;
	s->java.runtime = *runtime;
	s->java.began = mapping_cache_of(s)->began;
	s->runtimes.java_known = 1;
	if (!java_heaps_are_known(s))
		java_read_heaps(level);
	return 0;
}

/* The first of the segments that the blob at the address has. ~0: there is none. */
static __always_inline __u64 java_first_segment(const struct java_heap *heap, __u64 address)
{
	__u64 at = (address - heap->low) >> (heap->shift & 31);
	__u8 back;

	for (int i = 0; i < JAVA_SEGMENT_STEPS; i++) {
		if (bpf_probe_read_user(&back, 1, (const void *)(heap->segments + at)))
			break;
		if (!back)
			return at;
		if (back == JAVA_SEGMENT_FREE || back > at)
			break;
		at -= back;
	}
	return ~0ull;
}

/* Reads the blob of an address in this heap. */
__noinline int java_blob_read(__u32 level, __u32 index, __u64 address)
{
	struct scratch *s = nesting_scratch(level);
	const struct java_heap *heap;
	const struct tm_java *java;
	__u64 segment, block, name;

	if (!s)
		return 0;
	java = &s->java.runtime.java;
	heap = &s->java.heaps[index & (JAVA_HEAPS - 1)];
	segment = java_first_segment(heap, address);
	if (segment == ~0ull)
		return 0;
	block = heap->low + (segment << (heap->shift & 31));
	if (!(python_word(block + java->block_used) & 0xff))
		return 0;
	s->java.blob = block + java->block_bytes;
	if (!java_read_blob(s, s->java.blob))
		return 0;
	s->java.code =
		java_place(java_field(s, java->blob_code), java->blob_code_bytes, s->java.blob);
	name = java_field(s, java->blob_name);
	if (!name || name != s->java.name)
		s->java.title = python_word(name);
	s->java.name = s->java.title ? name : 0;
	return 1;
}

static __always_inline __u32 java_heap_of(const struct scratch *s, __u64 address)
{
	__u32 i;

	for (i = 0; i < JAVA_HEAPS; i++)
		if (s->java.heaps[i].low && address >= s->java.heaps[i].low &&
		    address < s->java.heaps[i].high)
			break;
	return i;
}

/* Reads the blob of an address. Return: whether there is one. */
__noinline int java_blob_find(__u32 level, __u64 address)
{
	struct scratch *s = nesting_scratch(level);
	__u32 heap;

	if (!s)
		return 0;
	if (!s->runtimes.java_begun)
		java_begin(level);
	if (!s->runtimes.java_known)
		return 0;
	heap = java_heap_of(s, address);
	if (heap == JAVA_HEAPS && !s->java.heaps_read) {
		java_read_heaps(level);
		heap = java_heap_of(s, address);
	}
	return heap < JAVA_HEAPS && java_blob_read(level, heap, address);
}
