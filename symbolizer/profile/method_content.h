/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * method_content - what a METHOD record says, with its texts in UTF-8
 *
 * Texts      the function's name, the file's name, each with its NUL, and the line table. Names are
 *            clean, as strings (base/strings.h): what is no character becomes U+FFFD, and a name
 *            that was cut ends in "...". The line table is as the process had it, hostile bytes.
 */

#include "shared/event.h"

/* A byte of Latin-1 becomes two at most; other characters do not grow as much. */
#define METHOD_CONTENT_NAME_BYTES (2u * TM_METHOD_NAME_MAX + sizeof("..."))
#define METHOD_CONTENT_BYTES      (2u * METHOD_CONTENT_NAME_BYTES + TM_METHOD_LINES_MAX)
_Static_assert(TM_METHOD_FILE_MAX <= TM_METHOD_NAME_MAX, "both names fit");

struct method_content {   /* without padding, so that it can be compared as bytes */
	uint32_t file;    /* where the file's name begins; the function's lies at 0 */
	uint32_t lines;   /* where the line table begins */
	uint32_t bytes;   /* of all texts */
	uint32_t runtime; /* enum tm_runtime_kind, not validated */
	uint32_t version; /* of it */
	uint32_t first_line;
	uint32_t flags; /* TM_METHOD_* */
};

/* @record: one that was checked. */
void method_content_read(const struct tm_method *record, struct method_content *ret_content,
			 char texts[METHOD_CONTENT_BYTES]);
