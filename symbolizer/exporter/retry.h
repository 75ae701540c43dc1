/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * retry - which answers are tried again, and when
 *
 * Rule       OTLP/HTTP: 429, 502, 503 and 504, and a request that was not answered at all. The wait
 *            is that of Retry-After; without one it grows with each failure and is random, so that
 *            many senders do not come back at the same moment.
 * State      one for the receiver, not for a body: the next body does not begin with short waits at
 *            a receiver that has just refused the one before.
 * Source     opentelemetry-proto, docs/specification.md; RFC 9110, 10.2.3 (Retry-After).
 */

#include <stdbool.h>
#include <stdint.h>

#define RETRY_INITIAL_MS   5000u
#define RETRY_CAP_MS       30000u
#define RETRY_GIVE_UP_MS   300000u /* from the first attempt of a body */
#define RETRY_AFTER_CAP_MS 120000u /* whatever a receiver says */
#define RETRY_MS_MAX       86400000u

struct retry_times {
	uint64_t initial_ms;
	uint64_t cap_ms;
	uint64_t give_up_ms;
	uint64_t after_cap_ms;
};
#define RETRY_TIMES_DEFAULT \
	((struct retry_times){RETRY_INITIAL_MS, RETRY_CAP_MS, RETRY_GIVE_UP_MS, RETRY_AFTER_CAP_MS})

struct retry {
	struct retry_times times;
	uint64_t interval_ms; /* of the last wait, before chance; 0: the last attempt succeeded */
};

bool retry_is_allowed(long http_status);
/* The wait after one more failure; @random: any 32 bits. Return: ms, from half the interval to the
 * cap. */
uint64_t retry_wait_ms(struct retry *retry, uint32_t random);
/* The receiver has answered. */
void retry_reset(struct retry *retry);
/*
 * The wait that the value of a Retry-After header asks for: seconds, or a date, which is compared
 * with @now_s (s since 1970). A date that has passed: 0. Never more than @cap_ms.
 * Return: 0; -EINVAL: it is neither.
 */
int retry_after_ms(const char *text, int64_t now_s, uint64_t cap_ms, uint64_t *ret_ms);
