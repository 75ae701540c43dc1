/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * method - numbers of the functions of language runtimes, and their METHOD records
 *
 * Number     made by the CPU and level that meets a function first, from a counter that never goes
 *            back; 0 once that is used up, or when the map refuses. It is the function's as long as
 *            the map has its entry.
 * Announce   behind the sample, as long as METHOD_TIME_NS last; on one CPU METHOD_SPENT_NS in about
 *            a second. What is late is announced behind the CPU's next sample, if that is of the
 *            same process, else by the next one with a frame of it. What was not in memory is left
 *            empty, and announced again: after METHOD_WAIT_MS, and after twice as long each time.
 *            A further part of a line table follows when the function is sampled again, a
 *            millisecond later at least.
 * Room       that of samples; of the ring a quarter, counted from when the collector had read all
 *            METHOD records of this level.
 * Trust      everything is read from the sampled process itself, by addresses that it has: it can
 *            only say something else of itself.
 */

#include "bpf/announce_file.bpf.h"
#include "bpf/method_share.bpf.h"
#include "shared/method.h"

#define METHOD_WAIT_MS    16u
#define METHOD_ROOM_SHIFT 2
#define METHOD_PART_BITS  8 /* of method_state.part; those above are an epoch */

/* Where the last text of a record can begin. */
#define METHOD_LINES_AT_MAX                                                    \
	(sizeof(struct tm_method) + TM_METHOD_NAME_MAX + TM_METHOD_CLASS_MAX + \
	 TM_METHOD_SIGNATURE_MAX + TM_METHOD_FILE_MAX)

static __always_inline __u32 method_epoch(const struct scratch *s, __u64 number)
{
	return announce_epoch(s->sample.event.ktime, (__u32)number << 4);
}

static __always_inline __u64 method_turn(const struct scratch *s, __u64 number)
{
	return announce_turn(s->sample.event.ktime, (__u32)number << 4);
}

static __always_inline __u32 method_now_ms(const struct scratch *s)
{
	return (__u32)(s->sample.event.ktime >> 20);
}

static __always_inline bool method_is_due(struct scratch *s, const struct method_state *state)
{
	return state->epoch != method_epoch(s, state->number) &&
	       (__s32)(method_now_ms(s) - state->next_ms) >= 0;
}

/*
 * The part that is next. It is kept with the epoch in which all of them were announced last, which
 * is @before: if another CPU has announced the rest meanwhile, the first one is next.
 */
static __always_inline __u32 method_part(const struct method_state *state, __u32 before)
{
	__u32 after = state->part - (before << METHOD_PART_BITS);

	return after < TM_METHOD_PARTS ? after : 0;
}

/* What there is of a number where there is none (shared/runtime.h). */
static __always_inline __u64 method_no_number(const struct scratch *s)
{
	return s->method.key.kind == METHOD_PYTHON ? 0 : TM_RUNTIME_NUMBER_JAVA;
}

/* With its lowest bit. Return: 0: there are no more. */
static __always_inline __u64 method_new_number(__u32 level, __u64 lowest)
{
	__u64 cpu = bpf_get_smp_processor_id(), counters = (__u64)method_cpus * TM_LEVELS_N, number;
	struct tm_cpu_slot *slot = nesting_slot((__u32)cpu);

	if (!slot || level >= TM_LEVELS_N)
		return 0;
	number = ((slot->methods[level] + 1) * counters + cpu * TM_LEVELS_N + level) << 1 | lowest;
	if (number > TM_FRAME_METHOD_MAX)
		return 0;
	slot->methods[level]++;
	return number;
}

/* The part of s->method.key that says whose function it is. */
static __always_inline struct method_key *method_key_begin(struct scratch *s, __u32 kind)
{
	struct method_key *key = &s->method.key;

	key->start_boottime = s->sample.event.start_boottime;
	key->tgid = s->sample.event.tgid;
	key->exec_id = s->sample.event.exec_id;
	key->kind = kind;
	return key;
}

static __always_inline void method_is_late(struct scratch *s, __u32 count)
{
	s->counts.bpf.methods_late += count;
	s->method.unsaid++;
}

/* The number of the function with s->method.key, which is to be announced if that is due. */
__noinline __u64 method_number(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	struct method_state fresh = {}, *state;

	if (!s)
		return 0;
	s->counts.bpf.methods++;
	s->method.epoch = 0;
	state = bpf_map_lookup_elem(&methods, &s->method.key);
	if (!state && !method_take_number(s, level)) {
		s->counts.bpf.methods_limited++;
		s->method.unsaid++;
		return method_no_number(s);
	}
	if (!state) {
		fresh.number = method_new_number(level, method_no_number(s));
		fresh.next_ms = method_now_ms(s);
		if (!fresh.number ||
		    bpf_map_update_elem(&methods, &s->method.key, &fresh, BPF_NOEXIST))
			return method_no_number(s);
		state = &fresh;
	}
	s->method.epoch = state->epoch;
	s->method.unsaid += method_part(state, s->method.epoch) != 0;
	if (!method_is_due(s, state))
		return state->number;
	if (s->runtimes.methods_due < METHODS_DUE)
		s->method.due[s->runtimes.methods_due++ & (METHODS_DUE - 1)] = s->method.key;
	else
		method_is_late(s, 1);
	return state->number;
}

/* What is left of the sample before stays due if this one is of the same process. No runtime was
 * met yet. */
static __always_inline void method_begin_sample(struct scratch *s)
{
	const struct method_key *left = &s->method.due[0];
	const struct tm_event *event = &s->sample.event;

	s->runtimes.python_table = 0;
	if (!s->runtimes.methods_due)
		return;
	if (left->tgid != event->tgid || left->exec_id != event->exec_id ||
	    left->start_boottime != event->start_boottime)
		s->runtimes.methods_due = 0;
}

/* The METHOD record, where the frames of the sample that is written were. */
static __always_inline struct tm_method *method_record(struct scratch *s)
{
	return (struct tm_method *)s->frames;
}

/*
 * Appends @bytes of the process's memory to the record, at most @most.
 * Return: how many; 0: none, or they are not in memory, which the record says then.
 */
static __always_inline __u32 method_copy(struct scratch *s, __u64 address, __u64 bytes, __u32 most)
{
	__u64 at = method_record(s)->event.bytes;

	kread_opaque(bytes);
	if (bytes > most)
		bytes = most;
	kread_opaque(at);
	if (at > METHOD_LINES_AT_MAX)
		return 0;
	if (!address ||
	    bpf_probe_read_user((char *)s->frames + at, (__u32)bytes, (const void *)address)) {
		method_record(s)->flags |= TM_METHOD_NOT_RESIDENT;
		return 0;
	}
	method_record(s)->event.bytes += (__u32)bytes;
	return (__u32)bytes;
}

/* Appends a part of the line table, which has @bytes at @address. */
static __always_inline void method_copy_lines(struct scratch *s, __u64 address, __u64 bytes)
{
	__u64 from = (__u64)s->method.part * TM_METHOD_LINES_MAX;

	method_record(s)->lines_part = (__u16)s->method.part;
	if (bytes <= from)
		return;
	bytes -= from;
	if (bytes > TM_METHOD_LINES_MAX)
		method_record(s)->flags |= TM_METHOD_LINES_CUT;
	method_record(s)->lines_bytes =
		(__u16)method_copy(s, address + from, bytes, TM_METHOD_LINES_MAX);
}

/* Whether there is room for so many bytes of METHOD records more. */
static __always_inline bool method_has_room(struct scratch *s, __u32 bytes)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	if (!ring)
		return false;
	if (bpf_ringbuf_query(ring, BPF_RB_CONS_POS) >= s->method.written) {
		s->method.room = bpf_ringbuf_query(ring, BPF_RB_RING_SIZE) >> METHOD_ROOM_SHIFT;
		s->method.turn++;
	}
	s->method.written = bpf_ringbuf_query(ring, BPF_RB_PROD_POS) + bytes;
	return method_take_room(s, bytes);
}

/* Padded to 8 bytes. Return: whether there was room. */
static __always_inline bool method_write(struct scratch *s)
{
	__u64 end = method_record(s)->event.bytes, bytes;
	const __u64 most = METHOD_LINES_AT_MAX + TM_METHOD_LINES_MAX;

	kread_opaque(end);
	if (end > most)
		end = most;
	__builtin_memset((char *)s->frames + end, 0, 8);
	bytes = (end + 7) & ~7ull;
	method_record(s)->event.bytes = (__u32)bytes;
	kread_opaque(bytes);
	if (bytes > most + 8)
		bytes = most + 8;
	return method_has_room(s, (__u32)bytes) &&
	       nesting_write(s->frames, (__u32)bytes, NESTING_SAMPLES, BPF_RB_NO_WAKEUP);
}

/* Writes the record that was made of the function with s->method.key. */
static __always_inline void method_finish(struct scratch *s, struct method_state *state)
{
	bool resident = !(method_record(s)->flags & TM_METHOD_NOT_RESIDENT);

	if (!method_write(s)) {
		s->counts.bpf.methods_lost++;
		s->method.unsaid++;
		return;
	}
	s->counts.bpf.methods_written++;
	if (resident) {
		state->wait_ms = 0;
		if (method_record(s)->flags & TM_METHOD_LINES_CUT &&
		    s->method.part + 1 < TM_METHOD_PARTS) {
			state->next_ms = method_now_ms(s) + 1; /* of a later time than this one */
			state->part = s->method.before << METHOD_PART_BITS | (s->method.part + 1);
			s->method.unsaid++;
			return;
		}
		state->part = 0;
		state->epoch = method_epoch(s, state->number);
		return;
	}
	state->wait_ms = state->wait_ms ? 2 * state->wait_ms : METHOD_WAIT_MS;
	if (state->wait_ms > (__u32)(TM_EPOCH_NS >> 20))
		state->wait_ms = (__u32)(TM_EPOCH_NS >> 20);
	state->next_ms = method_now_ms(s) + state->wait_ms;
}
