/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check - whether a record copied out of the shared ring is what its header says
 */

#include "symbolizer/check.h"

#include <stddef.h>

static uint64_t round_up_8(uint64_t bytes)
{
	return (bytes + 7u) & ~7ull;
}

static int bad_kernel_frame(uint64_t word)
{
	return word >> TM_FRAME_KIND_SHIFT != TM_FRAME_KERNEL;
}

static int bad_user_frame(uint64_t word)
{
	switch (word >> TM_FRAME_KIND_SHIFT) {
	case TM_FRAME_FILE:
	case TM_FRAME_ANON:
	case TM_FRAME_VDSO:
		return 0;
	case TM_FRAME_UNRESOLVED:
		return (word & 0xff) >= TM_UNRESOLVED_N;
	default:
		return 1;
	}
}

static int check_sample(const struct tm_sample *sample, uint32_t bytes)
{
	uint32_t kernel, user;

	if (bytes < sizeof(*sample))
		return CHECK_E_BAD;
	kernel = sample->kernel_frames;
	user = sample->user_frames;
	if (kernel > TM_KERNEL_FRAMES_MAX || user > TM_USER_FRAMES_MAX)
		return CHECK_E_BAD;
	if (bytes != sizeof(*sample) + 8ull * (kernel + user))
		return CHECK_E_BAD;
	if (sample->user_stop >= TM_STOP_N || sample->kernel_stop >= TM_STOP_N)
		return CHECK_E_BAD;
	for (uint32_t i = 0; i < kernel; i++)
		if (bad_kernel_frame(sample->frames[i]))
			return CHECK_E_BAD;
	for (uint32_t i = kernel; i < kernel + user; i++)
		if (bad_user_frame(sample->frames[i]))
			return CHECK_E_BAD;
	return 0;
}

static int check_process(const struct tm_process *process, uint32_t bytes)
{
	if (bytes < sizeof(*process))
		return CHECK_E_BAD;
	if (process->path_bytes > TM_PATH_MAX || process->cgroup_bytes > TM_CGROUP_MAX)
		return CHECK_E_BAD;
	if (bytes != round_up_8(offsetof(struct tm_process, text) + process->path_bytes +
				(uint64_t)process->cgroup_bytes))
		return CHECK_E_BAD;
	if (process->exe_file != TM_FILE_NONE && process->exe_file > TM_FRAME_FILE_MAX)
		return CHECK_E_BAD;
	return 0;
}

static int check_file(const struct tm_file *file, uint32_t bytes)
{
	if (bytes < sizeof(*file))
		return CHECK_E_BAD;
	if (file->path_bytes > TM_PATH_MAX || file->number > TM_FRAME_FILE_MAX)
		return CHECK_E_BAD;
	if (bytes != round_up_8(offsetof(struct tm_file, text) + (uint64_t)file->path_bytes))
		return CHECK_E_BAD;
	return 0;
}

int check_record(const void *record, uint32_t bytes)
{
	const struct tm_event *event = record;

	if (bytes < sizeof(*event) || bytes > TM_EVENT_MAX_BYTES || event->bytes != bytes)
		return CHECK_E_BAD;
	switch (event->type) {
	case TM_EVENT_SAMPLE:
		return check_sample(record, bytes);
	case TM_EVENT_PROCESS:
		return check_process(record, bytes);
	case TM_EVENT_FILE:
		return check_file(record, bytes);
	case TM_EVENT_EXIT:
		return bytes == sizeof(struct tm_exit) ? 0 : CHECK_E_BAD;
	default:
		return CHECK_E_BAD;
	}
}
