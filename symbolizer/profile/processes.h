/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * processes - process generations by (tgid, start_boottime, exec_id) and their attributes
 *
 * A generation exists from whatever names it first, an announcement or a sample; attributes join at
 * report time. One that was never announced still counts, under its thread's name.
 *
 * Life       one entry in the queue each. A generation is retired an epoch after its EXIT and its
 *            last sample, two at most after EXIT; one whose EXIT was lost when there was no sign of
 *            it for two epochs. EXIT alone ends nothing: samples that follow join the tombstone.
 * Pinned     what a sample that is not reported yet refers to keeps its place and its attributes,
 *            also when retired, and so may be joined again: the key never means another generation.
 *            process_forget ends that; without reports in between it lasts to the end.
 */

#include "shared/event.h"
#include "shared/retire.h"
#include "symbolizer/base/strings.h"

enum process_state {
	PROCESS_FREE, /* its place is to be had */
	PROCESS_LIVE,
	PROCESS_RETIRED, /* but pinned */
};

struct process {
	uint64_t start_boottime;
	uint64_t exit_ktime; /* 0, or the start of its death */
	uint64_t seen_ktime; /* of its last sample or announcement */
	uint32_t tgid;
	uint32_t exec_id;
	uint32_t ns_tgid;
	uint32_t comm; /* strings */
	uint32_t exe;
	uint32_t cgroup;
	uint32_t container; /* id by its cgroup (container.h), or "" */
	uint32_t pod;       /* uid, likewise */
	uint32_t hash;      /* of the generation */
	uint32_t spare;     /* of a free place: the next one + 1 */
	uint8_t state;      /* enum process_state */
	uint8_t announced;
	uint8_t leader_comm; /* comm is the leader's own */
	uint8_t sampled;     /* since the last report */
	uint8_t queued;
};

struct process_table {
	struct process *items;
	uint32_t count; /* places, free ones included */
	uint32_t capacity;
	uint32_t spare; /* free place + 1 */
	uint32_t live;
	uint64_t retired; /* so far */
	struct hash_index lookup;
	struct strings *strings;       /* borrowed, with its budget and seed */
	struct tm_retire_queue *queue; /* borrowed; the table outlives its entries */
};

void process_table_init(struct process_table *table, struct strings *strings,
			struct tm_retire_queue *queue);
void process_table_deinit(struct process_table *table);
/* Return: 0, BUDGET_E_SPENT. */
int process_announce(struct process_table *table, const struct tm_process *record);
/* The generation of a sample whose thread is called @comm. Return: 0, BUDGET_E_SPENT. */
int process_of_sample(struct process_table *table, const struct tm_event *event, uint32_t comm,
		      uint32_t *ret_process);
/* Marks a generation as dying; samples of it may still follow. */
void process_exit(struct process_table *table, const struct tm_event *event);
/*
 * Everything sampled was reported: retired generations go, the strings of the others move to
 * @fresh; one that finds no room there is nameless until it announces itself again.
 */
void process_forget(struct process_table *table, struct strings *fresh);
