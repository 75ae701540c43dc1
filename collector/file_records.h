/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_records - the records of files whose descriptors were sent
 *
 * Purpose    such a file can be opened once more, and its folder, thread and owner say where its
 *            separate debug file is looked for, and whose that may be.
 * Owner      the records, until their number ends or they are replaced.
 * Limits     FILE_RECORDS_BYTES; where that is too much, those of other numbers go in turn.
 */

#include <stdint.h>

#include "shared/event.h"

#define FILE_RECORDS_BYTES (4u << 20)

struct file_record {
	struct tm_file *file; /* NULL: none */
	uint32_t owner;       /* user ID, as the opener sees it */
};

struct file_records {
	struct file_record *items; /* by number */
	uint32_t used;             /* highest number so far, + 1 */
	uint32_t bytes;
	uint32_t hand; /* the next number whose record makes room */
};

/* @count: numbers are below it. Return: 0, -ENOMEM. */
int file_records_init(struct file_records *records, uint32_t count);
void file_records_deinit(struct file_records *records);
/* Takes @file, from malloc, in place of the last record of its number. */
void file_records_keep(struct file_records *records, struct tm_file *file, uint32_t owner);
/* @number, below the count, does not mean its file any more. */
void file_records_drop(struct file_records *records, uint32_t number);
/* The record of @number, below the count, that has @ktime, or NULL. */
const struct file_record *file_records_find(const struct file_records *records, uint32_t number,
					    uint64_t ktime);
/* Writes the path of @file, relative to its root. @path: TM_PATH_MAX + 1. Return: its length; 0: it
 * is not complete and plain. */
uint32_t file_records_path(const struct tm_file *file, char *path);
