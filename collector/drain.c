/* SPDX-License-Identifier: Apache-2.0 */
/* drain - moves records from the per-CPU BPF rings into the shared ring */

#include "collector/drain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/debug_paths.h"
#include "shared/event_check.h"

int drain_init(struct drain *drain, struct bpfring *rings, unsigned count, unsigned capacity)
{
	drain->rings = rings;
	drain->count = count;
	drain->limits = calloc(capacity, sizeof(*drain->limits));
	return drain->limits ? 0 : -ENOMEM;
}

void drain_deinit(struct drain *drain)
{
	free(drain->limits);
	drain->limits = NULL;
	drain->count = 0;
}

/* Prepares one checked record for the shared ring; changes it in place. */
static void rewrite(struct drain *drain, struct tm_event *event, uint64_t now_ms)
{
	if (event->type == TM_EVENT_SAMPLE) {
		struct tm_sample *sample = (struct tm_sample *)event;

		kallsyms_rebase_stack(drain->symbols, sample->frames, sample->kernel_frames,
				      event->ktime);
		return;
	}
	if (drain->reclaim && event->type != TM_EVENT_THREAD)
		reclaim_note(drain->reclaim, event);
	if (event->type == TM_EVENT_PROCESS)
		debug_paths_ask_perf_map(drain->files, (const struct tm_process *)event);
	if (event->type == TM_EVENT_FILE) {
		struct tm_file *file = (struct tm_file *)event;

		file_requests_announce(drain->files, file, now_ms);
		file->vm_start = file->vm_end = 0;
		memset(file->users, 0, sizeof(file->users));
	}
}

/* @drop: TM_DROP_N: it was pushed. */
static void count_off_cpu(struct tm_off_cpu_counts *counts, const struct tm_sample *sample,
			  enum tm_drop drop)
{
	++*(drop == TM_DROP_N ? &counts->pushed : &counts->drops[drop]);
	*(drop == TM_DROP_N ? &counts->pushed_ns : &counts->drops_ns[drop]) += sample->value;
}

/* After the check. */
static void push(struct drain *drain, const struct tm_event *event)
{
	const struct tm_sample *sample = (const void *)event;
	bool urgent = event->type != TM_EVENT_SAMPLE && event->type != TM_EVENT_THREAD &&
		      event->type != TM_EVENT_METHOD;
	bool pushed = tm_ring_push(drain->writer, event, event->bytes, urgent) == 0;

	if (urgent)
		drain->announce_lost += !pushed;
	else if (event->type == TM_EVENT_THREAD)
		drain->off_cpu.seen.ends_lost += !pushed;
	else if (event->type == TM_EVENT_METHOD)
		drain->methods_lost += !pushed;
	else if (sample->kind == TM_SAMPLE_OFF_CPU && sample->value)
		count_off_cpu(&drain->off_cpu, sample, pushed ? TM_DROP_N : TM_DROP_SHARED_FULL);
	else if (sample->kind == TM_SAMPLE_WAKER)
		drain->off_cpu.seen.wakers_lost += !pushed;
	else if (sample->kind == TM_SAMPLE_ON_CPU)
		++*(pushed ? &drain->pushed : &drain->shared_full);
}

static void forward(struct drain *drain, uint32_t bytes, uint64_t now_ms)
{
	struct tm_event *event = (void *)drain->record;
	const struct tm_sample *sample = (const void *)drain->record;
	bool urgent = bytes >= sizeof(*event) && event->type != TM_EVENT_SAMPLE;

	if (tm_event_check_from_bpf(event, bytes) < 0) {
		if (!urgent && bytes >= sizeof(*sample) && sample->kind == TM_SAMPLE_OFF_CPU)
			count_off_cpu(&drain->off_cpu, sample, TM_DROP_MALFORMED);
		else
			++*(urgent ? &drain->announce_lost : &drain->malformed);
		return;
	}
	rewrite(drain, event, now_ms);
	push(drain, event);
}

void drain_note(struct drain *drain)
{
	for (unsigned i = 0; i < drain->count; i++)
		drain->limits[i] = bpfring_position(&drain->rings[i]);
}

unsigned drain_run(struct drain *drain, uint64_t now_ms)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < drain->count; i++) {
		struct bpfring *ring = &drain->rings[i];
		uint64_t held = drain->limits[i] - ring->head_pos;
		unsigned percent = (unsigned)(held * 100 / drain->rings->bytes);
		uint32_t bytes = 0;
		int r;

		if (percent > drain->fullest_percent)
			drain->fullest_percent = percent;
		while ((r = bpfring_next(ring, drain->limits[i], drain->record,
					 sizeof(drain->record), &bytes)) <= 0) {
			if (r == 0)
				forward(drain, bytes, now_ms);
			else
				drain->malformed++;
		}
		busy += r == BPFRING_E_BUSY;
	}
	return busy;
}

void drain_commit(struct drain *drain)
{
	for (unsigned i = 0; i < drain->count; i++)
		bpfring_commit(&drain->rings[i]);
}
