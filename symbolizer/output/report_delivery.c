/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_delivery - brings parts of reports to the spool, and from there in order to the exporter
 */

#include "symbolizer/output/report_delivery.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"

#define FINISH_SEND_PART \
	2u /* of the time at the end, what the exporter has after the last report */
#define POLLED 3

void report_delivery_init(struct report_delivery *delivery, int exporter_fd, int spool_fd,
			  uint64_t first_id)
{
	memset(delivery, 0, sizeof(*delivery)); /* too large for a compound literal */
	delivery->has_exporter = exporter_fd >= 0;
	delivery->has_spool = spool_fd >= 0;
	delivery->wake[0] = delivery->wake[1] = -1;
	exporter_client_init(&delivery->exporter, exporter_fd, first_id);
	delivery->exporter.settled = report_delivery_settled;
	delivery->exporter.context = delivery;
	spool_client_init(&delivery->spool, spool_fd, first_id);
}

void report_delivery_serve(struct report_delivery *delivery, int exporter, int spool)
{
	delivery->has_exporter = exporter >= 0;
	delivery->has_spool = spool >= 0;
	delivery->exporter.listener = exporter;
	delivery->spool.listener = spool;
	delivery->spool_until_ms = tm_clock_ms() + REPORT_DELIVERY_SUCCESSOR_MS;
}

bool report_delivery_is_on(const struct report_delivery *delivery)
{
	return delivery->has_exporter || delivery->has_spool;
}

static void lock(struct report_delivery *delivery)
{
	if (delivery->started)
		(void)pthread_mutex_lock(&delivery->lock);
}

static void unlock(struct report_delivery *delivery)
{
	if (delivery->started)
		(void)pthread_mutex_unlock(&delivery->lock);
}

/* --- the thread ------------------------------------------------------------------------------- */

static void fill_polled(const struct report_delivery *delivery, struct pollfd ret_polled[POLLED])
{
	const struct spool_client *spool = &delivery->spool;
	const struct exporter_client *exporter = &delivery->exporter;
	const int fds[POLLED] = {
		delivery->wake[0],
		spool->socket >= 0 ? spool->socket : spool->listener,
		exporter->socket >= 0 ? exporter->socket : exporter->listener,
	};

	for (unsigned i = 0; i < POLLED; i++)
		ret_polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
}

/* @polled: of fill_polled. */
static void poll_once(const struct report_delivery *delivery, struct pollfd polled[POLLED], int ms)
{
	char woken;
	int fd;

	(void)poll(polled, POLLED, ms);
	while (tm_fdpass_recv(delivery->wake[0], &woken, sizeof(woken), &fd, MSG_DONTWAIT) == 0)
		(void)tm_close(fd);
}

static void wake(const struct report_delivery *delivery)
{
	const char woken = 0;

	(void)tm_fdpass_send(delivery->wake[1], &woken, sizeof(woken), -1, MSG_DONTWAIT);
}

static void *run(void *context)
{
	struct report_delivery *delivery = context;

	(void)pthread_mutex_lock(&delivery->lock);
	delivery->running = true;
	(void)pthread_cond_broadcast(&delivery->began);
	while (!delivery->stopping) {
		int ms = report_delivery_wait_ms(delivery, tm_clock_ms());
		struct pollfd polled[POLLED];

		fill_polled(delivery, polled);
		(void)pthread_mutex_unlock(&delivery->lock);
		poll_once(delivery, polled, ms);
		(void)pthread_mutex_lock(&delivery->lock);
		report_delivery_step(delivery, tm_clock_ms());
	}
	(void)pthread_mutex_unlock(&delivery->lock);
	return NULL;
}

int report_delivery_start(struct report_delivery *delivery)
{
	int r;

	if (!delivery->has_spool)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, delivery->wake) < 0)
		return -errno;
	r = pthread_mutex_init(&delivery->lock, NULL);
	if (r == 0)
		r = pthread_cond_init(&delivery->began, NULL);
	if (r == 0)
		r = pthread_create(&delivery->thread, NULL, run, delivery);
	if (r != 0)
		return -r;
	delivery->started = true;
	/* What the C library does as a thread begins is not allowed in the sandbox. */
	(void)pthread_mutex_lock(&delivery->lock);
	while (!delivery->running)
		(void)pthread_cond_wait(&delivery->began, &delivery->lock);
	(void)pthread_mutex_unlock(&delivery->lock);
	return 0;
}

/* From here on its caller is the only thread. */
static void stop(struct report_delivery *delivery)
{
	if (!delivery->started)
		return;
	(void)pthread_mutex_lock(&delivery->lock);
	delivery->stopping = true;
	(void)pthread_mutex_unlock(&delivery->lock);
	wake(delivery);
	(void)pthread_join(delivery->thread, NULL);
	delivery->started = false;
}

void report_delivery_deinit(struct report_delivery *delivery)
{
	stop(delivery);
	report_delivery_give_up_storing(delivery);
	delivery->wake[0] = tm_close(delivery->wake[0]);
	delivery->wake[1] = tm_close(delivery->wake[1]);
}

/* --- parts ------------------------------------------------------------------------------------ */

void report_delivery_send(struct report_delivery *delivery, int body,
			  const struct report_part *part)
{
	struct report_part sealed = *part;

	sealed.message.body_bytes = exporter_client_seal(body);
	lock(delivery);
	delivery->now_ms = tm_clock_ms();
	report_delivery_store(delivery, body, &sealed);
	unlock(delivery);
	if (delivery->started)
		wake(delivery);
}

void report_delivery_fail(struct report_delivery *delivery, enum tm_export why, uint64_t samples)
{
	lock(delivery);
	exporter_client_fail(&delivery->exporter, why, samples);
	unlock(delivery);
}

void report_delivery_result(struct report_delivery *delivery, struct tm_export_result *ret_result)
{
	lock(delivery);
	report_delivery_step(delivery, tm_clock_ms());
	*ret_result = delivery->exporter.result;
	for (unsigned i = 0; i < delivery->stored_count; i++) {
		unsigned at = (delivery->stored_first + i) % REPORT_DELIVERY_STORED;

		ret_result->requests[TM_EXPORT_SPOOLED]++;
		ret_result->samples[TM_EXPORT_SPOOLED] += delivery->stored[at].samples;
	}
	unlock(delivery);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* Steps until nothing is under way, or @end_ms. */
static void await(struct report_delivery *delivery, uint64_t end_ms)
{
	uint64_t now_ms;

	report_delivery_step(delivery, tm_clock_ms());
	while ((now_ms = tm_clock_ms()) < end_ms &&
	       (report_delivery_is_busy(delivery) || delivery->exporter.open_count > 0)) {
		struct pollfd polled[POLLED];

		fill_polled(delivery, polled);
		poll_once(delivery, polled, (int)(end_ms - now_ms));
		report_delivery_step(delivery, tm_clock_ms());
	}
}

/* The last message to the spool, that of what was delivered, must not be lost in a full socket. */
static void send_delivered(struct report_delivery *delivery, uint64_t end_ms)
{
	uint64_t now_ms;

	while (delivery->spool.socket >= 0 && delivery->delivered > delivery->delivered_sent &&
	       (now_ms = tm_clock_ms()) < end_ms) {
		struct pollfd spool = {.fd = delivery->spool.socket, .events = POLLOUT};

		(void)poll(&spool, 1, (int)(end_ms - now_ms));
		report_delivery_step(delivery, now_ms);
	}
}

void report_delivery_finish(struct report_delivery *delivery, unsigned ms)
{
	const uint64_t end_ms = tm_clock_ms() + ms;

	if (!delivery->has_spool) {
		exporter_client_finish(&delivery->exporter, ms);
		return;
	}
	stop(delivery);
	await(delivery, end_ms - ms / FINISH_SEND_PART);
	delivery->last = true;
	report_delivery_await_no_spool(delivery);
	exporter_client_shut_down(&delivery->exporter);
	await(delivery, end_ms);
	send_delivered(delivery, end_ms);
	report_delivery_give_up_storing(delivery);
	exporter_client_give_up(&delivery->exporter);
	if (delivery->spool.socket >= 0)
		(void)shutdown(delivery->spool.socket, SHUT_WR);
}
