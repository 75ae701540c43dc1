/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_exporter_response - what a hostile OTLP receiver says: bodies of answers, and Retry-After
 *
 * The first byte chooses what the rest is.
 */

#include <stdlib.h>
#include <string.h>

#include "shared/utf8.h"
#include "symbolizer/exporter/response.h"
#include "symbolizer/exporter/retry.h"
#include "tests/fuzz/fuzz.h"

#define NOW    1700000000
#define CAP_MS 120000

/* A message is cleaned: cleaning it once more changes nothing. */
static void check(int r, const struct response *response)
{
	size_t length = strnlen(response->message, sizeof(response->message));
	char again[RESPONSE_MESSAGE_BYTES];

	if (length == sizeof(response->message) || response->rejected > INT64_MAX)
		abort();
	if (r < 0 && (length > 0 || response->rejected > 0))
		abort();
	if (tm_utf8_clean(response->message, length, again, sizeof(again)) != length ||
	    memcmp(again, response->message, length) != 0)
		abort();
}

static void read_retry_after(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	uint64_t wait = 0;

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (retry_after_ms(text, NOW, CAP_MS, &wait) == 0 && wait > CAP_MS)
		abort();
	if (retry_after_ms(text, INT64_MAX, CAP_MS, &wait) == 0 && wait > CAP_MS)
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct response response = {0};

	if (bytes == 0)
		return 0;
	switch (data[0] % 4) {
	case 0:
		check(response_parse_success(data + 1, bytes - 1, &response), &response);
		break;
	case 1:
		check(response_parse_error(data + 1, bytes - 1, &response), &response);
		break;
	case 2:
		response_take_text(data + 1, bytes - 1, &response);
		check(0, &response);
		break;
	default:
		read_retry_after(data + 1, bytes - 1);
	}
	return 0;
}
