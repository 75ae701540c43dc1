/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_delivery_fixture - a delivery whose steps are taken here, its spool and its exporter
 */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/output/report_delivery.h"

#define FIRST_ID 1000u

struct peers {
	struct report_delivery delivery; /* without its thread: each step is taken here */
	int spool, spool_end;            /* ours, and that of the delivery */
	int exporter, exporter_end;
	uint64_t now_ms;
};

static inline int begin(struct peers *peers, bool with_exporter)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	peers->spool = ends[0];
	peers->spool_end = ends[1];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	peers->exporter = ends[0];
	peers->exporter_end = ends[1];
	report_delivery_init(&peers->delivery, with_exporter ? peers->exporter_end : -1,
			     peers->spool_end, FIRST_ID);
	peers->now_ms = tm_clock_ms();
	return 0;
}

static struct peers peers;

static inline int set_up(void **state)
{
	*state = &peers;
	return begin(&peers, true);
}

static inline int set_up_alone(void **state)
{
	*state = &peers;
	return begin(&peers, false);
}

static inline int tear_down(void **state)
{
	report_delivery_deinit(&peers.delivery);
	peers.spool = tm_close(peers.spool);
	peers.spool_end = tm_close(peers.spool_end);
	peers.exporter = tm_close(peers.exporter);
	peers.exporter_end = tm_close(peers.exporter_end);
	return 0;
}

static inline void step(struct peers *p)
{
	report_delivery_step(&p->delivery, p->now_ms);
}

/* Hands over a part with that number of samples. */
static inline void send_part(struct peers *p, uint64_t samples)
{
	const struct report_part part = {
		.message = {.flags = EXPORTER_GZIP, .uncompressed_bytes = 10, .samples = samples},
		.times = {.start_ktime = 5, .end_ktime = 9, .realtime_offset = 7},
		.share = 3,
	};
	int body = exporter_client_body();

	assert_int_equal(write(body, "body", 4), 4);
	report_delivery_send(&p->delivery, body, &part);
	(void)close(body);
}

/* The next message that the spool got; without a descriptor. */
static inline struct spool_message spool_got(struct peers *p, enum spool_kind kind)
{
	struct spool_message message;
	int fd = -1;

	assert_int_equal(tm_fdpass_recv(p->spool, &message, sizeof(message), &fd, MSG_DONTWAIT), 0);
	(void)tm_close(fd);
	assert_int_equal(message.kind, kind);
	return message;
}

static inline void spool_got_nothing(struct peers *p)
{
	struct spool_message message;

	assert_int_equal(tm_fdpass_recv(p->spool, &message, sizeof(message), NULL, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
}

static inline void spool_sends(struct peers *p, const struct spool_message *message, int fd)
{
	assert_int_equal(tm_fdpass_send(p->spool, message, sizeof(*message), fd, 0), 0);
	(void)tm_close(fd);
	step(p);
}

static inline void spool_stores(struct peers *p, uint64_t sequence)
{
	const struct spool_message got = spool_got(p, SPOOL_STORE);

	assert_int_equal(got.flags, SPOOL_GZIP | 3 << SPOOL_SHARE_SHIFT);
	spool_sends(p, &(struct spool_message){SPOOL_STORED, .id = got.id, .sequence = sequence},
		    -1);
}

static inline void spool_reports(struct peers *p, uint64_t sequence, uint64_t samples)
{
	const struct spool_message got = spool_got(p, SPOOL_FETCH);
	const struct spool_message report = {
		SPOOL_REPORT,        .id = got.id,    .sequence = sequence,
		.flags = SPOOL_GZIP, .body_bytes = 4, .uncompressed_bytes = 10,
		.samples = samples,
	};

	assert_true(got.sequence < sequence);
	spool_sends(p, &report, tm_region_seal_blob("otlp", "body", 4));
}

static inline void spool_has_no_more(struct peers *p)
{
	const struct spool_message got = spool_got(p, SPOOL_FETCH);

	spool_sends(p, &(struct spool_message){SPOOL_REPORT, .id = got.id, .status = SPOOL_NONE},
		    -1);
}

static inline void exporter_answers(struct peers *p, uint64_t samples, enum exporter_status status)
{
	struct exporter_message message;
	int fd = -1;

	assert_int_equal(tm_fdpass_recv(p->exporter, &message, sizeof(message), &fd, MSG_DONTWAIT),
			 0);
	assert_true(fd >= 0);
	(void)tm_close(fd);
	assert_int_equal(message.kind, EXPORTER_SEND);
	assert_int_equal(message.samples, samples);
	assert_int_equal(message.body_bytes, 4);
	assert_int_equal(message.flags, EXPORTER_GZIP);
	message = (struct exporter_message){
		.kind = EXPORTER_OUTCOME, .id = message.id, .status = status};
	assert_int_equal(tm_fdpass_send(p->exporter, &message, sizeof(message), -1, 0), 0);
	step(p);
}

static inline void exporter_got_nothing(struct peers *p)
{
	struct exporter_message message;

	assert_int_equal(tm_fdpass_recv(p->exporter, &message, sizeof(message), NULL, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
}

/* @count requests with @samples in all have this outcome. */
static inline void expect(struct peers *p, enum tm_export outcome, uint64_t count, uint64_t samples)
{
	struct tm_export_result result;

	report_delivery_result(&p->delivery, &result);
	assert_int_equal(result.requests[outcome], count);
	assert_int_equal(result.samples[outcome], samples);
}
