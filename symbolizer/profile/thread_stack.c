/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_stack - the stack that is kept with a thread, for a sample that has none
 */

#include "symbolizer/profile/thread_stack.h"

#include <string.h>

bool thread_stack_frames_are_current(const uint64_t *frames, uint32_t count, uint64_t ktime,
				     const struct files *files)
{
	for (uint32_t i = 0; i < count; i++)
		if (frames[i] >> TM_FRAME_KIND_SHIFT == TM_FRAME_FILE &&
		    !files_is_current(files, (frames[i] >> TM_FRAME_FILE_SHIFT) & TM_FRAME_FILE_MAX,
				      ktime))
			return false;
	return true;
}

bool thread_stack_is_current(const struct thread_stack *stack, const struct files *files)
{
	return thread_stack_frames_are_current(stack->frames + stack->kernel_frames,
					       stack->user_frames, stack->ktime, files);
}

void thread_stack_use(const struct thread_stack *stack, struct tm_sample *sample)
{
	sample->kernel_frames = stack->kernel_frames;
	sample->user_frames = stack->user_frames;
	sample->user_stop = stack->user_stop;
	sample->kernel_stop = stack->kernel_stop;
	memcpy(sample->frames, stack->frames,
	       8ull * ((uint32_t)stack->kernel_frames + stack->user_frames));
}
