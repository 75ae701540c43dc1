/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * headers - the header fields of every request: ours, and those that the user asks for
 *
 * Shape      of the user's: lines "NAME: VALUE", ended by LF or CR LF; empty lines are skipped.
 *            NAME is a token (RFC 9110, 5.6.2), VALUE has no control character but the tab; spaces
 *            around it do not count, and it may be empty.
 * Reserved   what libcurl or we say ourselves is refused: Host, Content-*, Transfer-Encoding,
 *            Connection, Expect, User-Agent, OTLP-Profiles-Development-Version, which a receiver
 *            refuses if it comes twice.
 * Owner      the list is the caller's, for curl_slist_free_all().
 */

#include <curl/curl.h>
#include <stdbool.h>

#define HEADERS_BYTES_MAX (64u << 10) /* of all that the user asks for */
#define HEADERS_MAX       64u         /* fields */

/* @text: the user's lines, of @count bytes, with a NUL behind them; NULL: none. Return: 0, -EINVAL
 * (invalid, reserved or too many), -ENOMEM. */
int headers_make(const char *text, size_t count, bool gzip, struct curl_slist **ret_headers);
