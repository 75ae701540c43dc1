/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unwind_install - checks the unwind tables that the symbolizer sends and puts them into BPF maps
 *
 * Steps      copy to private memory, check the copy, write it into units, set the reference. So no
 *            BPF program ever sees half a table, and nothing of a refused one remains.
 * Pending    one table is installed at a time. Where no run of units is free, others are evicted,
 *            and the pending one waits until W has passed that moment, and for chunks; meanwhile
 *            the caller receives no further message. An evicted file that is announced again is
 *            opened again.
 * Shares     a table is charged in equal parts to the owners that use its file
 *            (bpf/file_users.bpf.h); what more than FILE_REQUESTS_USERS use, to a common pool.
 *            First go tables of files that nobody samples any more. Then, while the pool has more
 *            than half of the budget, its tables, those with the fewest users first. Then those of
 *            the owner who has most: whoever uses large or many files displaces his own. One that
 *            several use counts as that of the one of them who has least, so that nobody displaces
 *            what he has in common with others before he has displaced his own.
 * Equal      a table that is there already stays: a sample that is walking by it finds it the same
 *            until its end.
 * Trust      the symbolizer may be hostile. A table must be a sealed memfd, which is read and never
 *            mapped; one answer is accepted for each FILE message and one for the vDSO, any other
 *            is refused unread. A table that passes tm_unwind_table_check can mislead the unwinder,
 *            but no more.
 * Ahead      before the first sample come tables of files that may be sampled: from the cache of
 *            the symbolizer, the last used first. They get numbers that are charged to nobody
 *            (bpf/file.bpf.h), evict nothing, and go first while their files are not sampled. Such
 *            a file is then announced, opened and answered like any other; a number that is not
 *            sampled is retired like any other (reclaim.h). None is on a device of major number 0:
 *            those of anonymous file systems are used again.
 * Reuse      units are written again once no BPF program that may know them runs: those of a
 *            replaced table wait in the retire queue, those of a file number are free with the
 *            number (reclaim.h).
 * Owner      files and queue stay the caller's; the pending copy and the units belong here.
 * Limits     `budget` bytes in all, half of them for one table; larger ones are refused and
 *            counted. The copy of the pending one comes on top, at most TM_UNWIND_TABLE_BYTES_MAX.
 * Threads    one.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/file_requests.h"
#include "collector/unwind_alloc.h"
#include "collector/unwind_layout.h"
#include "shared/retire.h"

#define UNWIND_INSTALL_VDSO          FILE_REQUESTS_MAX /* index of the vDSO, behind all numbers */
#define UNWIND_INSTALL_EVICT_AT_ONCE 32u               /* tables evicted between two rounds */
/* What was sampled since is announced since: a little more than an epoch. */
#define UNWIND_INSTALL_UNUSED_MS   ((uint32_t)(TM_EPOCH_NS / 1000000 * 5 / 4))
#define UNWIND_INSTALL_MAJOR_SHIFT 20 /* of tm_identity.dev */

struct unwind_table { /* a run of units */
	uint32_t first;
	uint32_t units;     /* 0: none */
	uint64_t reference; /* to them */
};

struct unwind_install {
	struct file_requests *files;
	struct tm_retire_queue *queue;
	struct unwind_alloc alloc;
	struct unwind_table *all; /* of each number, and of the vDSO */
	bool vdso_answered;

	void *pending; /* copy of the table being installed; NULL: none */
	struct unwind_layout layout;
	uint32_t number; /* of the pending table */
	bool ahead;      /* it came before its file was sampled */

	uint64_t count; /* of tables with units */
	struct tm_install_counts counts;
};

/* @budget: bytes. Return: 0, -ENOMEM. */
int unwind_install_init(struct unwind_install *tables, uint64_t budget, struct file_requests *files,
			struct tm_retire_queue *queue, struct unwind_alloc_kernel kernel);
void unwind_install_deinit(struct unwind_install *tables);
/* Takes over the table that the collector before installed for @number; @reference 0: none. What
 * cannot be taken over is forgotten, and will be sent again. @adopt: as in unwind_alloc_adopt. */
void unwind_install_adopt(struct unwind_install *tables, uint32_t number, uint64_t reference,
			  int (*adopt)(void *context, uint32_t index, void **ret_memory));
/* Takes an UNWIND_TABLE message while no table is pending. @fd: stays the caller's.
 * Return: bytes that were read. */
uint64_t unwind_install_take(struct unwind_install *tables, const struct tm_wire *message, int fd);
/* The same for an AHEAD message. @late: there may have been samples; *ret_bytes were read. Return:
 * 0; -EBADMSG: no such file may be numbered ahead. */
int unwind_install_ahead(struct unwind_install *tables, const struct tm_wire *message, int fd,
			 bool late, uint64_t *ret_bytes);
/* Takes an UNWIND_FAILED or FILE_AGAIN message: the file has no table yet, or keeps the one that it
 * has, and is handed over once more. */
void unwind_install_failed(struct unwind_install *tables, const struct tm_wire *message,
			   uint64_t now_ms);
/* Continues with the pending table; call it right after a round. It makes or drops at most one
 * chunk, for which the kernel waits for a grace period (measured: some 15 ms) that would delay the
 * next round. */
void unwind_install_advance(struct unwind_install *tables);
/* Drops the pending table. */
void unwind_install_drop(struct unwind_install *tables);
/* Frees the number's table: its BPF map entry was deleted after W had passed its retirement. */
void unwind_install_forget(struct unwind_install *tables, uint32_t number);
