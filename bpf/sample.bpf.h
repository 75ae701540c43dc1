/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * sample - one SAMPLE record: its head, the steps of its walk, and its end
 */

#include "bpf/announce_executable.bpf.h"
#include "bpf/kernel_stack.bpf.h"
#include "bpf/method_announce.bpf.h"
#include "bpf/unwind_start.bpf.h"

/* Steps of the loop: a frame each, and one more for each interpreter's. */
#define SAMPLE_STEPS (2 * TM_USER_FRAMES_MAX)
/* Steps of the loop without bpf_loop: as many as the verifier of Linux 5.10 accepts. */
#define BOUNDED_FRAMES 4096

/* Of the running task; @ip: what the timer interrupted, or an address of the kernel. */
static __always_inline void sample_head(struct nesting *level, __u64 task, __u64 ip)
{
	struct scratch *s = level->scratch;
	struct tm_event *event = &s->sample.event;

	task_describe(task, event);
	event->type = TM_EVENT_SAMPLE;
	event->cpu = (__u16)level->cpu;
	event->ktime = level->ktime;
	s->walk.task = task;
	s->walk.mm = (__u64)TASK_FIELD(task, mm);
	s->walk.announced = 0;
	method_begin_sample(s);
	java_begin_sample(s);
	if (ip >> 63 == 0)
		event->flags |= TM_FLAG_USER_MODE;
	bpf_get_current_comm(s->sample.comm, sizeof(s->sample.comm));
}

/* What one sample may cost. @components: of the paths of its announcements together. */
static __always_inline void sample_limits(struct scratch *s, __u32 frames, __u64 ns,
					  __u32 components)
{
	s->walk.frames_most = frames;
	s->walk.time_most = ns;
	s->path.left = components;
}

/* After the walk: announces the process. sample_write() follows, once or more. */
static __always_inline void sample_finish(struct nesting *level)
{
	struct scratch *s = level->scratch;

	if (s->walk.stop == TM_STOP_EXITING) {
		s->sample.event.flags |= TM_FLAG_NO_MM;
		s->counts.bpf.exiting++;
	}
	if (announce_generation(level) && s->walk.has_mapping_cache)
		announce_executable(level->number);
	if (s->runtimes.java_file)
		java_note_file(level->number);
	s->sample.kernel_frames = (__u16)s->walk.first;
	s->sample.user_frames = (__u16)s->walk.frames;
	s->sample.user_stop = (__u8)s->walk.stop;
}

/* Into the ring of this level alone, whose memory is at hand: it costs less than the CPU's ring. A
 * function of its own, since the walk needs the BPF stack that its variables would take. */
static __noinline bool sample_put(struct scratch *s)
{
	struct tm_level_samples *samples = &s->samples;
	__u64 at = samples->written, offset = at;
	/* Read again: Linux 6.12 takes over what is found out here for a variable of the caller
	 * that this is the sum of, and loses its limit. */
	__u64 whole = sizeof(s->sample_bytes) + *(volatile __u32 *)&s->sample.event.bytes;

	kread_opaque(offset);
	kread_opaque(whole);
	offset &= TM_SAMPLES_BYTES - 1;
	if (whole > TM_SAMPLES_RECORD_MAX ||
	    at + whole - *(volatile __u64 *)&samples->read > TM_SAMPLES_BYTES)
		return false;
	s->sample_bytes = whole - sizeof(s->sample_bytes);
	if (bpf_probe_read_kernel(s->ring + offset, (__u32)whole, &s->sample_bytes))
		return false;
	asm volatile("" : : : "memory");
	/* S1 -> P2 (bpfring.c): stores keep their order on x86-64 */
	*(volatile __u64 *)&samples->written = at + whole;
	return true;
}

static __always_inline bool sample_write(struct nesting *level, enum nesting_share share)
{
	struct scratch *s = level->scratch;
	struct tm_sample *sample = &s->sample;
	__u64 bytes = sizeof(*sample) + 8ull * (sample->kernel_frames + sample->user_frames);

	kread_opaque(bytes);
	if (bytes > TM_EVENT_MAX_BYTES)
		bytes = TM_EVENT_MAX_BYTES;
	sample->event.bytes = (__u32)bytes;
	if (sample_put(s))
		return true;
	return nesting_write(sample, (__u32)bytes, share, BPF_RB_NO_WAKEUP);
}

/* After the last sample_write(): announces methods that are due, at most so many. */
static __always_inline void sample_methods(struct nesting *level, __u32 most)
{
	if (level->scratch->runtimes.methods_due)
		method_announce_all(level->number, most);
}

static long sample_step(__u32 index, void *data)
{
	struct nesting *level = data;

	return unwind_once(level->scratch, level->number);
}

/* Walks the user stack in so many steps. Those that were taken back (bpf/python_loop.bpf.h) may
 * leave too few for the rest. */
static __always_inline void sample_walk(struct nesting *level, __u32 steps)
{
	if (bpf_loop(steps, sample_step, level, 0) >= steps)
		unwind_end(level->scratch, TM_STOP_DEPTH);
}

/* The same for kernels without bpf_loop (before 5.17). */
static __always_inline void sample_walk_bounded(struct nesting *level, __u32 steps)
{
	int done = 0;

	for (__u32 i = 0; i < steps && !done; i++)
		done = unwind_verified(level->number);
	if (!done)
		unwind_end(level->scratch, TM_STOP_DEPTH);
}
