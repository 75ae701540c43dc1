/* SPDX-License-Identifier: Apache-2.0 */
/* retry - which answers are tried again, and when */

#include "symbolizer/exporter/retry.h"

#include <curl/curl.h>
#include <errno.h>
#include <string.h>

#include "shared/parse.h"

#define GROWTH_NUMERATOR   3u /* the interval grows by 3/2 */
#define GROWTH_DENOMINATOR 2u

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool retry_is_allowed(long http_status)
{
	return http_status == 429 || http_status == 502 || http_status == 503 || http_status == 504;
}

uint64_t retry_wait_ms(struct retry *retry, uint32_t random)
{
	uint64_t interval = retry->interval_ms * GROWTH_NUMERATOR / GROWTH_DENOMINATOR;

	if (retry->interval_ms == 0)
		interval = retry->times.initial_ms;
	interval = least(interval, retry->times.cap_ms);
	retry->interval_ms = interval;
	/* Between a half and one and a half times as long. */
	return least(interval / 2 + (interval * random >> 32), retry->times.cap_ms);
}

void retry_reset(struct retry *retry)
{
	retry->interval_ms = 0;
}

/* Digits alone, so that their number, which is the sender's choice, may exceed every integer. */
static int seconds_ms(const char *text, uint64_t cap_ms, uint64_t *ret_ms)
{
	uint64_t seconds = 0;
	int r = tm_parse_number(text, 0, cap_ms / 1000, &seconds);

	if (r == 0)
		*ret_ms = seconds * 1000;
	else if (r == -ERANGE)
		*ret_ms = cap_ms;
	return r == -ERANGE ? 0 : r;
}

int retry_after_ms(const char *text, int64_t now_s, uint64_t cap_ms, uint64_t *ret_ms)
{
	time_t date;

	if (text[0] != '\0' && text[strspn(text, "0123456789")] == '\0')
		return seconds_ms(text, cap_ms, ret_ms);
	date = curl_getdate(text, NULL);
	if (date < 0)
		return -EINVAL;
	if (date <= now_s)
		*ret_ms = 0;
	else if ((uint64_t)(date - now_s) >= cap_ms / 1000)
		*ret_ms = cap_ms;
	else
		*ret_ms = (uint64_t)(date - now_s) * 1000;
	return 0;
}
