/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter_files - the certificates and headers that tidemark-exporter gets as descriptors
 *
 * They are opened before anything runs, with the rights of who records, so that the exporter needs
 * no path. A header may be a secret: it never stands in an argument of a program.
 */

#include "cli/otlp_options.h"

#define EXPORTER_HEADERS_BYTES 8192u /* of all of them */

struct exporter_files {
	int certificate; /* descriptors; -1: none */
	int client_certificate;
	int client_key;
	int headers; /* a memfd of lines NAME: VALUE */
};
#define EXPORTER_FILES_NULL ((struct exporter_files){-1, -1, -1, -1})

/* Return: 0, or an exit code, after printing why; what was opened is in @files either way. */
int exporter_files_open(struct exporter_files *files, const struct otlp_options *options);
/* Total. */
void exporter_files_close(struct exporter_files *files);

/* --- parts ---------------------------------------------------------------------------------- */

/*
 * Writes the headers as lines to @ret_text (EXPORTER_HEADERS_BYTES). Those of a list are
 * percent-encoded and separated by commas, blanks around name and value do not count. Return:
 * bytes, or -EINVAL (no NAME=VALUE), -E2BIG.
 */
int exporter_files_headers(const struct otlp_options *options, char *ret_text);
