/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_file - which file has the JVM of a process, and where that is mapped
 *
 * A sample that comes through code of the file notes it. Where all samples are in code that the JVM
 * has made, which cannot be unwound without it, the file is found by its name among the mappings
 * (mapping_search.bpf.h). It is one that has a runtime in either case, or nothing is done with it.
 */

#include "bpf/announce_file.bpf.h"
#include "bpf/unwind_table.bpf.h"

/* Whether a name is libjvm.so. */
static __always_inline bool java_file_is_name(const char *name)
{
	const __u64 *word = (const __u64 *)name;

	return word[0] == 0x732e6d766a62696cull && name[8] == 'o' && !name[9];
}

/* The current frame is in a file that has a runtime. */
static __always_inline void java_file_meet(struct scratch *s)
{
	const struct tm_runtime *runtime;

	if (s->walk.table == s->runtimes.java_table || s->runtimes.java_known ||
	    s->walk.frame >> TM_FRAME_KIND_SHIFT != TM_FRAME_FILE)
		return;
	s->runtimes.java_table = s->walk.table;
	runtime = unwind_table_runtime(s->walk.table);
	if (!runtime || runtime->kind != TM_RUNTIME_JAVA)
		return;
	s->runtimes.java_file = (__u32)(s->walk.frame >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX;
	s->java.met_start = s->walk.ip - s->walk.called - (s->walk.frame & TM_FRAME_OFFSET_MAX);
}

/* Takes the mapping s->found, whose file has that name. */
static __always_inline void java_file_take(struct scratch *s, __u32 level)
{
	struct tm_file_state *state = NULL;
	__u32 number;

	file_identify(&s->block, s->found.file, &s->fresh.identity);
	if (!lookup_stands(s, level))
		return;
	number = file_number(s, level, &state);
	if (!state)
		return;
	announce_mapped(s, level, number, state);
	s->runtimes.java_file = number;
	s->java.met_start = s->found.start - (s->found.pgoff << 12);
}
