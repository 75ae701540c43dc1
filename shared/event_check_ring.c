/* SPDX-License-Identifier: Apache-2.0 */
/* event_check_ring - checks what the collector makes of a record: kernel frames, and RETIRE */

#include "shared/event_check_ring.h"

#include <errno.h>
#include <stddef.h>

#include "shared/event_check.h"

static bool kernel_frames_ok(const uint64_t *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (frames[i] >> TM_FRAME_KIND_SHIFT != TM_FRAME_KERNEL)
			return false;
	return true;
}

static bool is_rebased(const struct tm_event *event)
{
	const struct tm_sample *sample = (const void *)event;
	const struct tm_thread *thread = (const void *)event;

	if (event->type == TM_EVENT_SAMPLE)
		return kernel_frames_ok(sample->frames, sample->kernel_frames);
	if (event->type == TM_EVENT_THREAD)
		return kernel_frames_ok(thread->frames, thread->kernel_frames);
	return true;
}

int tm_event_check_from_ring(const void *record, uint32_t bytes)
{
	const struct tm_event *event = record;
	const struct tm_retire *retire = record;

	if (bytes >= sizeof(*event) && event->type == TM_EVENT_RETIRE)
		return bytes == sizeof(*retire) && event->bytes == bytes &&
				       retire->number <= TM_FRAME_FILE_MAX
			       ? 0
			       : -EBADMSG;
	if (tm_event_check_from_bpf(record, bytes) < 0)
		return -EBADMSG;
	return is_rebased(event) ? 0 : -EBADMSG;
}

bool tm_identity_grows(const struct tm_identity *identity)
{
	return !identity->size && !identity->mtime_sec && !identity->mtime_nsec &&
	       !identity->ctime_ns;
}
