/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_builder - builds reports for tests of the writers
 *
 * Only strings are deduplicated here: a frame added twice is two frames, a sample pushed twice is
 * two samples, so that what writers must merge is really there to be merged.
 */

#include <stdint.h>

#include "symbolizer/output/report.h"

#define REPORT_BUILDER_ARRAYS    10
#define REPORT_BUILDER_PERIOD_NS 10101010u /* at 99 Hz */
#define REPORT_BUILDER_SLOTS     65536u    /* more than the strings of any built report */

struct report_builder {
	struct report report; /* current after each call of report_builder_report() */
	struct report base;   /* the report's, once there is a sample of it */
	void *arrays[REPORT_BUILDER_ARRAYS]; /* in the order of enum builder_array */
	uint32_t capacities[REPORT_BUILDER_ARRAYS];
	uint32_t slots[REPORT_BUILDER_SLOTS]; /* strings by hash */
};

void report_builder_init(struct report_builder *builder);
void report_builder_deinit(struct report_builder *builder);

/* Each returns the index of what it added. text is copied. */
uint32_t report_builder_string(struct report_builder *builder, const char *text);
uint32_t report_builder_file(struct report_builder *builder, const char *path, const char *build_id,
			     int is_kernel);
uint32_t report_builder_frame(struct report_builder *builder, const char *name, uint32_t file,
			      uint64_t address, enum report_kind kind);
/*
 * What follows changes what was added last: the file by one more segment, the frame by a call that
 * is inlined into its innermost one, its innermost call by what is known of it.
 */
void report_builder_segment(struct report_builder *builder, uint64_t vaddr, uint64_t bytes,
			    uint64_t offset);
void report_builder_inlined(struct report_builder *builder, const char *name);
void report_builder_system_name(struct report_builder *builder, const char *name);
void report_builder_source(struct report_builder *builder, const char *path, uint32_t line,
			   uint32_t start_line);
/* A frame of a process's anonymous memory. */
uint32_t report_builder_anonymous(struct report_builder *builder, uint32_t process,
				  uint64_t address);
uint32_t report_builder_process(struct report_builder *builder, uint32_t tgid, const char *comm,
				const char *exe);
uint32_t report_builder_stack(struct report_builder *builder, const uint32_t *leaf_first,
			      uint32_t count);
uint32_t report_builder_sample(struct report_builder *builder, uint32_t process, uint32_t tid,
			       const char *comm, uint32_t stack, uint8_t stop, uint64_t count);

/* Gives a complete sample, which is on-CPU and of full weight so far, another kind or value. */
void report_builder_measured(struct report_builder *builder, uint32_t sample,
			     enum tm_sample_kind kind, uint64_t value);
/* How a thread spent the interval, in ns by state. @process: REPORT_NO_PROCESS: of several.
 * @tid: 0: several threads. */
void report_builder_thread(struct report_builder *builder, uint32_t process, uint32_t tid,
			   const char *comm, uint32_t threads, uint64_t lifetime_ns,
			   const uint64_t *ns);
/* Makes it one of several that had this pid. */
void report_builder_generation(struct report_builder *builder, uint32_t process,
			       uint64_t start_boottime, uint32_t exec_id);
/* @container: its id, with the uid of its pod; each may be "". */
void report_builder_cgroup(struct report_builder *builder, uint32_t process, const char *path,
			   const char *container, const char *pod);
/* All its samples so far are those of a kernel thread. */
void report_builder_kernel_thread(struct report_builder *builder, uint32_t process);
/* @htlhash: "": the file was not read. @go_build_id: "": Go's linker did not make it. */
void report_builder_ids(struct report_builder *builder, uint32_t file, const char *htlhash,
			const char *go_build_id);
/* Takes a file's symbols away. */
void report_builder_unnamed_file(struct report_builder *builder, uint32_t file);
void report_builder_deleted_file(struct report_builder *builder, uint32_t file);

/* The report with consistent sums; valid until the next call of any of the above. */
const struct report *report_builder_report(struct report_builder *builder);

/* report_case_inlined.c: inlined calls, segments, equal names, and a pid that was used again. */
void report_case_inlined(struct report_builder *builder);
/* report_case_resources.c: processes of units, containers and users, files of each kind of id. */
void report_case_resources(struct report_builder *builder);
/* report_case_runtimes.c: functions of language runtimes, between those of libraries. */
void report_case_runtimes(struct report_builder *builder);
/* report_case_threads.c: how threads spent their time, with names as an attacker would choose. */
void report_case_threads(struct report_builder *builder);
/* report_case_compared.c: two profiles that are compared. */
void report_case_compared(struct report_builder *builder);
/* report_cases.c. Return: 0; -1: no such case. */
int report_case(struct report_builder *builder, const char *name);
