/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * python_loop - which interpreter's functions the current frame of the evaluation loop runs
 *
 * A thread may run several interpreters within one another. Their lists of frames do not say how
 * they alternate, but the stack frame of a loop tells whose it is:
 *
 * Chain      where the runtime keeps a _PyCFrame on the stack, by that (3.11 and 3.12; 3.10 where
 *            several interpreters run).
 * Entry      from 3.13 on by the frame with owner_entry, which is on the stack. It is behind the
 *            loop's functions, so these are put first, and taken back if they were of another.
 * Pointer    to 3.9, where several interpreters run, by what the loop's code keeps on the stack:
 *            the address of its PyFrameObject, or of the variables in it. Where there are such of
 *            several interpreters, it is not known: a loop may have saved a register of another.
 *
 * Calls      a loop that calls a function for each instruction has one of these in the stack before
 *            it. It says no more than the line does, and is left out where that is known.
 *
 * A loop that is about to begin or to return may have no functions, and so only the first loop of a
 * stack; another one whose functions are not found has a METHOD frame without a number. Where each
 * loop has one (to 3.10), that first one is seen by the lack of a function for the last one
 * (TM_RUNTIME_PLACE_LATE); in 3.11 and 3.12, where the chain has it before its functions, by their
 * list, which does not go on as the chain does.
 */

#include "bpf/python_thread.bpf.h"

#define PYTHON_OBJECT_BYTES 0x168 /* where a PyFrameObject's variables begin in 3.8 and 3.9 */

/* Whether the address lies in the stack frame of the current loop. */
static __always_inline bool python_loop_has(const struct scratch *s, __u64 address)
{
	return address < s->walk.caller.sp && (s->walk.sp_lost || address >= s->walk.sp);
}

/* Whether a pointer to this PyFrameObject lies there. */
__noinline int python_loop_points(__u32 level, __u64 object)
{
	struct scratch *s = nesting_scratch(level);
	__u64 bytes;

	if (!s || !object || s->walk.sp_lost)
		return 0;
	bytes = (s->walk.caller.sp - s->walk.sp) & ~7ull;
	if (!python_read(s, s->walk.sp, bytes))
		return 0;
	for (__u32 i = 0; i < KREAD_WORDS && 8 * i < bytes; i++)
		if (s->block.words[i] - object <= PYTHON_OBJECT_BYTES)
			return 1;
	return 0;
}

/* Whether there is one to the frame of this interpreter, and none to those of others. */
static __always_inline bool python_loop_is_of(struct scratch *s, __u32 level, __u32 at)
{
	__u32 points = 0;

#pragma unroll
	for (__u32 i = 0; i < PYTHON_INTERPRETERS; i++)
		if (python_loop_points(level, s->python.frames[i].frame))
			points |= 1u << i;
	return points == 1u << at;
}

static __always_inline bool python_loop_may_have(struct scratch *s, __u32 level, __u32 at)
{
	const struct tm_python *python = &s->python.runtime.python;
	const struct python_frames *frames = &s->python.frames[at];

	if (python->entry == TM_PYTHON_ONE && s->python.search.count == 1)
		return frames->frame;
	if (python->flags & TM_PYTHON_CHAIN)
		return python_loop_has(s, frames->chain);
	return python->entry == TM_PYTHON_ONE ? python_loop_is_of(s, level, at) : frames->frame;
}

/* Begins with the functions of this interpreter. Return: whether it has any left. */
static __always_inline bool python_loop_begin(struct scratch *s, struct python_frames *frames)
{
	const struct tm_python *python = &s->python.runtime.python;

	if (python->flags & TM_PYTHON_CHAIN) {
		if (python->chain_frame != TM_RUNTIME_NONE)
			frames->frame = python_word(frames->chain + python->chain_frame);
		frames->chain = python_word(frames->chain + python->chain_previous);
	}
	s->python.frame = frames->frame;
	s->python.outer = frames->frame;
	return frames->frame;
}

/* Begins with the functions of the next interpreter that the loop may be of. Return: 0: there is
 * none. */
__noinline int python_loop_try(__u32 level)
{
	struct scratch *s = nesting_scratch(level);

	if (!s)
		return 0;
	for (__u32 i = 0; i < PYTHON_INTERPRETERS; i++) {
		__u32 at = s->python.at & (PYTHON_INTERPRETERS - 1);

		if (s->python.tried + i >= PYTHON_INTERPRETERS)
			return 0;
		if (python_loop_may_have(s, level, at) &&
		    python_loop_begin(s, &s->python.frames[at])) {
			s->python.tried += i;
			return 1;
		}
		s->python.at++;
	}
	return 0;
}

/* Begins with the current frame, one of the loop. */
static __always_inline void python_loop_take(struct scratch *s)
{
	s->python.loop = frame_take(s);
	s->python.called = 0;
	if (s->python.runtime.python.flags & TM_PYTHON_CALLS && s->walk.frames)
		s->python.called = frame_take(s);
	s->python.taken = s->walk.frames;
	s->python.loops++;
	s->python.tried = 0;
}

/* Goes on with the loop's own frame. */
static __always_inline int python_loop_leave(struct scratch *s)
{
	s->runtimes.python_inside = 0;
	frame_put(s, s->python.loop);
	return 0;
}

/* The same, if no functions of it were found. */
static __always_inline int python_loop_lose(struct scratch *s)
{
	const struct tm_python *python = &s->python.runtime.python;
	const bool late = python->entry == TM_PYTHON_ONE && s->python.search.count == 1;

	if (s->python.called)
		frame_put(s, s->python.called);
	if (s->python.loops > 1)
		frame_put(s, FRAME(METHOD) | (late ? TM_RUNTIME_PLACE_LATE : TM_FRAME_PLACE_MAX));
	return python_loop_leave(s);
}

/* Whether the functions that have been put are none of the first loop's, which has not begun. */
static __always_inline bool python_loop_is_early(const struct scratch *s)
{
	const struct tm_python *python = &s->python.runtime.python;
	__u64 chain = s->python.frames[s->python.at & (PYTHON_INTERPRETERS - 1)].chain;

	return s->python.loops == 1 && python->flags & TM_PYTHON_CHAIN &&
	       python->chain_frame != TM_RUNTIME_NONE &&
	       s->python.outer != python_word(chain + python->chain_frame);
}

/* The loop has no more functions; @entry: the frame that says so, or 0. Return: whether
 * python_step() is to follow, since they were not the loop's. */
static __always_inline int python_loop_end(struct scratch *s, __u32 level, __u64 entry)
{
	const struct tm_python *python = &s->python.runtime.python;

	if (python->entry == TM_PYTHON_OWNER && !(python->flags & TM_PYTHON_CHAIN) &&
	    (entry ? !python_loop_has(s, entry) : s->python.search.count > 1)) {
		s->walk.frames = s->python.taken;
		s->python.tried++;
		s->python.at++;
		return python_loop_try(level) || python_loop_lose(s);
	}
	if (python_loop_is_early(s)) {
		s->walk.frames = s->python.taken;
		return python_loop_lose(s);
	}
	s->python.frames[s->python.at & (PYTHON_INTERPRETERS - 1)].frame = s->python.outer;
	return python_loop_leave(s);
}
