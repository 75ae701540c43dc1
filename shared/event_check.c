/* SPDX-License-Identifier: Apache-2.0 */
/* event_check - checks that a private copy of a record is a valid one of shared/event.h */

#include "shared/event_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether a record of @bytes holds exactly the two parts, padded to 8. */
static bool is_size(uint32_t bytes, size_t fixed, size_t tail)
{
	return bytes == ((fixed + tail + 7) & ~(size_t)7);
}

static bool user_frame_ok(uint64_t frame)
{
	switch (frame >> TM_FRAME_KIND_SHIFT) {
	case TM_FRAME_FILE:
	case TM_FRAME_ANON:
	case TM_FRAME_VDSO:
	case TM_FRAME_METHOD:
		return true;
	case TM_FRAME_UNRESOLVED:
		return (frame & 0xff) < TM_UNRESOLVED_N;
	default:
		return false;
	}
}

static bool time_ok(const struct tm_sample *sample)
{
	if (sample->kind == TM_SAMPLE_WAKER)
		return sample->state == TM_THREAD_ON_CPU && sample->since && !sample->value;
	if (sample->kind == TM_SAMPLE_ON_CPU)
		return sample->state == TM_THREAD_ON_CPU && !sample->since && !sample->duration &&
		       sample->value <= TM_ON_CPU_VALUE_MAX && !sample->stack;
	return sample->kind < TM_SAMPLE_KINDS_N && sample->state != TM_THREAD_ON_CPU &&
	       sample->state < TM_THREAD_STATES_N && sample->value >= sample->duration &&
	       sample->value <= TM_OFF_CPU_VALUE_MAX;
}

static bool sample_ok(const struct tm_sample *sample, uint32_t bytes)
{
	size_t frames;

	if (bytes < sizeof(*sample) || sample->kernel_frames > TM_KERNEL_FRAMES_MAX ||
	    sample->user_frames > TM_USER_FRAMES_MAX || sample->user_stop >= TM_STOP_N ||
	    sample->kernel_stop >= TM_STOP_N || !time_ok(sample))
		return false;
	frames = (size_t)sample->kernel_frames + sample->user_frames;
	if (!is_size(bytes, sizeof(*sample), 8 * frames))
		return false;
	for (size_t i = sample->kernel_frames; i < frames; i++)
		if (!user_frame_ok(sample->frames[i]))
			return false;
	return true;
}

/* Packed components: an empty list, or the last one has its NUL. */
static bool packed_ok(const char *text, size_t bytes)
{
	return bytes == 0 || text[bytes - 1] == '\0';
}

static bool number_ok(uint32_t file)
{
	return file <= TM_FRAME_FILE_MAX || file == TM_FILE_NONE;
}

static bool process_ok(const struct tm_process *process, uint32_t bytes)
{
	if (bytes < sizeof(*process) || process->path_bytes > TM_PATH_MAX ||
	    process->cgroup_bytes > TM_CGROUP_MAX)
		return false;
	if (!number_ok(process->exe_file) || !number_ok(process->jitdump_file))
		return false;
	return is_size(bytes, offsetof(struct tm_process, text),
		       (size_t)process->path_bytes + process->cgroup_bytes) &&
	       packed_ok(process->text, process->path_bytes) &&
	       packed_ok(process->text + process->path_bytes, process->cgroup_bytes);
}

static bool file_ok(const struct tm_file *file, uint32_t bytes)
{
	return bytes >= sizeof(*file) && file->path_bytes <= TM_PATH_MAX &&
	       file->number <= TM_FRAME_FILE_MAX &&
	       is_size(bytes, offsetof(struct tm_file, text), file->path_bytes) &&
	       packed_ok(file->text, file->path_bytes);
}

static bool context_ok(const struct tm_context *context, uint32_t bytes)
{
	return bytes == sizeof(*context) ||
	       (bytes > sizeof(*context) && context->text_bytes <= TM_CONTEXT_MAX &&
		is_size(bytes, sizeof(*context), context->text_bytes));
}

static bool width_ok(uint8_t width)
{
	return width == 1 || width == 2 || width == 4;
}

/* The longest of each text is the reader's to check (symbolizer/profile/method_content.h). */
static bool method_ok(const struct tm_method *method, uint32_t bytes)
{
	return bytes >= sizeof(*method) && method->number &&
	       method->number <= TM_FRAME_METHOD_MAX && !(method->flags & ~TM_METHOD_FLAGS) &&
	       width_ok(method->name_width) && width_ok(method->file_width) &&
	       is_size(bytes, offsetof(struct tm_method, text),
		       (size_t)method->class_bytes + method->name_bytes + method->signature_bytes +
			       method->file_bytes + method->lines_bytes);
}

/* Times of which sums cannot overflow. */
static bool thread_ok(const struct tm_thread *thread, uint32_t bytes)
{
	if (bytes < sizeof(*thread) || thread->kernel_frames > TM_KERNEL_FRAMES_MAX ||
	    thread->state > TM_THREAD_STATES_N || thread->flags & ~TM_THREAD_COUNTED ||
	    thread->since > thread->event.ktime || thread->seen > thread->event.ktime ||
	    !is_size(bytes, sizeof(*thread), 8 * (size_t)thread->kernel_frames))
		return false;
	for (size_t i = 0; i < TM_THREAD_STATES_N; i++)
		if (thread->ns[i] > TM_OFF_CPU_VALUE_MAX)
			return false;
	return true;
}

static bool is_valid(const struct tm_event *event, uint32_t bytes)
{
	switch (event->type) {
	case TM_EVENT_SAMPLE:
		return sample_ok((const void *)event, bytes);
	case TM_EVENT_PROCESS:
		return process_ok((const void *)event, bytes);
	case TM_EVENT_FILE:
		return file_ok((const void *)event, bytes);
	case TM_EVENT_CONTEXT:
		return context_ok((const void *)event, bytes);
	case TM_EVENT_METHOD:
		return method_ok((const void *)event, bytes);
	case TM_EVENT_THREAD:
		return thread_ok((const void *)event, bytes);
	default:
		return event->type == TM_EVENT_EXIT && bytes == sizeof(struct tm_exit);
	}
}

int tm_event_check_from_bpf(const void *record, uint32_t bytes)
{
	const struct tm_event *event = record;

	return bytes >= sizeof(*event) && bytes <= TM_EVENT_MAX_BYTES && event->bytes == bytes &&
			       is_valid(event, bytes)
		       ? 0
		       : -EBADMSG;
}
