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
 *            refused unread; and what passes tm_unwind_table_check can mislead a step but harm nothing.
 * Limits     `budget` units in all, half of them for one table; more is refused and counted. The copy of the
 *            one on its way comes on top, TM_UNWIND_TABLE_BYTES_MAX at most.
 * W          units are written again once no program that may know them runs: what left the kernel room
 *            waits in life's queue; those of a number are free with the number (reclaim.h).
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/file_requests.h"
#include "collector/unwind_alloc.h"
#include "collector/unwind_layout.h"
#include "shared/retire.h"

#define UNWIND_INSTALL_VDSO          FILE_REQUESTS_MAX /* its place, behind those of the numbers */
#define UNWIND_INSTALL_EVICT_AT_ONCE 64u /* between two rounds; many small ones take some */

struct unwind_table { /* a run of units */
	uint32_t first;
	uint32_t units; /* 0: none */
};

struct unwind_install {
	struct file_requests *files;
	struct tm_retire_queue *queue;
	struct unwind_alloc units;
	struct unwind_table *all; /* of each number, and of the vDSO */
	bool vdso_answered;

	void *rows; /* on their way; NULL: none are */
	struct unwind_layout layout;
	uint32_t number; /* whose */

	uint64_t count; /* of those with units */
	uint64_t installed, refused, evicted, failed;
};

/* @budget: bytes. Return: 0, -ENOMEM. */
int unwind_install_init(struct unwind_install *tables, uint64_t budget, struct file_requests *files,
			struct tm_retire_queue *queue, struct unwind_alloc_kernel kernel);
void unwind_install_deinit(struct unwind_install *tables);
/* Takes an accepted UNWIND_TABLE while none is on its way. @fd: stays the caller's.
 * Return: bytes that were looked at. */
uint64_t unwind_install_take(struct unwind_install *tables, const struct tm_wire *message, int fd);
/* Takes an accepted UNWIND_FAILED: the file has no table yet and is asked for again later. */
void unwind_install_failed(struct unwind_install *tables, const struct tm_wire *message,
			   uint64_t now_ms);
/* Goes on with what waits; call right after a round: at most one chunk is made or dropped, which takes a grace
 * period of the kernel (some 15 ms) and would hold up the next one. */
void unwind_install_advance(struct unwind_install *tables);
/* Forgets what is on its way. */
void unwind_install_drop(struct unwind_install *tables);
/* The number's entry in the kernel room is gone, and W had passed its end. */
void unwind_install_gone(struct unwind_install *tables, uint32_t number);
