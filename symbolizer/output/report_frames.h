/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_frames - turns encoded frames into the frames, calls and files of the report
 *
 * Display    a function of a JIT compiler is named by its process's jitdump or perf map, else it is
 *            [anon]. A file's frame is its symbol or basename+0xoffset, the vDSO's its symbol or
 *            [vdso]+0xoffset, the kernel's its symbol or [module]+0xoffset; what has no mapping is
 *            its [reason]. The offset shown is the frame's own, that of a return address too.
 * Methods    a function of a language runtime has its name, file and line, or is [java] or [python]
 *            where no METHOD record of it was read.
 * Calls      where the debug information knows of inlined calls, a frame is the list of them; the
 *            last one has the symbol's name.
 * Identity   two encoded frames are two frames: a return address and an exact pc at one place,
 *            and one anonymous address in two generations, too.
 */

#include "symbolizer/output/report_files.h"

/* The frame of a string, which is its name; of a kind that no record has. */
#define REPORT_FRAMES_TEXT (7ull << TM_FRAME_KIND_SHIFT)

struct report_frames_key {
	uint64_t encoded;
	uint32_t process; /* generation of anonymous code, else AGGREGATE_NO_PROCESS */
	uint32_t pad;
};

struct report_frames {
	struct report_frame *frames;
	struct report_frames_key *keys; /* of each frame */
	struct report_call *calls;
	struct report_files files;
	uint32_t frame_count, frame_capacity;
	uint32_t key_capacity;
	uint32_t call_count, call_capacity;
	uint32_t overflow; /* frame + 1, once the budget is spent */
	uint32_t overflow_name;
	struct hash_index lookup; /* by key */
	struct strings *strings;  /* borrowed, as are the next two */
	const struct methods *methods;
	const uint32_t *processes; /* generation -> report process + 1; 0: has no sample */
};

/* Return: 0, BUDGET_E_SPENT. */
int report_frames_init(struct report_frames *table, const struct aggregate *aggregate,
		       const struct name_table *names, const struct ksyms *kernel,
		       const uint32_t *processes);
void report_frames_deinit(struct report_frames *table);
/*
 * The report's frame of a checked, encoded one in a stack of @process (aggregate.h); [memory] when
 * the budget is spent.
 */
uint32_t report_frames_of(struct report_frames *table, uint64_t encoded, uint32_t process);
