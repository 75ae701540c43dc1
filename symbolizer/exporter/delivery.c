/* SPDX-License-Identifier: Apache-2.0 */
/* delivery - decides what becomes of each body: sent, sent again or dropped, with an OUTCOME */

#include "symbolizer/exporter/delivery.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

void delivery_init(struct delivery *delivery, const struct options *options)
{
	memset(delivery, 0, sizeof(*delivery));
	delivery->queue.bytes_max = options->queue_bytes;
	delivery->retry.times = options->retry;
	delivery->transfer = TRANSFER_NULL;
}

void delivery_drop_outcome(struct delivery *delivery)
{
	delivery->outcome_first = (delivery->outcome_first + 1) % EXPORTER_OUTCOMES_MAX;
	delivery->outcome_count--;
}

static void push_outcome(struct delivery *delivery, const struct exporter_message *outcome)
{
	unsigned at;

	if (delivery->outcome_count == EXPORTER_OUTCOMES_MAX)
		delivery_drop_outcome(delivery);
	at = (delivery->outcome_first + delivery->outcome_count++) % EXPORTER_OUTCOMES_MAX;
	delivery->outcomes[at] = *outcome;
	delivery->outcomes[at].kind = EXPORTER_OUTCOME;
}

void delivery_refuse(struct delivery *delivery, uint64_t id, enum exporter_status status)
{
	push_outcome(delivery, &(struct exporter_message){.id = id, .status = status});
}

/* @body: taken out of the queue; frees it. */
static void finish(struct delivery *delivery, struct body *body, enum exporter_status status,
		   uint64_t rejected)
{
	const struct exporter_message outcome = {
		.id = body->id,
		.rejected = rejected,
		.status = status,
		.http_status = body->http_status,
		.attempts = body->attempts,
	};

	free(body->bytes);
	push_outcome(delivery, &outcome);
}

static void finish_first(struct delivery *delivery, enum exporter_status status, uint64_t rejected)
{
	struct body body;

	if (queue_take(&delivery->queue, /* behind_first= */ false, &body))
		finish(delivery, &body, status, rejected);
}

void delivery_accept(struct delivery *delivery, const struct exporter_message *send, void *bytes,
		     int64_t now_ms)
{
	struct body oldest, body = {
				    .id = send->id,
				    .samples = send->samples,
				    .bytes = bytes,
				    .count = (size_t)send->body_bytes,
				    .is_gzip = send->flags & EXPORTER_GZIP,
			    };

	while (!queue_fits(&delivery->queue, body.count) &&
	       queue_take(&delivery->queue, delivery->transfer.busy, &oldest)) {
		notice_print(&delivery->notice, now_ms,
			     "OTLP: %" PRIu64 " samples were dropped, too many wait to be sent",
			     oldest.samples);
		finish(delivery, &oldest, EXPORTER_QUEUE_FULL, 0);
	}
	if (queue_fits(&delivery->queue, body.count))
		queue_push(&delivery->queue, &body);
	else
		finish(delivery, &body, EXPORTER_QUEUE_FULL, 0);
}

static int64_t due_ms(const struct delivery *delivery)
{
	return delivery->ending ? delivery->queue.bodies[delivery->queue.first].due_ms
				: delivery->wait_until_ms;
}

void delivery_step(struct delivery *delivery, int64_t now_ms)
{
	struct body *body = queue_first(&delivery->queue);

	if (delivery->ending && now_ms >= delivery->deadline_ms) {
		transfer_abort(&delivery->transfer);
		while (delivery->queue.count > 0)
			finish_first(delivery, EXPORTER_LEFT, 0);
		return;
	}
	if (!body || delivery->transfer.busy || now_ms < due_ms(delivery))
		return;
	if (body->attempts++ == 0)
		body->first_ms = now_ms;
	if (transfer_start(&delivery->transfer, body) < 0)
		finish_first(delivery, EXPORTER_FAILED, 0);
}

int64_t delivery_wait_ms(const struct delivery *delivery, int64_t now_ms)
{
	int64_t at = delivery->deadline_ms;
	bool idle = delivery->queue.count == 0 || delivery->transfer.busy;

	if (idle && !delivery->ending)
		return -1;
	if (!idle && (!delivery->ending || due_ms(delivery) < at))
		at = due_ms(delivery);
	return at > now_ms ? at - now_ms : 0;
}

/* Return: ms to wait; *ret_asked: the receiver asked for it. */
static int64_t failure_wait_ms(struct delivery *delivery, bool *ret_asked)
{
	struct timespec now = {0};
	uint64_t wait = 0;
	uint32_t random;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (delivery->transfer.retry_after[0] != '\0' &&
	    retry_after_ms(delivery->transfer.retry_after, now.tv_sec,
			   delivery->retry.times.after_cap_ms, &wait) == 0) {
		*ret_asked = true;
		return (int64_t)wait;
	}
	*ret_asked = false;
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint32_t)now.tv_nsec; /* at boot */
	return (int64_t)retry_wait_ms(&delivery->retry, random);
}

/* The first body's request has failed in a way that may pass. */
static void try_again(struct delivery *delivery, int64_t now_ms)
{
	struct body *body = queue_first(&delivery->queue);
	bool asked;
	int64_t wait = failure_wait_ms(delivery, &asked);

	if (delivery->ending) {
		if (!asked)
			wait = DELIVERY_END_WAIT_MS;
		body->due_ms = now_ms + wait;
		if (body->due_ms >= delivery->deadline_ms)
			finish_first(delivery, EXPORTER_LEFT, 0);
		else
			queue_rotate(&delivery->queue);
		return;
	}
	delivery->wait_until_ms = now_ms + wait;
	if (now_ms + wait - body->first_ms > (int64_t)delivery->retry.times.give_up_ms)
		finish_first(delivery, EXPORTER_EXPIRED, 0);
}

static void take_answer(struct delivery *delivery, long status, const struct response *response,
			int64_t now_ms)
{
	retry_reset(&delivery->retry);
	if (status < 200 || status >= 300) {
		finish_first(delivery, EXPORTER_REFUSED, 0);
		return;
	}
	if (response->rejected > 0 || response->message[0] != '\0')
		notice_print(&delivery->notice, now_ms,
			     "OTLP: the receiver took a report, except for %" PRIu64
			     " of its profiles: %s",
			     response->rejected, response->message);
	finish_first(delivery,
		     response->rejected > 0 ? EXPORTER_REJECTED_IN_PART : EXPORTER_DELIVERED,
		     response->rejected);
}

static void print_failure(struct delivery *delivery, long status, const struct response *response,
			  int64_t now_ms)
{
	if (status)
		notice_print(&delivery->notice, now_ms, "OTLP: the receiver answered %ld: %s",
			     status, response->message);
	else
		notice_print(&delivery->notice, now_ms, "OTLP: the receiver did not answer: %s",
			     response->message);
}

void delivery_ended(struct delivery *delivery, CURLcode code, int64_t now_ms)
{
	struct body *body = queue_first(&delivery->queue);
	struct response response;
	long status = 0;
	enum transfer_result result = transfer_end(&delivery->transfer, code, &status, &response);

	if (!body)
		return;
	body->http_status = (uint32_t)status;
	if (result != TRANSFER_ANSWERED || status < 200 || status >= 300)
		print_failure(delivery, status, &response, now_ms);
	if (result == TRANSFER_UNTRUSTED)
		finish_first(delivery, EXPORTER_UNTRUSTED, 0);
	else if (result == TRANSFER_INVALID)
		finish_first(delivery, EXPORTER_FAILED, 0);
	else if (result == TRANSFER_UNANSWERED || retry_is_allowed(status))
		try_again(delivery, now_ms);
	else
		take_answer(delivery, status, &response, now_ms);
}

void delivery_end(struct delivery *delivery, int64_t now_ms, uint64_t flush_ms)
{
	delivery->ending = true;
	delivery->deadline_ms = now_ms + (int64_t)flush_ms;
}

const struct exporter_message *delivery_outcome(const struct delivery *delivery)
{
	return delivery->outcome_count > 0 ? &delivery->outcomes[delivery->outcome_first] : NULL;
}

void delivery_deinit(struct delivery *delivery)
{
	transfer_deinit(&delivery->transfer);
	queue_deinit(&delivery->queue);
}
