/* SPDX-License-Identifier: Apache-2.0 */
/* drain - one round from the BPF rings to the shared ring */

#include "collector/drain.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static bool fills(uint32_t bytes, size_t fixed, size_t tail)
{
	return bytes == ((fixed + tail + 7) & ~(size_t)7);
}

static bool user_word_ok(uint64_t word)
{
	switch (word >> TM_FRAME_KIND_SHIFT) {
	case TM_FRAME_FILE:
	case TM_FRAME_ANON:
	case TM_FRAME_VDSO:
		return true;
	case TM_FRAME_UNRESOLVED:
		return (word & 0xff) < TM_UNRESOLVED_N;
	default:
		return false;
	}
}

static bool sample_ok(const struct tm_sample *sample, uint32_t bytes)
{
	size_t words;

	if (bytes < sizeof(*sample) || sample->kernel_frames > TM_KERNEL_FRAMES_MAX ||
	    sample->user_frames > TM_USER_FRAMES_MAX || sample->user_stop >= TM_STOP_N ||
	    sample->kernel_stop >= TM_STOP_N)
		return false;
	words = (size_t)sample->kernel_frames + sample->user_frames;
	if (!fills(bytes, sizeof(*sample), 8 * words))
		return false;
	for (size_t i = sample->kernel_frames; i < words; i++)
		if (!user_word_ok(sample->frames[i]))
			return false;
	return true;
}

/* Packed components: an empty list, or every byte belongs to a component that a NUL closes. */
static bool packed_ok(const char *text, size_t bytes)
{
	return bytes == 0 || text[bytes - 1] == '\0';
}

static bool process_ok(const struct tm_process *process, uint32_t bytes)
{
	if (bytes < sizeof(*process) || process->path_bytes > TM_PATH_MAX ||
	    process->cgroup_bytes > TM_CGROUP_MAX)
		return false;
	if (process->exe_file > TM_FRAME_FILE_MAX && process->exe_file != TM_FILE_NONE)
		return false;
	return fills(bytes, offsetof(struct tm_process, text),
		     (size_t)process->path_bytes + process->cgroup_bytes) &&
	       packed_ok(process->text, process->path_bytes) &&
	       packed_ok(process->text + process->path_bytes, process->cgroup_bytes);
}

static bool file_ok(const struct tm_file *file, uint32_t bytes)
{
	return bytes >= sizeof(*file) && file->path_bytes <= TM_PATH_MAX &&
	       file->number <= TM_FRAME_FILE_MAX &&
	       fills(bytes, offsetof(struct tm_file, text), file->path_bytes) &&
	       packed_ok(file->text, file->path_bytes);
}

int drain_check(const void *record, uint32_t bytes)
{
	const struct tm_event *event = record;
	bool ok = false;

	if (bytes < sizeof(*event) || bytes > TM_EVENT_MAX_BYTES || event->bytes != bytes)
		return -EBADMSG;
	switch (event->type) {
	case TM_EVENT_SAMPLE:
		ok = sample_ok(record, bytes);
		break;
	case TM_EVENT_PROCESS:
		ok = process_ok(record, bytes);
		break;
	case TM_EVENT_FILE:
		ok = file_ok(record, bytes);
		break;
	case TM_EVENT_EXIT:
		ok = bytes == sizeof(struct tm_exit);
		break;
	}
	return ok ? 0 : -EBADMSG;
}

int drain_init(struct drain *drain, struct bpfring *rings, unsigned count)
{
	drain->rings = rings;
	drain->count = count;
	drain->limits = calloc(count ? count : 1, sizeof(*drain->limits));
	return drain->limits ? 0 : -ENOMEM;
}

void drain_deinit(struct drain *drain)
{
	for (unsigned i = 0; i < drain->count; i++)
		bpfring_close(&drain->rings[i]);
	free(drain->rings);
	free(drain->limits);
	drain->rings = NULL;
	drain->limits = NULL;
	drain->count = 0;
}

/* Leaf first: what was interrupted is an exact pc, all above it are return addresses. */
static void rebase(struct drain *drain, struct tm_sample *sample)
{
	for (unsigned i = 0; i < sample->kernel_frames; i++) {
		sample->frames[i] = symbols_rebase(drain->symbols, sample->frames[i]);
		if (i > 0)
			sample->frames[i] |= TM_FRAME_RETURN;
	}
}

void drain_rewrite(struct drain *drain, struct tm_event *event, uint64_t now_ms)
{
	if (event->type == TM_EVENT_SAMPLE) {
		rebase(drain, (struct tm_sample *)event);
	} else if (event->type == TM_EVENT_PROCESS) {
		drain->processes++;
	} else if (event->type == TM_EVENT_FILE) {
		struct tm_file *file = (struct tm_file *)event;

		files_announce(drain->files, file, now_ms);
		file->vm_start = 0;
		file->vm_end = 0;
	}
}

static void count_malformed(struct drain *drain, uint32_t bytes)
{
	const struct tm_event *event = (const void *)drain->record;

	if (bytes >= sizeof(*event) && event->type != TM_EVENT_SAMPLE)
		drain->announce_lost++;
	else
		drain->malformed++;
}

static void carry(struct drain *drain, uint32_t bytes, uint64_t now_ms)
{
	struct tm_event *event = (void *)drain->record;
	int urgent;

	if (drain_check(event, bytes) < 0) {
		count_malformed(drain, bytes);
		return;
	}
	drain_rewrite(drain, event, now_ms);
	urgent = event->type != TM_EVENT_SAMPLE;
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
		drain->limits[i] = bpfring_note(&drain->rings[i]);
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
				carry(drain, bytes, now_ms);
			else
				drain->malformed++;
		}
		busy += r == BPFRING_E_BUSY;
		bpfring_commit(ring);
	}
	return busy;
}
