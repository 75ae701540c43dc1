/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * method_content - what a METHOD record says, with its texts in UTF-8
 *
 * Texts      the function's name, the file's name, each with its NUL, and the line table. Names are
 *            clean, as strings (base/strings.h): what is no character becomes U+FFFD, and a name
 *            that was cut ends in "...". The line table is as the process had it, hostile bytes.
 * Java       a method's name is its class, name and signature: java/lang/String.charAt(I)C. The
 *            address in the name of a hidden class, another one in each run, is left out:
 *            app/Work$$Lambda+0x00007f0001000a00 is app/Work$$Lambda, as async-profiler names it
 *            with its option `norm`.
 * Limits     of each text: TM_METHOD_*_MAX. Hostile bytes that become longer as U+FFFD are cut.
 */

#include <stdbool.h>

#include "shared/method.h"

/* A class, a name and a signature, each cut, with what is put between them and the NUL. */
#define METHOD_CONTENT_NAME_BYTES \
	(TM_METHOD_CLASS_MAX + TM_METHOD_NAME_MAX + TM_METHOD_SIGNATURE_MAX + 4u * sizeof("..."))
#define METHOD_CONTENT_BYTES (2u * METHOD_CONTENT_NAME_BYTES + TM_METHOD_LINES_MAX)
/* A byte of Latin-1 becomes two at most; other characters do not grow as much. */
_Static_assert(2u * TM_METHOD_NAME_MAX + sizeof("...") <= METHOD_CONTENT_NAME_BYTES &&
		       2u * TM_METHOD_FILE_MAX + sizeof("...") <= METHOD_CONTENT_NAME_BYTES,
	       "both names fit");

struct method_content {     /* without padding, so that it can be compared as bytes */
	uint32_t signature; /* where it begins in the function's name, which lies at 0 */
	uint32_t file;      /* where the file's name begins */
	uint32_t lines;     /* where the line table begins */
	uint32_t bytes;     /* of all texts */
	uint32_t runtime;   /* enum tm_runtime_kind, not validated */
	uint32_t version;   /* of it */
	uint32_t first_line;
	uint32_t flags; /* TM_METHOD_* */
};

/* Whether no text of a record that was checked by event_check is longer than it may be, and a
 * further part of a line table has no other one. */
bool method_content_fits(const struct tm_method *record);
/* @record: one that fits, of a line table's first part. */
void method_content_read(const struct tm_method *record, struct method_content *ret_content,
			 char texts[METHOD_CONTENT_BYTES]);
