/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * delivery - decides what becomes of each body: sent, sent again or dropped, with an OUTCOME
 *
 * Order      the oldest body first, one request at a time. A body whose request failed in a way
 *            that may pass (retry.h) stays first. The same bytes are sent each time, so that a
 *            receiver can recognise what it got twice.
 * Room       a new body drops the oldest ones that are not under way; if that does not suffice, it
 *            is dropped itself.
 * End        from delivery_end on, every body is due at once. One whose request fails goes behind
 *            the others, and is tried again after DELIVERY_END_WAIT_MS or Retry-After, until the
 *            deadline; one whose wait would pass the deadline is given up at once.
 * Balance    each body that was accepted makes one OUTCOME; a success in a request whose answer was
 *            lost on the way is not seen, so a body may arrive twice.
 */

#include "symbolizer/exporter/notice.h"
#include "symbolizer/exporter/queue.h"
#include "symbolizer/exporter/retry.h"
#include "symbolizer/exporter/transfer.h"

#define DELIVERY_END_WAIT_MS 500

struct delivery {
	struct queue queue;
	struct retry retry;
	struct notice notice;
	struct transfer transfer;
	int64_t wait_until_ms; /* no request before */
	bool ending;
	int64_t deadline_ms;                                     /* of all, when `ending` */
	struct exporter_message outcomes[EXPORTER_OUTCOMES_MAX]; /* to be sent, a ring */
	unsigned outcome_first, outcome_count;
};

void delivery_init(struct delivery *delivery, const struct options *options);
/* @send: checked. @bytes: its body; taken. */
void delivery_accept(struct delivery *delivery, const struct exporter_message *send, void *bytes,
		     int64_t now_ms);
/* Answers a SEND whose body was not accepted. */
void delivery_refuse(struct delivery *delivery, uint64_t id, enum exporter_status status);
/* Begins what is due. */
void delivery_step(struct delivery *delivery, int64_t now_ms);
/* The request under way has ended. */
void delivery_ended(struct delivery *delivery, CURLcode code, int64_t now_ms);
/* Return: ms until delivery_step has something to do, -1: nothing before something happens. */
int64_t delivery_wait_ms(const struct delivery *delivery, int64_t now_ms);
/* Nothing more will be accepted. */
void delivery_end(struct delivery *delivery, int64_t now_ms, uint64_t flush_ms);
/* Return: the first OUTCOME to be sent, borrowed; NULL: there is none. */
const struct exporter_message *delivery_outcome(const struct delivery *delivery);
void delivery_drop_outcome(struct delivery *delivery);
void delivery_deinit(struct delivery *delivery);
