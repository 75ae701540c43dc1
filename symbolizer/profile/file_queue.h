/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_queue - queues of the files whose tables are wanted, in order of arrival
 *
 * Two linked lists through existing entries, so they need no memory: file numbers whose unwind
 * table is wanted, and files whose symbols are. A number is in the first at most once, for the last
 * FILE message that named it. A file enters the second with its descriptor, which is closed when it
 * is ended.
 */

#include "symbolizer/profile/file_table.h"

struct file_queue_item {
	uint64_t value; /* of the FILE message */
	/* Like the descriptor, borrowed until the files change. NULL: not announced yet. */
	const struct tm_identity *identity;
	uint32_t number;
	int fd; /* -1: the descriptor was not kept */
};

enum {
	FILE_QUEUE_E_NONE = 1,
	FILE_QUEUE_E_LATER = 2,
};

/* @number: one that has an entry. @value: of the FILE message. */
void file_queue_add(struct files *files, uint32_t number, uint64_t value);
/* Removes items up to the first one that is current. Return: 0, FILE_QUEUE_E_NONE. */
int file_queue_next(struct files *files, struct file_queue_item *ret_wanted);
/*
 * What @number, which was removed, stands for by now. Return: 0; FILE_QUEUE_E_NONE: it does not
 * stand for the file of the FILE message with @value any more.
 */
int file_queue_find(const struct files *files, uint32_t number, uint64_t value,
		    struct file_queue_item *ret_wanted);
/* Whether an unwind table, or symbols, are still to be asked for. */
bool file_queue_has_tables(const struct files *files);
bool file_queue_has_symbols(const struct files *files);
/* Return: the value of the last FILE message of @number, one that has an entry. */
uint64_t file_queue_last_value(const struct files *files, uint32_t number);
/* Whether one arrived before its announcement was read; that is in the ring by now. */
bool file_queue_has_early(const struct files *files);
/* Whether @number still stands for the file of the FILE message with @value. */
bool file_queue_is_current(const struct files *files, uint32_t number, uint64_t value);

/*
 * Asks the collector for the descriptor of @file once more (FILE_AGAIN). *ret_number, *ret_value:
 * what its answer bears. Return: 0; FILE_QUEUE_E_NONE: no number stands for it, or it was not
 * opened; FILE_QUEUE_E_LATER: it was not sent.
 */
int file_queue_ask_again(const struct files *files, uint32_t file, int wire, uint32_t *ret_number,
			 uint64_t *ret_value);

/* @file: one that has a descriptor and an identity. */
void file_queue_add_symbols(struct files *files, uint32_t file);
/* Removes the first one. Return: its index, FILES_NONE. */
uint32_t file_queue_next_symbols(struct files *files);
/* The symbols of @file, which was removed, are not wanted any more: closes its descriptor. */
void file_queue_end_symbols(struct files *files, uint32_t file);
