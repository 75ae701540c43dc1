/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * secrets - certificates, key and headers, read from descriptors before the sandbox is entered
 *
 * Owner      struct secrets owns the bytes until secrets_deinit, which overwrites them.
 * Limits     SECRETS_PEM_MAX and HEADERS_BYTES_MAX bytes of each; reading a pipe waits for its
 *            end, so the command closes its side.
 */

#include <stddef.h>

#include "symbolizer/exporter/options.h"

#define SECRETS_PEM_MAX (16u << 20)

struct secret {
	char *bytes; /* NUL-terminated behind the last; NULL: none */
	size_t count;
};

struct secrets {
	struct secret headers;
	struct secret certificate;
	struct secret client_certificate;
	struct secret client_key;
};
#define SECRETS_NULL ((struct secrets){{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}})

/* Reads and closes the descriptors of @options. Return: 0, -EFBIG, -errno. */
int secrets_read(struct secrets *secrets, const struct options *options);
void secrets_deinit(struct secrets *secrets);
