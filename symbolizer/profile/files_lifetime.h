/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * files_lifetime - how long a file, its descriptor and its symbols are kept
 *
 * The lower half of files.h: entries, and what makes and ends them.
 */

#include "symbolizer/profile/file_table.h"

uint32_t files_hash(const struct files *files, const struct tm_identity *identity);
/* A new entry, which no number stands for yet. Return: 0, BUDGET_E_SPENT. */
int files_add(struct files *files, uint32_t *ret_index);
void files_begin_number(struct files *files, struct file_number *number, uint32_t index);
/* The file ends with its last number. */
void files_end_number(struct files *files, struct file_number *number);
/* The file was announced or sampled at @ktime. */
void files_note_sign(struct files *files, uint32_t index, uint64_t ktime);
void files_deinit_items(struct files *files);
void files_close(struct files *files, uint32_t file);
/* Takes @symbols, used at @ktime, in place of what was kept of the file. */
void files_keep_symbols(struct files *files, uint32_t file, void *symbols, uint64_t ktime);
/*
 * Everything sampled was reported: files that ended go, the strings of the others move to @fresh;
 * one that finds no room there is nameless until it announces itself again.
 */
void files_forget(struct files *files, struct strings *fresh);
