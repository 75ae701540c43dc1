/* SPDX-License-Identifier: Apache-2.0 */
/* status - sums over all reports of the service, for whoever connects to its status socket */

#include "symbolizer/status.h"

#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/service.h"

#define WORDS (sizeof(struct tm_result) / sizeof(uint64_t))

_Static_assert(sizeof(struct tm_result) % sizeof(uint64_t) == 0, "results are 64-bit numbers");

/* A count that is added to the result later is not forgotten here. */
static void add_words(struct tm_result *sum, const struct tm_result *more)
{
	uint64_t sums[WORDS], words[WORDS];

	memcpy(sums, sum, sizeof(sums));
	memcpy(words, more, sizeof(words));
	for (size_t i = 0; i < WORDS; i++)
		sums[i] += words[i];
	memcpy(sum, sums, sizeof(sums));
}

void status_add(struct tm_status *status, const struct report_job *job)
{
	const struct tm_result *result = &job->result;

	add_words(&status->result, result);
	/* No sums: of this report, or since the start. */
	status->result.processes = result->processes;
	status->result.files = result->files;
	status->result.stacks = result->stacks;
	status->result.export = result->export;
	status->reports++;
	status->reported = tm_clock_ns();
	status->report_ns =
		status->reported > job->until_ktime ? status->reported - job->until_ktime : 0;
}

/* What is so now. */
static void fill(struct session *session, struct tm_status *status, struct lag_window *lags)
{
	const struct tm_ring_reader *ring = &session->reader.ring;
	struct tm_counts now = session->counts;

	status->magic = TM_STATUS_MAGIC;
	status->version = TM_STATUS_VERSION;
	status->bytes = sizeof(*status);
	status->hz = session->options->hz;
	status->cpu_max_ppm = session->governor.limit_ppm;
	status->now = tm_clock_ns();
	status->watermark = session->reader.watermark;
	status->ring_bytes = ring->capacity;
	status->ring_most = ring->most;
	(void)tm_ring_counts(ring, &now);
	status->counts = now;
	accounting_counts_from(&status->counts, &session->reported.resumed);
	memcpy(status->counts.lags, now.lags, sizeof(now.lags));
	lag_window_apply(lags, status->counts.lags, tm_clock_ms());
	budget_fill_result(&session->memory, &status->result);
}

void status_serve(struct session *session, struct tm_status *status, struct lag_window *lags,
		  int listener)
{
	if (listener >= 0 && tm_clock_ms() >= lags->turn_ms)
		fill(session, status, lags);
	for (;;) {
		_cleanup_(tm_closep) int fd = tm_service_accept(listener);

		if (fd < 0)
			return;
		fill(session, status, lags);
		(void)tm_fdpass_send(fd, status, sizeof(*status), -1, MSG_DONTWAIT);
	}
}
