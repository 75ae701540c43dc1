/* SPDX-License-Identifier: Apache-2.0 */
/* report_delivery_step - from the spool to the exporter, one report after the other */

#include <fcntl.h>

#include "shared/cleanup.h"
#include "symbolizer/output/report_delivery.h"

#define FULL_WAIT_MS 100

/* --- counting --------------------------------------------------------------------------------- */

static void count(struct report_delivery *delivery, enum tm_export outcome, uint64_t samples)
{
	exporter_client_fail(&delivery->exporter, outcome, samples);
}

static const struct report_delivery_stored *first_stored(const struct report_delivery *delivery)
{
	return delivery->stored_count ? &delivery->stored[delivery->stored_first] : NULL;
}

static void drop_first_stored(struct report_delivery *delivery)
{
	delivery->stored_first = (delivery->stored_first + 1) % REPORT_DELIVERY_STORED;
	delivery->stored_count--;
}

static void add_stored(struct report_delivery *delivery, uint64_t sequence, uint64_t samples)
{
	unsigned at = delivery->stored_first + delivery->stored_count;

	if (delivery->stored_count == REPORT_DELIVERY_STORED || !delivery->has_exporter) {
		count(delivery, TM_EXPORT_SPOOLED, samples);
		return;
	}
	delivery->stored[at % REPORT_DELIVERY_STORED] =
		(struct report_delivery_stored){sequence, samples};
	delivery->stored_count++;
}

static void count_kept(struct tm_export_result *result, const struct spool_message *message)
{
	result->spool_bytes = message->kept_bytes;
	result->spool_reach_ns = message->reach_ns;
	result->spool_least_ns = message->least_ns;
}

/* The spool has nothing before @sequence any more. */
static void count_lost_before(struct report_delivery *delivery, uint64_t sequence)
{
	const struct report_delivery_stored *first;

	while ((first = first_stored(delivery)) && first->sequence < sequence) {
		count(delivery, TM_EXPORT_SPOOL_LOST, first->samples);
		drop_first_stored(delivery);
	}
}

/* --- the spool -------------------------------------------------------------------------------- */

/* To the exporter, without the spool. */
static void send_directly(struct report_delivery *delivery, int body,
			  const struct exporter_message *message)
{
	if (delivery->has_exporter)
		exporter_client_send(&delivery->exporter, body, message);
	else
		count(delivery, TM_EXPORT_SPOOL_LOST, message->samples);
}

static struct report_delivery_storing take_storing(struct report_delivery *delivery)
{
	struct report_delivery_storing first = delivery->storing[delivery->storing_first];

	delivery->storing_first = (delivery->storing_first + 1) % REPORT_DELIVERY_STORING;
	delivery->storing_count--;
	delivery->storing_bytes -= first.part.message.body_bytes;
	return first;
}

static bool is_due(const struct report_delivery *delivery)
{
	return delivery->storing_count > 0 &&
	       delivery->now_ms >= delivery->storing[delivery->storing_first].asked_ms +
					   REPORT_DELIVERY_ANSWER_MS;
}

/* Whether parts wait for the next spool. */
static bool awaits_spool(const struct report_delivery *delivery)
{
	return delivery->spool.listener >= 0 && delivery->now_ms < delivery->spool_until_ms;
}

/* The first of those that the spool has not answered for. */
static void send_first_storing(struct report_delivery *delivery)
{
	struct report_delivery_storing storing = take_storing(delivery);

	send_directly(delivery, storing.body, &storing.part.message);
	(void)tm_close(storing.body);
}

/* There is no spool: sends what waits no more for the next one. */
static void send_storing(struct report_delivery *delivery)
{
	while (delivery->storing_count > 0 && (!awaits_spool(delivery) || is_due(delivery)))
		send_first_storing(delivery);
}

/* The next one is asked to store what this one has not answered for. */
static void lose_spool(struct report_delivery *delivery)
{
	spool_client_lose(&delivery->spool);
	delivery->fetch_id = 0;
	delivery->spool_until_ms = delivery->now_ms + REPORT_DELIVERY_SUCCESSOR_MS;
	for (unsigned i = 0; i < delivery->storing_count; i++)
		delivery->storing[(delivery->storing_first + i) % REPORT_DELIVERY_STORING].id = 0;
	send_storing(delivery);
}

void report_delivery_await_no_spool(struct report_delivery *delivery)
{
	delivery->spool_until_ms = 0;
	if (delivery->spool.socket < 0)
		send_storing(delivery);
}

void report_delivery_give_up_storing(struct report_delivery *delivery)
{
	while (delivery->storing_count > 0) {
		struct report_delivery_storing storing = take_storing(delivery);

		count(delivery, TM_EXPORT_UNFINISHED, storing.part.message.samples);
		(void)tm_close(storing.body);
	}
}

/* Return: the first part that the spool was not asked to store yet; NULL: there is none. */
static struct report_delivery_storing *first_waiting(struct report_delivery *delivery)
{
	for (unsigned i = 0; i < delivery->storing_count; i++) {
		unsigned at = (delivery->storing_first + i) % REPORT_DELIVERY_STORING;

		if (delivery->storing[at].id == 0)
			return &delivery->storing[at];
	}
	return NULL;
}

/* Asks the spool to store what waits for that, as far as it reads. */
static void ask_to_store(struct report_delivery *delivery)
{
	struct report_delivery_storing *waiting;
	int r = 0;

	while (r == 0 && delivery->spool.socket >= 0 && (waiting = first_waiting(delivery))) {
		const struct spool_message ask =
			report_part_store(&waiting->part, !delivery->has_exporter);

		r = spool_client_store(&delivery->spool, &ask, waiting->body);
		if (r == 0)
			waiting->id = delivery->spool.last_id;
	}
	if (r == SPOOL_CLIENT_E_GONE)
		lose_spool(delivery);
}

static bool has_room(const struct report_delivery *delivery, uint64_t bytes)
{
	const uint64_t most = delivery->spool.socket >= 0 ? REPORT_DELIVERY_STORING_BYTES
							  : REPORT_DELIVERY_WAITING_BYTES;

	return delivery->storing_count < REPORT_DELIVERY_STORING &&
	       delivery->storing_bytes + bytes <= most;
}

/* Return: whether the spool has it and will answer, or it waits for the spool. */
static bool store(struct report_delivery *delivery, int body, const struct report_part *part)
{
	unsigned at = (delivery->storing_first + delivery->storing_count) % REPORT_DELIVERY_STORING;
	int kept;

	if ((delivery->spool.socket < 0 && !awaits_spool(delivery)) ||
	    !has_room(delivery, part->message.body_bytes))
		return false;
	kept = fcntl(body, F_DUPFD_CLOEXEC, 0);
	if (kept < 0)
		return false;
	delivery->storing[at] = (struct report_delivery_storing){
		.asked_ms = delivery->now_ms,
		.part = *part,
		.body = kept,
	};
	delivery->storing_count++;
	delivery->storing_bytes += part->message.body_bytes;
	ask_to_store(delivery);
	return true;
}

void report_delivery_store(struct report_delivery *delivery, int body,
			   const struct report_part *part)
{
	if (part->message.body_bytes == 0)
		count(delivery, TM_EXPORT_MEMORY, part->message.samples);
	else if (!store(delivery, body, part))
		send_directly(delivery, body, &part->message);
}

/* Return: whether it answers the oldest question. */
static bool on_stored(struct report_delivery *delivery, const struct spool_message *message)
{
	struct report_delivery_storing storing;

	if (delivery->storing_count == 0 ||
	    delivery->storing[delivery->storing_first].id != message->id)
		return false;
	storing = take_storing(delivery);
	count_kept(&delivery->exporter.result, message);
	if (message->status == SPOOL_DONE) {
		add_stored(delivery, message->sequence, storing.part.message.samples);
		delivery->exporter.result.bytes += storing.part.message.body_bytes;
		delivery->nothing_left = false;
	} else {
		send_directly(delivery, storing.body, &storing.part.message);
	}
	(void)tm_close(storing.body);
	return true;
}

/* --- the exporter ----------------------------------------------------------------------------- */

static void pause_sending(struct report_delivery *delivery)
{
	uint64_t ms = delivery->pause_ms ? 2 * delivery->pause_ms : REPORT_DELIVERY_PAUSE_MS;

	delivery->pause_ms = ms < REPORT_DELIVERY_PAUSE_MAX_MS ? ms : REPORT_DELIVERY_PAUSE_MAX_MS;
	delivery->pause_until_ms = delivery->now_ms + delivery->pause_ms;
}

static bool is_final(enum tm_export outcome)
{
	return outcome == TM_EXPORT_DELIVERED || outcome == TM_EXPORT_REFUSED ||
	       outcome == TM_EXPORT_TOO_LARGE;
}

void report_delivery_settled(void *context, enum tm_export outcome, uint64_t rejected)
{
	struct report_delivery *delivery = context;
	const struct report_delivery_stored *first;
	const uint64_t sequence = delivery->sending;

	delivery->sending = 0;
	if (!is_final(outcome)) {
		pause_sending(delivery);
		return;
	}
	delivery->pause_ms = 0;
	delivery->delivered = sequence;
	delivery->exporter.result.rejected += rejected;
	count_lost_before(delivery, sequence);
	first = first_stored(delivery);
	if (first && first->sequence == sequence) {
		count(delivery, outcome, first->samples);
		drop_first_stored(delivery);
	} else {
		delivery->exporter.result.replayed++;
	}
}

static void forward(struct report_delivery *delivery, const struct spool_message *message, int body)
{
	const struct exporter_message send = {
		.flags = message->flags & SPOOL_GZIP ? EXPORTER_GZIP : 0,
		.body_bytes = message->body_bytes,
		.uncompressed_bytes = message->uncompressed_bytes,
		.samples = message->samples,
	};

	delivery->sending = message->sequence;
	if (exporter_client_forward(&delivery->exporter, body, &send) != TM_EXPORT_DELIVERED) {
		delivery->sending = 0;
		pause_sending(delivery);
	}
}

/* Return: whether it answers the last question, and is newer than what has a final answer. */
static bool on_report(struct report_delivery *delivery, const struct spool_message *message,
		      int body)
{
	if (message->id != delivery->fetch_id)
		return false;
	delivery->fetch_id = 0;
	if (message->status == SPOOL_NONE) {
		delivery->nothing_left = true;
		count_lost_before(delivery, UINT64_MAX); /* all were stored before the question */
	}
	if (message->status == SPOOL_BROKEN)
		pause_sending(delivery);
	if (message->status != SPOOL_DONE)
		return true;
	if (message->sequence <= delivery->delivered)
		return false;
	if (!delivery->last)
		forward(delivery, message, body);
	return true;
}

/* --- a step ----------------------------------------------------------------------------------- */

static void receive_from_spool(struct report_delivery *delivery)
{
	struct spool_message message;
	int r = 0;

	while (r == 0) {
		_cleanup_(tm_closep) int body = -1;
		bool valid;

		r = spool_client_receive(&delivery->spool, &message, &body);
		if (r == 0) {
			valid = message.kind == SPOOL_STORED ? on_stored(delivery, &message)
							     : on_report(delivery, &message, body);
			r = valid ? 0 : SPOOL_CLIENT_E_GONE;
		}
	}
	if (r == SPOOL_CLIENT_E_GONE)
		lose_spool(delivery);
}

static bool may_fetch(const struct report_delivery *delivery)
{
	return delivery->has_exporter && delivery->exporter.socket >= 0 &&
	       delivery->spool.socket >= 0 && delivery->fetch_id == 0 && delivery->sending == 0 &&
	       !delivery->nothing_left && !delivery->last;
}

void report_delivery_step(struct report_delivery *delivery, uint64_t now_ms)
{
	delivery->now_ms = now_ms;
	exporter_client_receive(&delivery->exporter);
	exporter_client_accept(&delivery->exporter);
	if (spool_client_accept(&delivery->spool))
		delivery->nothing_left = false; /* it may know of reports that we do not */
	ask_to_store(delivery);
	if (delivery->spool.socket < 0) {
		send_storing(delivery);
		return;
	}
	receive_from_spool(delivery);
	if (is_due(delivery))
		lose_spool(delivery);
	if (delivery->delivered > delivery->delivered_sent &&
	    spool_client_delivered(&delivery->spool, delivery->delivered) == 0)
		delivery->delivered_sent = delivery->delivered;
	if (may_fetch(delivery) && now_ms >= delivery->pause_until_ms &&
	    spool_client_fetch(&delivery->spool, delivery->delivered) == 0)
		delivery->fetch_id = delivery->spool.last_id;
}

int report_delivery_wait_ms(const struct report_delivery *delivery, uint64_t now_ms)
{
	uint64_t until_ms = UINT64_MAX;

	if (delivery->storing_count > 0)
		until_ms = delivery->storing[delivery->storing_first].asked_ms +
			   REPORT_DELIVERY_ANSWER_MS;
	if (delivery->storing_count > 0 && delivery->spool.socket < 0 &&
	    delivery->spool_until_ms < until_ms)
		until_ms = delivery->spool_until_ms;
	if (may_fetch(delivery) && delivery->pause_until_ms < until_ms)
		until_ms = delivery->pause_until_ms;
	if (delivery->spool.socket >= 0 && delivery->delivered > delivery->delivered_sent)
		until_ms = now_ms;
	if (until_ms == UINT64_MAX)
		return -1;
	/* What is due has just been tried: a socket was full. */
	return until_ms > now_ms ? (int)(until_ms - now_ms) : FULL_WAIT_MS;
}

bool report_delivery_is_busy(const struct report_delivery *delivery)
{
	bool paused = delivery->pause_ms > 0;

	return delivery->storing_count > 0 || delivery->fetch_id != 0 || delivery->sending != 0 ||
	       (may_fetch(delivery) && !paused);
}
