/* SPDX-License-Identifier: Apache-2.0 */
/* drain - moves records from the per-CPU BPF rings into the shared ring */

#include "collector/drain.h"

#include <errno.h>
#include <stdlib.h>

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

/* Leaf first: the first frame is the interrupted pc, all others are return addresses. */
static void rebase(struct drain *drain, struct tm_sample *sample)
{
	for (unsigned i = 0; i < sample->kernel_frames; i++) {
		sample->frames[i] =
			kallsyms_rebase(drain->symbols, sample->frames[i], sample->event.ktime);
		if (i > 0)
			sample->frames[i] |= TM_FRAME_RETURN;
	}
}

void drain_rewrite(struct drain *drain, struct tm_event *event, uint64_t now_ms)
{
	if (event->type == TM_EVENT_SAMPLE) {
		rebase(drain, (struct tm_sample *)event);
		return;
	}
	if (drain->reclaim)
		reclaim_note(drain->reclaim, event);
	if (event->type == TM_EVENT_PROCESS)
		debug_paths_ask_perf_map(drain->files, (const struct tm_process *)event);
	if (event->type == TM_EVENT_FILE) {
		struct tm_file *file = (struct tm_file *)event;

		file_requests_announce(drain->files, file, now_ms);
		file->vm_start = 0;
		file->vm_end = 0;
	}
}

static void forward(struct drain *drain, uint32_t bytes, uint64_t now_ms)
{
	struct tm_event *event = (void *)drain->record;
	bool urgent = bytes >= sizeof(*event) && event->type != TM_EVENT_SAMPLE;

	if (tm_event_check_from_bpf(event, bytes) < 0) {
		++*(urgent ? &drain->announce_lost : &drain->malformed);
		return;
	}
	drain_rewrite(drain, event, now_ms);
	if (tm_ring_push(drain->writer, event, bytes, urgent) == 0)
		drain->pushed += !urgent;
	else if (urgent)
		drain->announce_lost++;
	else
		drain->shared_full++;
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
		unsigned percent = (unsigned)(held * 100 / ring->bytes);
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
		bpfring_commit(ring);
	}
	return busy;
}
