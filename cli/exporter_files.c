/* SPDX-License-Identifier: Apache-2.0 */
/* exporter_files - the certificates and headers that tidemark-exporter gets as descriptors */

#include "cli/exporter_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/percent.h"

#define BLANKS " \t"

/* Return: the character at **text, which is moved behind it; -1: it is not allowed. */
static int decode(const char **text)
{
	int found = (unsigned char)*(*text)++;

	if (found == '%') {
		found = tm_percent_byte(*text);
		*text += 2;
	}
	return found < ' ' || found == 0x7f ? -1 : found;
}

/* Appends NAME: VALUE of the next member of a list. Return: 0, -EINVAL, -E2BIG. */
static int add_member(const char *text, const char *end, char *ret_text, size_t *used)
{
	const char *equals = memchr(text, '=', (size_t)(end - text)), *value;
	size_t name;
	int next;

	text += strspn(text, BLANKS);
	name = equals && equals > text ? (size_t)(equals - text) : 0;
	while (name > 0 && strchr(BLANKS, text[name - 1]))
		name--;
	while (end > text && strchr(BLANKS, end[-1]))
		end--;
	if (name == 0 || memchr(text, ':', name) || memchr(text, '\n', name))
		return -EINVAL;
	if (*used + (size_t)(end - text) + 4 > EXPORTER_HEADERS_BYTES)
		return -E2BIG;
	*used += (size_t)snprintf(ret_text + *used, EXPORTER_HEADERS_BYTES - *used,
				  "%.*s: ", (int)name, text);
	for (value = equals + 1 + strspn(equals + 1, BLANKS); value < end;) {
		next = decode(&value);
		if (next < 0)
			return -EINVAL;
		ret_text[(*used)++] = (char)next;
	}
	ret_text[(*used)++] = '\n';
	return 0;
}

static int add_list(const char *list, char *ret_text, size_t *used)
{
	int r = 0;

	while (list && *list != '\0' && r == 0) {
		size_t bytes = strcspn(list, ",");

		if (strspn(list, BLANKS) < bytes)
			r = add_member(list, list + bytes, ret_text, used);
		list += bytes + (list[bytes] == ',');
	}
	return r;
}

int exporter_files_headers(const struct otlp_options *options, char *ret_text)
{
	size_t used = 0;
	int r;

	for (size_t i = 0; i < options->header_count; i++) {
		const char *text = options->headers[i], *equals = strchr(text, '=');

		if (!equals)
			return -EINVAL;
		if (used + strlen(text) + 4 > EXPORTER_HEADERS_BYTES)
			return -E2BIG;
		used += (size_t)snprintf(ret_text + used, EXPORTER_HEADERS_BYTES - used,
					 "%.*s: %s\n", (int)(equals - text), text, equals + 1);
	}
	r = add_list(options->header_list, ret_text, &used);
	return r < 0 ? r : (int)used;
}

static int cannot(const char *what, int error)
{
	terminal_print("%s: %s", what, strerror(error));
	return EXIT_CODE_FAILED;
}

static int open_headers(int *ret_fd, const struct otlp_options *options)
{
	char text[EXPORTER_HEADERS_BYTES];
	int bytes = exporter_files_headers(options, text);

	if (bytes == -EINVAL) {
		terminal_print("the headers of OTEL_EXPORTER_OTLP_HEADERS are not NAME=VALUE,... "
			       "with percent-encoded values");
		return EXIT_CODE_USAGE;
	}
	if (bytes < 0)
		return cannot("the headers for OTLP", -bytes);
	if (bytes == 0)
		return 0;
	*ret_fd = memfd_create("otlp-headers", MFD_CLOEXEC);
	if (*ret_fd < 0 || write(*ret_fd, text, (size_t)bytes) != bytes ||
	    lseek(*ret_fd, 0, SEEK_SET) < 0)
		return cannot("the headers for OTLP", errno);
	explicit_bzero(text, sizeof(text)); /* they are secrets */
	return 0;
}

static int open_file(int *ret_fd, const char *path)
{
	if (!path)
		return 0;
	*ret_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return *ret_fd < 0 ? cannot(path, errno) : 0;
}

int exporter_files_open(struct exporter_files *files, const struct otlp_options *options)
{
	int r = open_file(&files->certificate, options->certificate);

	if (r == 0)
		r = open_file(&files->client_certificate, options->client_certificate);
	if (r == 0)
		r = open_file(&files->client_key, options->client_key);
	return r == 0 ? open_headers(&files->headers, options) : r;
}

void exporter_files_close(struct exporter_files *files)
{
	files->certificate = tm_close(files->certificate);
	files->client_certificate = tm_close(files->client_certificate);
	files->client_key = tm_close(files->client_key);
	files->headers = tm_close(files->headers);
}
