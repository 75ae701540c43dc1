/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * python_thread - finds the PyThreadState of the sampled thread
 *
 * Thread     the one in the lists of the interpreters that has the thread's thread pointer for its
 *            number, as pthread_self() returns it, and runs a frame. A thread may have one in
 *            several interpreters; one that runs is taken, and kept as long as it runs.
 * Memory     each CPU remembers where it found them. One that was freed meanwhile is not taken,
 *            since no list has it any more; a search that did not end goes on with the next sample.
 */

#include "bpf/frame.bpf.h"
#include "bpf/method.bpf.h"
#include "bpf/stack_bounds.bpf.h"

#define PYTHON_SEARCH   64 /* thread states that may be looked at for a sample */
#define PYTHON_SEARCHES 64 /* samples that a search may take; then it begins anew */

static __always_inline __u64 python_word(__u64 address)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (const void *)address))
		return 0;
	return word;
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
	__u64 frame = python_word(thread + python->thread_frame);

	return python->flags & TM_PYTHON_CHAIN ? stack_has(s, frame) : frame != 0;
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
	kept->address = 0;
	return kept;
}

/* Looks at one thread state. Return: whether it is the one, or there are no more. */
__noinline int python_thread_step(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct python_search *search;
	const struct tm_python *python;

	if (!s)
		return 1;
	search = &s->python.search;
	python = &s->python.runtime.python;
	if (search->thread && python_thread_is(s, search->thread, search->number))
		return 1;
	if (search->thread) {
		search->thread = python_word(search->thread + python->thread_next);
		return 0;
	}
	if (!search->interpreter)
		return 1;
	search->thread = python_word(search->interpreter + python->interpreter_threads);
	search->interpreter = python_word(search->interpreter + python->interpreter_next);
	return 0;
}

/* Where the search begins: at what was found before if it still is what it was, or goes on. */
static __always_inline void python_thread_begin(struct scratch *s, struct python_thread *kept)
{
	const struct tm_python *python = &s->python.runtime.python;
	struct python_search *search = &s->python.search;

	search->number = TASK_READ(s->walk.task, thread.fsbase);
	if (kept->address && !kept->searches && !python_thread_is(s, kept->address, search->number))
		kept->address = 0;
	search->thread = kept->address;
	search->interpreter = kept->address
				      ? python_word(kept->address + python->thread_interpreter)
				      : python_word(s->python.state + python->runtime_interpreters);
}

/* Finds the sampled thread's PyThreadState, and the innermost frame. */
__noinline int python_thread_find(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct python_thread *kept;
	int done = 0;

	if (!s)
		return 0;
	kept = python_thread_kept(s);
	python_thread_begin(s, kept);
	for (int i = 0; i < PYTHON_SEARCH && !done; i++)
		done = python_thread_step(level);
	kept->searches = done ? 0 : (kept->searches + 1) % PYTHON_SEARCHES;
	kept->address = done || kept->searches ? s->python.search.thread : 0;
	if (!done || !s->python.search.thread)
		return 0;
	s->python.thread = s->python.search.thread;
	s->python.next = python_word(s->python.thread + s->python.runtime.python.thread_frame);
	return 0;
}
