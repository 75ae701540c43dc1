/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_exporter_headers - header lines that a user may give for the requests of the exporter
 */

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "symbolizer/exporter/headers.h"
#include "tests/fuzz/fuzz.h"

#define OURS 4 /* with gzip */

/* Nothing in a line ends it, and no line is one of ours again. */
static void check(const struct curl_slist *list)
{
	unsigned count = 0;

	for (; list; list = list->next) {
		if (strpbrk(list->data, "\r\n") || !strpbrk(list->data, ":;"))
			abort();
		if (count++ >= OURS && (strncasecmp(list->data, "content-", 8) == 0) &&
		    (strncasecmp(list->data + 8, "type:", 5) == 0 ||
		     strncasecmp(list->data + 8, "length:", 7) == 0))
			abort();
	}
	if (count > OURS + HEADERS_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct curl_slist *list = NULL;
	char *text = malloc(bytes + 1);

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (headers_make(text, bytes, true, &list) == 0)
		check(list);
	else if (list)
		abort();
	curl_slist_free_all(list);
	free(text);
	return 0;
}
