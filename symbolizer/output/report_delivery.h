/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_delivery - brings parts of reports to the spool, and from there in order to the exporter
 *
 * Without a spool, a part goes to the exporter at once, and there is no thread. Without an exporter
 * it stays in the spool.
 *
 * Order      with both, a part is stored first. Then the oldest report in the spool without a
 *            final answer, which may be one of an earlier recording, is sent, alone; once the
 *            receiver has taken or refused it, the next. Any other outcome means that the receiver
 *            is not to be had: the same report is sent again after a pause, which grows.
 * Fallback   a part that the spool refuses is sent directly, and so is what it has not answered for
 *            when it is lost. If another spool may come (the service), that is asked instead, if it
 *            comes within REPORT_DELIVERY_SUCCESSOR_MS, and parts that are made meanwhile wait for
 *            it, too. Either way a part may arrive twice: a spool that died may have stored it.
 * Counts     each part of this symbolizer has one outcome. `spooled`: it is in the spool, and its
 *            delivery is the business of a later recording. Reports of earlier ones are counted
 *            apart, as `replayed`.
 * Waits      report_delivery_send never does. A spool without an answer for
 *            REPORT_DELIVERY_ANSWER_MS is given up.
 * Threads    the thread of its own waits for answers; `lock` is that of everything below it.
 *            report_delivery_start is called before the sandbox.
 * Service    what connects is accepted by a step, or when there is something to send.
 * Limits     REPORT_DELIVERY_STORING parts without an answer of the spool, and so many bytes, fewer
 *            (REPORT_DELIVERY_WAITING_BYTES) while there is none;
 *            REPORT_DELIVERY_STORED parts whose end is awaited: more count as spooled at once.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/output/exporter_client.h"
#include "symbolizer/output/report_part.h"
#include "symbolizer/output/report_shares.h"
#include "symbolizer/output/spool_client.h"

#define REPORT_DELIVERY_STORING       64u
#define REPORT_DELIVERY_STORING_BYTES (64u << 20)
#define REPORT_DELIVERY_WAITING_BYTES (8u << 20)
#define REPORT_DELIVERY_STORED        8192u
#define REPORT_DELIVERY_ANSWER_MS     30000
#define REPORT_DELIVERY_SUCCESSOR_MS  10000 /* systemd restarts a spool after 0.1 s */
#define REPORT_DELIVERY_PAUSE_MS      2000  /* the first one; each is twice as long as the last, */
#define REPORT_DELIVERY_PAUSE_MAX_MS  60000 /* but not longer */

struct report_delivery_storing { /* a part that the spool is to store */
	uint64_t id;       /* of the question; 0: it waits for a spool, or for room in the socket */
	uint64_t asked_ms; /* when it was made */
	struct report_part part;
	int body; /* owned */
};

struct report_delivery_stored { /* a part that is in the spool */
	uint64_t sequence;
	uint64_t samples;
};

struct report_delivery {
	bool has_exporter, has_spool; /* as at the start */
	struct report_shares shares;  /* of the spool: the thread's that makes the reports */
	pthread_t thread;
	int wake[2]; /* a socket pair: a message in [0] wakes the thread */
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t began;
	bool running, stopping;
	struct exporter_client exporter; /* its result is that of all */
	struct spool_client spool;
	struct report_delivery_storing storing[REPORT_DELIVERY_STORING]; /* a ring */
	unsigned storing_first, storing_count;
	uint64_t storing_bytes;
	uint64_t spool_until_ms; /* how long parts wait for a spool, if there is none */
	struct report_delivery_stored stored[REPORT_DELIVERY_STORED]; /* likewise */
	unsigned stored_first, stored_count;
	uint64_t delivered;      /* the last sequence with a final answer; known here, */
	uint64_t delivered_sent; /* and in the spool */
	uint64_t fetch_id;       /* 0: none is under way */
	uint64_t sending;        /* the sequence that is with the exporter; 0: none */
	bool nothing_left;       /* the spool had nothing more to send */
	bool last;               /* nothing more is fetched */
	uint64_t now_ms;         /* of the last step, or part */
	uint64_t pause_until_ms, pause_ms;
};

/* @exporter_fd, @spool_fd: sockets; -1: none. @first_id: higher than any of one before this one. */
void report_delivery_init(struct report_delivery *delivery, int exporter_fd, int spool_fd,
			  uint64_t first_id);
/* Of the service: both may connect, at any time and again. @exporter, @spool: listening sockets;
 * -1: none is to come. Before report_delivery_start. */
void report_delivery_serve(struct report_delivery *delivery, int exporter, int spool);
/* Return: 0, -errno. */
int report_delivery_start(struct report_delivery *delivery);
/* Whether reports go anywhere. */
bool report_delivery_is_on(const struct report_delivery *delivery);
/* Seals @body, which stays the caller's, and hands it over. */
void report_delivery_send(struct report_delivery *delivery, int body,
			  const struct report_part *part);
/* Counts a part with @samples that could not be made. */
void report_delivery_fail(struct report_delivery *delivery, enum tm_export why, uint64_t samples);
/* What is known so far. */
void report_delivery_result(struct report_delivery *delivery, struct tm_export_result *ret_result);
/* After the last part: waits at most @ms for what is under way, and ends the thread. */
void report_delivery_finish(struct report_delivery *delivery, unsigned ms);
/* Ends the thread. Total. */
void report_delivery_deinit(struct report_delivery *delivery);

/* --- parts, with the lock -------------------------------------------------------------------- */

/* Takes every answer that is there, and begins what can be begun. Never waits. */
void report_delivery_step(struct report_delivery *delivery, uint64_t now_ms);
/* Return: ms until something is to be done; -1: nothing is, without an answer. */
int report_delivery_wait_ms(const struct report_delivery *delivery, uint64_t now_ms);
/* Return: whether an answer is awaited that will come soon. */
bool report_delivery_is_busy(const struct report_delivery *delivery);
/* Hands a sealed body to the spool, or else to the exporter. */
void report_delivery_store(struct report_delivery *delivery, int body,
			   const struct report_part *part);
/* What waits for another spool is sent directly. */
void report_delivery_await_no_spool(struct report_delivery *delivery);
/* Nobody will know whether the spool has stored what it has not answered for. */
void report_delivery_give_up_storing(struct report_delivery *delivery);
/* `settled` of the exporter; @context: the delivery. */
void report_delivery_settled(void *context, enum tm_export outcome, uint64_t rejected);
