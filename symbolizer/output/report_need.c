/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_need - how much memory a report takes at most, before it takes it
 */

#include "symbolizer/output/report_need.h"

#include "symbolizer/output/output_file.h"
#include "symbolizer/output/report_frames.h"
#include "symbolizer/output/report_wakers.h"

#define FIXED_BYTES (OUTPUT_FILE_BUFFER_BYTES + (512u << 10)) /* buffers; zlib's; small arrays */
#define SORT_BYTES  (2 * sizeof(uint32_t))                    /* of sort_new, an item */

/* Arrays that double have up to twice as many items as they need. */
#define PLACE_BYTES                                                                         \
	(2 * (sizeof(struct name_table_place) + sizeof(struct report_frame) +               \
	      sizeof(struct report_frames_key) + 2 * sizeof(struct report_call) + 2 * 16) + \
	 SORT_BYTES + NAME_BYTES)
#define NAME_BYTES         96u  /* of a name, its slots, and what is displayed for it */
#define PLACE_WRITER_BYTES 512u /* of pprof's locations, lines and functions */
#define SAMPLE_BYTES       400u /* of pprof's samples and labels, and the report's own */
#define STACK_BYTES        64u
#define WORD_BYTES         24u /* of the report's and pprof's stacks, and of the page's nodes */
#define STRING_BYTES       96u
#define WAKER_BYTES        6u /* as WORD_BYTES, of each byte of the report's own */

uint64_t report_need_about(const struct aggregate *aggregate, const struct name_table *names)
{
	return FIXED_BYTES + (PLACE_BYTES + PLACE_WRITER_BYTES) * (uint64_t)names->place_count +
	       SAMPLE_BYTES * (uint64_t)aggregate->sample_count +
	       STACK_BYTES * (uint64_t)aggregate->stack_count +
	       WORD_BYTES * aggregate->frame_count +
	       STRING_BYTES * (uint64_t)aggregate->strings->count +
	       WAKER_BYTES * report_wakers_need(aggregate) +
	       sizeof(struct tm_identity) * (uint64_t)aggregate->files->count;
}

uint64_t report_need_build(const struct aggregate *aggregate)
{
	return FIXED_BYTES +
	       (sizeof(uint32_t) + sizeof(struct report_process) + SORT_BYTES) *
		       (uint64_t)aggregate->processes->count +
	       (2 * sizeof(struct report_stack) + sizeof(uint32_t)) *
		       (uint64_t)aggregate->stack_count +
	       sizeof(uint32_t) * aggregate->frame_count +
	       sizeof(struct report_sample) * (uint64_t)aggregate->sample_count +
	       report_wakers_need(aggregate);
}
