/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * process_context - the attributes that a process publishes of itself (CONTEXT of shared/event.h)
 *
 * Trust      the process says what it likes. What it says is marked as its own wherever it is
 *            shown, and takes the place of nothing that is known otherwise.
 * Limits     PROCESS_CONTEXT_ATTRIBUTES in PROCESS_CONTEXT_BYTES of text, and those of
 *            base/attribute_list.h. Attributes beyond, those that are no string, whole number or
 *            truth value, and all but the first of one key are left out, which is said.
 */

#include <stddef.h>

#include "shared/event.h"

#define PROCESS_CONTEXT_BYTES      2048u
#define PROCESS_CONTEXT_ATTRIBUTES 64u

enum process_context_missing {
	PROCESS_CONTEXT_WHOLE, /* nothing is missing, or the process says nothing */
	PROCESS_CONTEXT_CUT,   /* some attributes */
	/* All of them, since it is */
	PROCESS_CONTEXT_TOO_LONG,
	PROCESS_CONTEXT_UNREADABLE,
	PROCESS_CONTEXT_MALFORMED,
	PROCESS_CONTEXT_MISSING_N
};

struct process_context {
	size_t bytes; /* of text, without the NUL; 0: there are no attributes */
	enum process_context_missing missing;
	char text[PROCESS_CONTEXT_BYTES]; /* an attribute list */
};

/* Reads the attributes of a record, which was checked. */
void process_context_read(const struct tm_context *record, struct process_context *ret_context);
