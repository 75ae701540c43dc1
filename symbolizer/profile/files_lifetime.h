/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * files_lifetime - decides how long a file and its descriptor are kept
 *
 * files.c is built on it: it adds entries, frees them, and links file numbers to them.
 */

#include "symbolizer/profile/file_table.h"

uint32_t files_hash(const struct files *files, const struct tm_identity *identity);
/* Adds an entry, for which no number stands yet. Return: 0, BUDGET_E_SPENT. */
int files_add(struct files *files, uint32_t *ret_index);
/* @number stands for the file @index from now on. */
void files_begin_number(struct files *files, struct file_number *number, uint32_t index);
/* Retires the file if this was the last number that stood for it. */
void files_end_number(struct files *files, struct file_number *number);
/* The file was announced or sampled at @ktime. */
void files_note_use(struct files *files, uint32_t index, uint64_t ktime);
void files_deinit_items(struct files *files);
/* Closes the descriptor, if there is one. */
void files_close(struct files *files, uint32_t file);
/* Frees the entry of a retired file, unless a sample or a queue refers to it. */
void files_free_if_unused(struct files *files, uint32_t file);
/*
 * To be called when every sample has been reported: frees the retired files and moves the strings
 * of the others to @fresh, which is borrowed from now on. A file whose strings do not fit there has
 * no name until it is announced again.
 */
void files_forget(struct files *files, struct strings *fresh);
