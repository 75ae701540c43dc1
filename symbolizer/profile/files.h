/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * files - what the file numbers of frames stand for
 *
 * Shape      a number stands for one file at a time until RETIRE; frames are kept by the file's
 *            index, so that a number's next meaning does not rename what was sampled before. One
 *            identity is one index, whatever numbers it had.
 * Owns       the descriptors that came over the wire, and for a layer above what it keeps of a file
 *            (`symbols`): freed by its own function, at the moment that is decided here.
 * Order      announcement, descriptor and sample may come in any order. A descriptor says which
 *            announcement it answers: one that is not read yet keeps it waiting beside the number,
 *            one from before RETIRE is closed.
 * Life       a file ends with the last number that stands for it; its descriptor with it, or, while
 *            what was sampled of it has no names yet (`pending_names`), once it has them. Where
 *            RETIRE does not come, a descriptor is closed after FILES_IDLE_NS without a sign of the
 *            file. Symbols go two epochs after their last use. What a sample that is not reported
 *            yet refers to keeps its index, path and symbols; files_forget ends that.
 */

#include "symbolizer/profile/files_lifetime.h"

#define FILES_NO_NAME "[unknown file]"

/* Return: 0, -ENOMEM. */
int files_init(struct files *files, struct strings *strings, struct tm_retire_queue *queue);
void files_deinit(struct files *files);
/* Return: 0, BUDGET_E_SPENT. */
int files_announce(struct files *files, const struct tm_file *record);
/* The number stands for nothing until it is announced again; samples before were given in. */
void files_retire(struct files *files, uint32_t number, uint64_t ktime);
/* The index that a checked number of a sample stands for. Return: 0, BUDGET_E_SPENT. */
int files_find(struct files *files, uint32_t number, uint64_t ktime, uint32_t *ret_file);
/*
 * Takes @fd if it is a regular file open for reading and there is room, else closes it. In either
 * case its unwind table is wanted now (file_queue.h).
 * @ktime: of the announcement it answers; 0: whatever the number stands for.
 */
void files_opened(struct files *files, uint32_t number, uint64_t ktime, int fd);
void files_refused(struct files *files, uint32_t number, uint64_t reason);
bool files_have_room(const struct files *files);
/* Whether room is short and reading the pending_names ones gives some back. */
bool files_are_pending(const struct files *files);
bool files_is_pending(const struct file *file);
