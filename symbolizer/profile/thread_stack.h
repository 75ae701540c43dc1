/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * thread_stack - the stack that is kept with a thread, for a sample that has none
 */

#include "symbolizer/profile/files.h"
#include "symbolizer/profile/threads.h"

/* Whether the numbers in user frames still stand for the files that they stood for at @ktime. */
bool thread_stack_frames_are_current(const uint64_t *frames, uint32_t count, uint64_t ktime,
				     const struct files *files);
/* Whether the numbers in @stack still stand for the files that they stood for when it was taken. */
bool thread_stack_is_current(const struct thread_stack *stack, const struct files *files);
/* @sample: with space for the frames; gets them and why they stop. */
void thread_stack_use(const struct thread_stack *stack, struct tm_sample *sample);
