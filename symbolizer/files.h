/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * files - what the file numbers of frames stand for
 *
 * Shape      a number stands for one index at a time; frames are kept by index, so that a number that
 *            comes to mean another identity does not rename what was sampled before.
 * Owns       the descriptors that came over the wire, FILES_MAX_OPEN at most, until closed.
 * Order      announcement and descriptor may come in either order; a sample may precede both.
 */

#include "shared/record.h"
#include "symbolizer/strings.h"

#define FILES_MAX_OPEN 4096u /* descriptors; no credit is given beyond */
#define FILES_NO_NAME  "[unknown file]"
#define FILES_MAX      (TM_FRAME_FILE_MAX + 1u)

struct file {
	struct tm_identity identity;
	uint32_t number;
	uint32_t path; /* strings; 0 until announced */
	uint32_t base;
	int fd;         /* -1: none */
	uint8_t reason; /* enum tm_no_file, or 0 */
	uint8_t deleted;
	uint8_t announced;
};

struct files {
	struct file *items;
	uint32_t count;
	uint32_t capacity;
	uint32_t open;
	uint32_t max_open;       /* FILES_MAX_OPEN, or what the descriptor limit leaves */
	uint32_t *by_number;     /* index + 1; FILES_MAX of them, untouched pages cost nothing */
	struct strings *strings; /* borrowed */
};

/* Return: 0, -ENOMEM. */
int files_init(struct files *files, struct strings *strings);
void files_deinit(struct files *files);
/* Whether this announcement gives a known number another identity. */
int files_replaces(const struct files *files, const struct tm_file *record);
/* Return: 0, BUDGET_E_SPENT. */
int files_announce(struct files *files, const struct tm_file *record);
/* The index that a checked number stands for now. Return: 0, BUDGET_E_SPENT. */
int files_find(struct files *files, uint32_t number, uint32_t *ret_file);
/* Takes @fd if it is a regular file open for reading and there is room, else closes it. */
void files_opened(struct files *files, uint32_t number, int fd);
void files_refused(struct files *files, uint32_t number, uint64_t reason);
int files_have_room(const struct files *files);
void files_close(struct files *files, uint32_t file);
