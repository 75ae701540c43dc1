/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * process - process generations by (tgid, start_boottime, exec_id), and what was announced of them
 *
 * A generation exists from whatever names it first, an announcement or a sample; attributes join at
 * report time. One that was never announced still counts, under its thread's name.
 */

#include "shared/event.h"
#include "symbolizer/strings.h"

struct process {
	uint64_t start_boottime;
	uint64_t exit_ktime; /* 0, or the start of its death */
	uint32_t tgid;
	uint32_t exec_id;
	uint32_t ns_tgid;
	uint32_t comm; /* strings */
	uint32_t exe;
	uint32_t cgroup;
	uint8_t announced;
	uint8_t leader_comm; /* comm is the leader's own */
};

struct process_table {
	struct process *items;
	uint32_t count;
	uint32_t capacity;
	struct lookup lookup;
	struct strings *strings; /* borrowed, with its budget and seed */
};

void process_table_init(struct process_table *table, struct strings *strings);
void process_table_deinit(struct process_table *table);
/* Return: 0, BUDGET_E_SPENT. */
int process_announce(struct process_table *table, const struct tm_process *record);
/* The generation of a sample whose thread is called @comm. Return: 0, BUDGET_E_SPENT. */
int process_of_sample(struct process_table *table, const struct tm_event *event, uint32_t comm,
		      uint32_t *ret_process);
/* Marks a generation as dying; samples of it may still follow. */
void process_exit(struct process_table *table, const struct tm_event *event);
