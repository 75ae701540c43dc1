/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * segment_reader - walks the records of a segment file, and goes on behind what is damaged
 *
 * Use        open; next until END; body for those REPORTs whose body is wanted. FAULT of next is a
 *            part of the file that is no record: `fault`, `fault_at` and `fault_bytes` say why and
 *            where; the next call goes on with the next whole record behind it. FAULT of body
 *            concerns that record alone.
 * Growing    a file may be appended to while it is read: what is there at open is read, and a
 *            record that was half there is a TORN part at its end.
 * Reading    by pread, so that the descriptor may be shared and a vanished page is an error.
 * Trust      the file is taken for hostile. No call reads more than the file, TM_SEGMENT_BYTES_MAX;
 *            each position of it is looked at once, which bounds a walk through damage to a few
 *            seconds for a file that was made to be slow.
 * Errors     -errno of reading; the position stays where it was.
 */

#include "shared/segment.h"

#define TM_SEGMENT_READER_CHUNK (8u << 10) /* read at once where a record is searched for */

enum {
	TM_SEGMENT_E_END = 1,
	TM_SEGMENT_E_FAULT = 2,
};

struct tm_segment_reader {
	int fd; /* borrowed */
	struct tm_segment_header header;
	uint64_t bytes;              /* of the file, at open */
	uint64_t at;                 /* of the next record */
	enum tm_segment_fault fault; /* valid after FAULT */
	uint64_t fault_at, fault_bytes;
};

/* Return: 0, TM_SEGMENT_E_FAULT (NO_SEGMENT, NEWER, TOO_LARGE: nothing of it can be read),
 * -errno. */
int tm_segment_reader_open(struct tm_segment_reader *reader, int fd);
/* *ret_record has a valid header, and its body lies within the file. Its kind is REPORT or
 * DELIVERED. Return: 0, TM_SEGMENT_E_END, TM_SEGMENT_E_FAULT (HEADER, TORN), -errno. */
int tm_segment_reader_next(struct tm_segment_reader *reader, struct tm_segment_record *ret_record);
/* Reads the body of a record that next returned, and checks it. @body: of record->body_bytes.
 * Return: 0, TM_SEGMENT_E_FAULT (BODY), -errno. */
int tm_segment_reader_body(struct tm_segment_reader *reader, const struct tm_segment_record *record,
			   void *body);
