/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * jitdump - the mapping by which a process shows where its jitdump is
 *
 * Marker     a runtime that writes a jitdump maps a page of it executable. The file is named
 *            jit-PID.dump, with the PID of whatever namespace the runtime is in.
 * Search     (mapping_search.bpf.h) by samples of a process that has code of no file. What seems to
 *            be the marker is looked up as any other mapping. On the way a JVM is found.
 */

#include "bpf/java_file.bpf.h"

#define JITDUMP_DIGITS 10 /* of a PID; more than any has */

/* Whether a file's name is jit-DIGITS.dump. */
static __always_inline bool jitdump_is_name(const char *name)
{
	int at = 4;

	if (name[0] != 'j' || name[1] != 'i' || name[2] != 't' || name[3] != '-')
		return false;
	while (at < 4 + JITDUMP_DIGITS && name[at] >= '0' && name[at] <= '9')
		at++;
	return at > 4 && name[at] == '.' && name[at + 1] == 'd' && name[at + 2] == 'u' &&
	       name[at + 3] == 'm' && name[at + 4] == 'p' && !name[at + 5];
}

enum jitdump_name {
	JITDUMP_NONE,
	JITDUMP_FILE,
	JITDUMP_JAVA, /* libjvm.so */
};

/* What the file is by its name. */
__noinline int jitdump_name(__u32 level, __u64 file)
{
	struct scratch *s = nesting_scratch(level);
	const char *name;

	if (!s || !file)
		return JITDUMP_NONE;
	name = (const char *)path_read_name(
		s, (__u64)KERNEL_READ(path, path_of_file(file), dentry, d_name.name));
	if (name && java_file_is_name(name))
		return JITDUMP_JAVA;
	return name && jitdump_is_name(name) ? JITDUMP_FILE : JITDUMP_NONE;
}

static __always_inline bool jitdump_is_marker(__u32 level, __u64 vma)
{
	return KERNEL_READ(vm_area_struct, vma, vm_flags) & VM_EXEC &&
	       jitdump_name(level, (__u64)KERNEL_READ(vm_area_struct, vma, vm_file));
}

/*
 * Takes the mapping at an address for the marker if it is one, and announces its file. Otherwise
 * the search goes on at @next.
 */
__noinline int jitdump_take(__u32 level, __u64 address, __u64 next)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_file_state *state = NULL;
	int name;

	if (!s)
		return 0;
	s->search.at = next;
	s->search.status = SEARCH_GOES_ON;
	if (lookup_mapping(s, level, address) != VMA_FOUND || !(s->found.flags & VM_EXEC))
		return 0;
	name = jitdump_name(level, s->found.file);
	if (name == JITDUMP_JAVA)
		java_file_take(s, level);
	if (name != JITDUMP_FILE)
		return 0;
	file_identify_growing(&s->block, s->found.file, &s->fresh.identity);
	if (!lookup_stands(s, level))
		return 0;
	s->search.at = s->found.start;
	s->search.status = SEARCH_FOUND;
	s->jitdump_file = file_number(s, level, &state);
	if (state)
		announce_mapped(s, level, s->jitdump_file, state);
	return 0;
}
