/* SPDX-License-Identifier: Apache-2.0 */
/* python_loops - gives each loop of an old CPython the function that it runs */

#include "symbolizer/profile/python_loops.h"

#include <stdbool.h>
#include <string.h>

#include "shared/runtime.h"

#define LATE ((uint64_t)TM_FRAME_METHOD << TM_FRAME_KIND_SHIFT | TM_RUNTIME_PLACE_LATE)

static bool is_function(uint64_t frame)
{
	return frame >> TM_FRAME_KIND_SHIFT == TM_FRAME_METHOD &&
	       !(frame >> TM_FRAME_METHOD_SHIFT & TM_RUNTIME_NUMBER_JAVA);
}

/* Return: the index of the only mark; @count: there is none, or several. */
static uint32_t find_mark(const uint64_t *frames, uint32_t count)
{
	uint32_t found = count;

	for (uint32_t i = 0; i < count; i++) {
		if (frames[i] != LATE)
			continue;
		if (found < count)
			return count;
		found = i;
	}
	return found;
}

void python_loops_settle(struct tm_sample *sample)
{
	uint64_t *frames = sample->frames + sample->kernel_frames;
	const uint32_t count = sample->user_frames, mark = find_mark(frames, count);
	uint32_t at = mark;

	if (mark == count)
		return;
	for (uint32_t i = mark; i-- > 0;) {
		if (!is_function(frames[i]))
			continue;
		frames[at] = frames[i];
		at = i;
	}
	if (at == mark)
		return;
	memmove(&frames[at], &frames[at + 1], (count - 1 - at) * sizeof(*frames));
	sample->user_frames--;
	sample->event.bytes -= (uint32_t)sizeof(*frames);
}
