/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * files - the files for which the file numbers of frames stand
 *
 * Shape      a number stands for one file at a time, until RETIRE. Stored frames refer to the index
 *            of the file, so they keep their file when the number is reused. Each identity has one
 *            index, whatever numbers stood for it.
 * Owns       the descriptors that the collector sent.
 * Order      announcement, descriptor and sample may arrive in any order. A descriptor says which
 *            announcement it answers. If that has not been read yet, the descriptor is kept with
 *            the number (`early`); if it is older than the last RETIRE, the descriptor is closed.
 * Lifetime   a descriptor is closed when the file's tables have been made (file_queue.h). A file is
 *            retired with the last number that stands for it; its descriptor is closed then, unless
 *            a sample that was not reported yet needs its symbols. Without RETIRE a descriptor is
 *            closed when nothing has named the file for FILES_IDLE_NS. A file to which a sample
 *            refers keeps its index and path until the sample has been reported and files_forget is
 *            called.
 */

#include "symbolizer/profile/files_lifetime.h"

#define FILES_NO_NAME "[unknown file]"

void files_init(struct files *files, struct strings *strings, struct budget *budget,
		struct tm_retire_queue *queue);
void files_deinit(struct files *files);
/* Handles a FILE record. Return: 0, BUDGET_E_SPENT. */
int files_announce(struct files *files, const struct tm_file *record);
/* @number stands for no file from now on. Every older sample has been passed to files_find. */
void files_retire(struct files *files, uint32_t number, uint64_t ktime);
/* Finds the index for @number of a validated sample. Return: 0, BUDGET_E_SPENT. */
int files_find(struct files *files, uint32_t number, uint64_t ktime, uint32_t *ret_file);
/* Whether @number has stood for the same file since @ktime. */
bool files_is_current(const struct files *files, uint32_t number, uint64_t ktime);
/*
 * Takes @fd, and closes it unless it is a regular file open for reading and the limit allows one
 * more. In either case the file is queued for its unwind table, then for its symbols
 * (file_queue.h).
 * @ktime: of the announcement it answers; 0: of any.
 */
void files_opened(struct files *files, uint32_t number, uint64_t ktime, int fd);
/*
 * The same for a file that was asked for once more, and whose unwind table is there.
 * @fd: -1: it could not be opened. In either case the file is queued for its symbols.
 */
void files_reopened(struct files *files, uint32_t number, uint64_t ktime, int fd);
/* The collector has no descriptor for @number. @reason: enum tm_no_file, not validated. */
void files_refused(struct files *files, uint32_t number, uint64_t reason);
/* Whether another descriptor may be kept. */
bool files_have_space(const struct files *files);
/* Return: the index of the file with this identity, FILES_NONE. */
uint32_t files_of_identity(const struct files *files, const struct tm_identity *identity);
