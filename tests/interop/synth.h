/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * synth - generates reports for tests of the writers
 *
 * Only strings are deduplicated here: a frame added twice is two frames, a sample pushed twice is
 * two samples, so that what writers must merge is really there to be merged.
 */

#include <stdint.h>

#include "symbolizer/output/report.h"

#define SYNTH_SLOTS 65536u /* more than a made-up report has strings */

struct synth {
	struct report report; /* current after each call of synth_report() */
	void *arrays[7];      /* in the order of enum synth_array, synth.c */
	uint32_t capacities[7];
	uint32_t slots[SYNTH_SLOTS]; /* strings by hash */
};

void synth_init(struct synth *synth);
void synth_deinit(struct synth *synth);

/* Each returns the index of what it added. text is copied. */
uint32_t synth_string(struct synth *synth, const char *text);
uint32_t synth_file(struct synth *synth, const char *path, const char *build_id, int is_kernel);
uint32_t synth_frame(struct synth *synth, const char *name, uint32_t file, uint64_t address,
		     enum report_kind kind);
uint32_t synth_process(struct synth *synth, uint32_t tgid, const char *comm, const char *exe);
uint32_t synth_stack(struct synth *synth, const uint32_t *leaf_first, uint32_t count);
uint32_t synth_sample(struct synth *synth, uint32_t process, uint32_t tid, const char *comm,
		      uint32_t stack, uint8_t stop, uint64_t count);

/* Puts a process into a container. */
void synth_container(struct synth *synth, uint32_t process, const char *id, const char *pod);
/* Takes a file's symbols away. */
void synth_unnamed_file(struct synth *synth, uint32_t file);

/* The report with consistent sums; valid until the next call of any of the above. */
const struct report *synth_report(struct synth *synth);

/* synth_cases.c. Return: 0; -1: no such case. */
int synth_case(struct synth *synth, const char *name);
