/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * utf8 - turns any bytes into valid UTF-8 without control characters
 *
 * Shape      control characters (C0, DEL, C1, line and paragraph separators, bidirectional
 *            controls) become '_'; each byte that belongs to no valid sequence becomes U+FFFD.
 * Why        a protobuf or JSON reader refuses a whole file for one invalid string, and a terminal
 *            obeys control characters.
 * Source     the Unicode Standard, table 3-7 (well-formed byte sequences); Unicode Annex 9 (bidi).
 */

#include <stddef.h>

/* The most bytes that @count input bytes can become, the final NUL included. */
#define TM_UTF8_CLEAN_BYTES(count) (3u * (size_t)(count) + 1u)

/*
 * Cleans @count bytes into @clean; a NUL among them is a control character. @clean is always
 * NUL-terminated; a result that does not fit is cut between two characters. @clean_bytes: size of
 * @clean, at least 1. Return: bytes written, without the NUL.
 */
size_t tm_utf8_clean(const char *bytes, size_t count, char *clean, size_t clean_bytes);
