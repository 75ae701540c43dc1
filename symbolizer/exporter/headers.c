/* SPDX-License-Identifier: Apache-2.0 */
/* headers - the header fields of every request: ours, and those that the user asks for */

#include "symbolizer/exporter/headers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shared/cleanup.h"

#define TOKEN "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char *const reserved[] = {"Host",
				       "Content-Type",
				       "Content-Length",
				       "Content-Encoding",
				       "Transfer-Encoding",
				       "Connection",
				       "Expect",
				       "User-Agent",
				       "OTLP-Profiles-Development-Version"};

static bool is_reserved(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strlen(reserved[i]) == length && strncasecmp(reserved[i], name, length) == 0)
			return true;
	return false;
}

/* Return: 0, -ENOMEM; *list is unchanged then. */
static int append(struct curl_slist **list, const char *line)
{
	struct curl_slist *longer = curl_slist_append(*list, line);

	if (!longer)
		return -ENOMEM;
	*list = longer;
	return 0;
}

static bool is_value(const char *value)
{
	for (; *value != '\0'; value++)
		if (((unsigned char)*value < ' ' && *value != '\t') || *value == '\x7f')
			return false;
	return true;
}

/* libcurl takes "NAME;" for a field without a value, and "NAME:" for one to leave out. */
static int append_line(struct curl_slist **list, char *line)
{
	size_t length = strspn(line, TOKEN), end = strlen(line);
	char *value = line + length + 1;

	if (length == 0 || line[length] != ':' || is_reserved(line, length) || !is_value(value))
		return -EINVAL;
	while (end > length + 1 && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		line[--end] = '\0';
	if (end == length + 1)
		line[length] = ';';
	return append(list, line);
}

static int append_lines(struct curl_slist **list, char *text)
{
	unsigned count = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, "\n");
		char *next = text + length + (text[length] == '\n' ? 1 : 0);
		int r;

		text[length] = '\0';
		if (length > 0 && text[length - 1] == '\r')
			text[--length] = '\0';
		if (length > 0) {
			r = ++count > HEADERS_MAX ? -EINVAL : append_line(list, text);
			if (r < 0)
				return r;
		}
		text = next;
	}
	return 0;
}

static int append_ours(struct curl_slist **list, bool gzip)
{
	int r = append(list, "Content-Type: application/x-protobuf");

	if (r == 0)
		r = append(list, "OTLP-Profiles-Development-Version: 1");
	if (r == 0)
		r = append(list, "Expect:"); /* no wait for "100 Continue" */
	if (r == 0 && gzip)
		r = append(list, "Content-Encoding: gzip");
	return r;
}

static int append_copy(struct curl_slist **list, const char *text, size_t count)
{
	_cleanup_(tm_freep) char *copy = NULL;
	int r;

	if (strlen(text) != count)
		return -EINVAL; /* there is a NUL in it */
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	r = append_lines(list, copy);
	explicit_bzero(copy, count);
	return r;
}

int headers_make(const char *text, size_t count, bool gzip, struct curl_slist **ret_headers)
{
	struct curl_slist *list = NULL;
	int r = append_ours(&list, gzip);

	if (r == 0 && text)
		r = append_copy(&list, text, count);
	if (r < 0)
		curl_slist_free_all(list);
	else
		*ret_headers = list;
	return r;
}
