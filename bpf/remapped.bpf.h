/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * remapped - text of a file that the process has copied to anonymous memory at the same address
 *
 * Programs do that for huge pages (node --use-largepages). Around the copy are what is left of the
 * file's mappings, or its other segments. The copy is taken for the file's text in two cases:
 *
 * Between    the mappings on both sides are of one file, and the file's offset grows from the one
 *            to the other exactly as the address does.
 * Executable it lies in the code of the process's program (start_code to end_code), and on one side
 *            is executable memory of that program's file.
 *
 * What lies farther away proves nothing: segments of one file may have different distances from
 * their offsets. A process that arranges its memory so that this is wrong harms its own frames.
 */

#include "bpf/lookup.bpf.h"
#include "bpf/path.bpf.h"

#define REMAPPED_STEPS 4 /* mappings of no file that are passed on each side */
#define REMAPPED_PAGE  4096ull

/* Finds the mapping of a file next to s->mapping, below or above it, as s->found. */
static __always_inline bool remapped_beside(struct scratch *s, __u32 level, bool below)
{
	__u64 address = below ? s->mapping.start - 1 : s->mapping.end;

	for (int i = 0; i <= REMAPPED_STEPS; i++) {
		if (lookup_mapping(s, level, address) != VMA_FOUND)
			return false;
		if (s->found.file)
			return true;
		address = below ? s->found.start - 1 : s->found.end;
	}
	return false;
}

/* Address of the first byte of the file, if s->found were all of it. */
static __always_inline __u64 remapped_origin(const struct scratch *s)
{
	return s->found.start - (s->found.pgoff << 12);
}

/* The file that the process knows s->found by; not the one behind an overlay. */
static __always_inline __u64 remapped_dentry(const struct scratch *s)
{
	return (__u64)KERNEL_READ(path, path_of_file(s->found.file), dentry);
}

/* Whether s->found is code of the program, and s->mapping lies in that code. */
static __always_inline bool remapped_is_program(const struct scratch *s)
{
	const __u64 mm = s->walk.mm;
	__u64 program = (__u64)KERNEL_READ(mm_struct, mm, exe_file), end;

	if (!program || !(s->found.flags & VM_EXEC) ||
	    s->mapping.start < (KERNEL_READ(mm_struct, mm, start_code) & ~(REMAPPED_PAGE - 1)))
		return false;
	end = KERNEL_READ(mm_struct, mm, end_code) + REMAPPED_PAGE - 1;
	return s->mapping.end <= (end & ~(REMAPPED_PAGE - 1)) &&
	       remapped_dentry(s) == (__u64)KERNEL_READ(path, path_of_file(program), dentry);
}

/* @origin: of the mapping that decided. Return: whether it lies at or below s->mapping. */
static __always_inline bool remapped_take(struct scratch *s, __u64 origin)
{
	if (s->mapping.start < origin)
		return false;
	s->mapping.pgoff = (s->mapping.start - origin) >> 12;
	return true;
}

/*
 * Whether s->mapping, which has no file, is such a copy. If so, its pgoff is that of the text, and
 * s->found is a mapping of the file.
 */
__noinline int remapped_find(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 below = 0, origin = 0;

	if (!s)
		return 0;
	if (remapped_beside(s, level, true)) {
		origin = remapped_origin(s);
		below = remapped_dentry(s);
		if (remapped_is_program(s))
			return remapped_take(s, origin);
	}
	if (!remapped_beside(s, level, false))
		return 0;
	if ((below && below == remapped_dentry(s) && origin == remapped_origin(s)) ||
	    remapped_is_program(s))
		return remapped_take(s, remapped_origin(s));
	return 0;
}
