/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * clean - text of another program, made fit for a terminal in its own place (rules: shared/utf8.h)
 */

#include <stddef.h>

#define CLEAN_BYTES_MAX 4608u /* longer text is cut */

/* @text: @bytes bytes that need not be terminated; terminated at return. */
void clean_text(char *text, size_t bytes);
