/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * python_thread - finds the PyThreadState of the sampled thread
 *
 * Thread     one in the list of an interpreter that has the thread's thread pointer for its number,
 *            as pthread_self() returns it, and runs a frame. A thread has one in each interpreter
 *            that it runs, and so all of them are sought where there are several interpreters.
 * Memory     each CPU remembers what it found. One that was freed meanwhile is not taken, since no
 *            list has it any more; a search that did not end goes on with the next sample, and ends
 *            early where that was freed.
 */

#include "bpf/frame.bpf.h"
#include "bpf/method.bpf.h"
#include "bpf/stack_bounds.bpf.h"

#define PYTHON_SEARCH   64 /* steps of a sample: an interpreter, or a thread state */
#define PYTHON_SEARCHES 64 /* samples that a search may take; then it begins anew */

static __always_inline __u64 python_word(__u64 address)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (const void *)address))
		return 0;
	return word;
}

/* Reads a structure of the process into s->block. */
static __always_inline bool python_read(struct scratch *s, __u64 address, __u64 bytes)
{
	kread_opaque(bytes);
	if (bytes > KREAD_BYTES)
		bytes = KREAD_BYTES;
	return address && !bpf_probe_read_user(s->block.words, (__u32)bytes, (const void *)address);
}

/* Of a thread state, if there is one. A version may lack the field: to read there may fault. */
static __always_inline __u64 python_thread_word(__u64 thread, __u32 offset)
{
	return thread && offset != TM_RUNTIME_NONE ? python_word(thread + offset) : 0;
}

/* Whether it is in its interpreter's list. */
static __always_inline bool python_thread_is_linked(const struct tm_python *python, __u64 thread)
{
	__u64 previous = python_word(thread + python->thread_previous), interpreter;

	if (previous)
		return python_word(previous + python->thread_next) == thread;
	interpreter = python_word(thread + python->thread_interpreter);
	return python_word(interpreter + python->interpreter_threads) == thread;
}

/* Whether it runs a frame: where it has a chain, that is on the stack then. */
static __always_inline bool python_thread_runs(const struct scratch *s, __u64 thread)
{
	const struct tm_python *python = &s->python.runtime.python;

	if (python->flags & TM_PYTHON_CHAIN)
		return stack_has(s, python_word(thread + python->thread_chain));
	return python_word(thread + python->thread_frame);
}

static __always_inline bool python_thread_is(const struct scratch *s, __u64 thread, __u64 number)
{
	const struct tm_python *python = &s->python.runtime.python;

	return python_word(thread + python->thread_id) == number &&
	       python_thread_is_linked(python, thread) && python_thread_runs(s, thread);
}

static __always_inline struct python_thread *python_thread_kept(struct scratch *s)
{
	const struct tm_event *event = &s->sample.event;
	struct python_thread *kept = &s->python.threads[event->tid & (PYTHON_THREADS - 1)];

	if (kept->tid == event->tid && kept->tgid == event->tgid &&
	    kept->exec_id == event->exec_id && kept->start_boottime == event->start_boottime)
		return kept;
	kept->tid = event->tid;
	kept->tgid = event->tgid;
	kept->exec_id = event->exec_id;
	kept->start_boottime = event->start_boottime;
	kept->searches = 0;
	__builtin_memset(kept->found, 0, sizeof(kept->found));
	return kept;
}

/* Notes it if it is the sampled thread's. */
static __always_inline void python_thread_look(struct scratch *s, __u64 thread)
{
	struct python_search *search = &s->python.search;

	if (!thread || !python_thread_is(s, thread, search->number))
		return;
	for (__u32 i = 0; i < PYTHON_INTERPRETERS; i++)
		if (i < search->count && search->found[i] == thread)
			return;
	if (search->count < PYTHON_INTERPRETERS)
		search->found[search->count++ & (PYTHON_INTERPRETERS - 1)] = thread;
}

/* Goes on by one thread state. Return: whether there are no more. */
__noinline int python_thread_step(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct python_search *search;
	const struct tm_python *python;

	if (!s)
		return 1;
	search = &s->python.search;
	python = &s->python.runtime.python;
	if (search->thread) {
		python_thread_look(s, search->thread);
		search->thread = python_word(search->thread + python->thread_next);
		return 0;
	}
	if (!search->interpreter)
		return 1;
	search->thread = python_word(search->interpreter + python->interpreter_threads);
	search->interpreter = python_word(search->interpreter + python->interpreter_next);
	return 0;
}

/* Begins anew, or goes on where the sample before has ended. */
static __always_inline void python_search_begin(struct scratch *s, struct python_thread *kept)
{
	const struct tm_python *python = &s->python.runtime.python;
	struct python_search *search = &s->python.search;

	search->number = TASK_READ(s->walk.task, thread.fsbase);
	search->count = 0;
	search->thread = kept->searches ? kept->thread : 0;
	search->interpreter = kept->searches
				      ? kept->interpreter
				      : python_word(s->python.state + python->runtime_interpreters);
}

/* What was found before, if it still is. Return: whether there can be no more. */
__noinline int python_search_known(__u32 level, __u32 kept_at)
{
	struct scratch *s = nesting_scratch(level);
	const struct tm_python *python;
	struct python_thread *kept;
	__u64 interpreter;

	if (!s)
		return 1;
	python = &s->python.runtime.python;
	kept = &s->python.threads[kept_at & (PYTHON_THREADS - 1)];
	for (__u32 i = 0; i < PYTHON_INTERPRETERS; i++)
		python_thread_look(s, kept->found[i]);
	interpreter = python_word(s->python.state + python->runtime_interpreters);
	return s->python.search.count && !python_word(interpreter + python->interpreter_next);
}

/* Keeps what was found. */
static __always_inline void python_search_end(struct scratch *s, struct python_thread *kept,
					      bool done)
{
	const struct tm_python *python = &s->python.runtime.python;
	struct python_search *search = &s->python.search;

	kept->searches = done ? 0 : (kept->searches + 1) % PYTHON_SEARCHES;
	kept->thread = search->thread;
	kept->interpreter = search->interpreter;
#pragma unroll
	for (__u32 i = 0; i < PYTHON_INTERPRETERS; i++) {
		__u64 thread = i < search->count ? search->found[i] : 0;
		struct python_frames *frames = &s->python.frames[i];

		kept->found[i] = thread;
		frames->frame = python_thread_word(thread, python->thread_frame);
		frames->chain = python_thread_word(thread, python->thread_chain);
	}
}

/* Finds the sampled thread's PyThreadStates, and their innermost frames. */
__noinline int python_thread_find(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct python_thread *kept;
	int done;

	if (!s)
		return 0;
	kept = python_thread_kept(s);
	python_search_begin(s, kept);
	done = python_search_known(level, s->sample.event.tid);
	for (int i = 0; i < PYTHON_SEARCH && !done; i++)
		done = python_thread_step(level);
	python_search_end(s, kept, done);
	return 0;
}
