/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * process_context - the attributes that a process publishes of itself (CONTEXT of shared/event.h)
 *
 * Trust      the process says what it likes. What it says is marked as its own wherever it is
 *            shown, and takes the place of nothing that is known otherwise.
 * Limits     PROCESS_CONTEXT_ATTRIBUTES in PROCESS_CONTEXT_BYTES of text, and those of
 *            base/attribute_list.h. Attributes beyond, and those that are no string, whole number
 *            or truth value, are left out.
 */

#include <stddef.h>

#include "shared/event.h"

#define PROCESS_CONTEXT_BYTES      2048u
#define PROCESS_CONTEXT_ATTRIBUTES 64u

/* Writes the attributes of @context, which was checked, as an attribute list into @text, which has
 * PROCESS_CONTEXT_BYTES. Return: bytes written, without the NUL; 0: there are none. */
size_t process_context_read(const struct tm_context *context, char *text);
