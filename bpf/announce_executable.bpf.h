/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * announce_executable - the FILE record of a process's executable
 *
 * A sample announces the files of its innermost frames, and a short process may have but one. So
 * its executable is announced with the process.
 */

#include "bpf/frame.bpf.h"

/* Whether the executable is to be announced, or has no number yet. @identity: is set. */
static __always_inline bool announce_executable_is_due(__u64 mm, __u64 ktime, struct kread *block,
						       struct tm_identity *identity)
{
	__u64 file = (__u64)KERNEL_READ(mm_struct, mm, exe_file);
	struct tm_file_state *state;
	__u32 number, vacant;

	if (!file)
		return false;
	file_identify(block, file, identity);
	number = file_find(identity, &state, &vacant);
	return !state || announce_is_due(number, state, ktime);
}

/* After the walk, since it looks a mapping up: the one with end_code, which is the end of an
 * executable segment (fs/binfmt_elf.c). */
__noinline int announce_executable(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	if (!s || !announce_executable_is_due(s->walk.mm, s->sample.event.ktime, &s->block,
					      &s->fresh.identity))
		return 0;
	s->walk.announced = ANNOUNCE_FILES - 1;
	frame_look_up(level, KERNEL_READ(mm_struct, s->walk.mm, end_code) - 1);
	return 0;
}
