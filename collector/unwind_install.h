/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_install - the rows that the symbolizer sends, checked and put into the kernel room under one budget
 *
 * Way        copied to private memory, checked there, written into units, then said to the kernel room: so no
 *            program ever sees half a table, and nothing of a refused one stays.
 * Room       one at a time is on its way. Where no run of units is free, the tables of the files longest
 *            unannounced are evicted, and it waits until W has passed that, and for chunks; until then
 *            the caller takes no other from the wire. An evicted file that announces itself again is opened again.
 * Trust      the symbolizer is taken for hostile: only a sealed memfd is looked at, it is read and never
 *            mapped; one answer is taken for each file handed over and one for the vDSO, another is
 *            refused unread; and what passes tm_rows_check can mislead a step but harm nothing.
 * Limits     `budget` units in all, half of them for one table; more is refused and counted. The copy of the
 *            one on its way comes on top, TM_ROWS_BYTES_MAX at most.
 * W          units are written again once no program that may know them runs: what left the kernel room
 *            waits in life's queue; those of a number are free with the number (reclaim.h).
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/file_requests.h"
#include "collector/unwind_layout.h"
#include "shared/retire.h"
#include "collector/unwind_alloc.h"

#define TABLES_VDSO          FILES_MAX /* its place, behind those of the numbers */
#define TABLES_EVICT_AT_ONCE 64u       /* between two rounds; many small ones take some */

struct table { /* a run of units */
	uint32_t first;
	uint32_t units; /* 0: none */
};

struct tables {
	struct files *files;
	struct tm_retire_queue *queue;
	struct tm_units units;
	struct table *all; /* of each number, and of the vDSO */
	bool vdso_answered;

	void *rows; /* on their way; NULL: none are */
	struct tm_layout layout;
	uint32_t number; /* whose */

	uint64_t count; /* of those with units */
	uint64_t installed, refused, evicted;
};

/* @budget: bytes. Return: 0, -ENOMEM. */
int tables_init(struct tables *tables, uint64_t budget, struct files *files,
		struct tm_retire_queue *queue, struct tm_units_kernel kernel);
void tables_deinit(struct tables *tables);
/* Takes an accepted ROWS while none is on its way. @fd: stays the caller's.
 * Return: bytes that were looked at. */
uint64_t tables_take(struct tables *tables, const struct tm_wire *message, int fd);
/* Goes on with what waits; call right after a round: at most one chunk is made or dropped, which takes a grace
 * period of the kernel (some 15 ms) and would hold up the next one. */
void tables_advance(struct tables *tables);
/* Forgets what is on its way. */
void tables_drop(struct tables *tables);
/* The number's entry in the kernel room is gone, and W had passed its end. */
void tables_gone(struct tables *tables, uint32_t number);
