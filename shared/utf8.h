/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * utf8 - bytes from anywhere made into valid UTF-8 without control characters, in bounded room
 *
 * Control characters (C0, DEL, C1, the line and paragraph separators, and what turns the direction
 * of writing) become '_'; each byte that belongs to no valid sequence becomes U+FFFD. Receivers
 * refuse whole messages for one bad string, terminals obey control bytes.
 */

#include <stddef.h>

/* Bytes that the worst @count input bytes can become, with the final NUL. */
#define TM_UTF8_CLEAN_BYTES(count) (3u * (size_t)(count) + 1u)

/*
 * Cleans @count bytes (a NUL is a control character like any other) into @clean, which is always
 * terminated and never overrun: what does not fit is cut between characters. @room: at least 1.
 * Return: bytes written, without the NUL.
 */
size_t tm_utf8_clean(const char *bytes, size_t count, char *clean, size_t room);
