/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_recorder - writes down what a running tidemark recorded, and beside it what the kernel
 * itself reported
 *
 * reference_recorder COLLECTOR PREFIX: COLLECTOR is the process id of a tidemark-collector. Its
 * shared ring is read along, unseen by both programs, from its first record on: PREFIX.records
 * gets them as the lines of event_text.h, PREFIX.sideband the records of sideband.h, PREFIX.hits
 * the lines of timer_hits.h. Says `ready` once all are open, goes on until the collector is gone,
 * then says how many records there were. Fails when the ring's writer overtook it.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/integration/programs/event_text.h"
#include "tests/integration/programs/ring_reader.h"
#include "tests/integration/programs/sideband.h"
#include "tests/integration/programs/timer_hits.h"

#define ROUND_MS 20

struct recorder {
	int collector; /* pidfd */
	struct ring_reader ring;
	struct sideband *sideband;
	struct timer_hits *timer_hits;
	FILE *records;
	FILE *sideband_file;
	FILE *hits_file;
	uint64_t samples;
	uint64_t announcements;
};

static int fail(const char *what, int error)
{
	fprintf(stderr, "reference_recorder: %s: %s\n", what, strerror(error));
	return 1;
}

static int take(const struct tm_event *event, void *context)
{
	struct recorder *recorder = context;

	if (event->type == TM_EVENT_SAMPLE)
		recorder->samples++;
	else
		recorder->announcements++;
	return event_text_write(event, recorder->records);
}

static int follow(struct recorder *recorder)
{
	struct pollfd ended = {.fd = recorder->collector, .events = POLLIN};
	int over = 0, r = 0;

	while (!over && r == 0) {
		over = poll(&ended, 1, ROUND_MS) > 0;
		r = ring_reader_read(&recorder->ring, take, recorder);
		if (r < 0)
			return -fail("the ring", -r);
		r = sideband_drain(recorder->sideband, recorder->sideband_file);
	}
	return r;
}

static FILE *create(const char *prefix, const char *ending)
{
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s.%s", prefix, ending);
	return fopen(path, "we");
}

/* Return: 0, 1 (said). */
static int begin(struct recorder *recorder, const char *pid, const char *prefix)
{
	int r;

	recorder->collector = (int)syscall(SYS_pidfd_open, (pid_t)strtol(pid, NULL, 10), 0);
	recorder->records = create(prefix, "records");
	recorder->sideband_file = create(prefix, "sideband");
	recorder->hits_file = create(prefix, "hits");
	if (recorder->collector < 0 || !recorder->records || !recorder->sideband_file ||
	    !recorder->hits_file)
		return fail("cannot begin", errno);
	r = ring_reader_open(&recorder->ring, pid);
	if (r < 0)
		return fail("cannot open the ring", -r);
	recorder->sideband = sideband_open();
	if (!recorder->sideband)
		return fail("perf_event_open", errno);
	recorder->timer_hits = timer_hits_open(pid, 0);
	return recorder->timer_hits ? 0 : fail("no sampling program to count", errno);
}

static int end(struct recorder *recorder)
{
	int r = timer_hits_write(recorder->timer_hits, recorder->hits_file);

	timer_hits_close(recorder->timer_hits);
	if (sideband_blind(recorder->sideband))
		puts("a CPU went away: what then happened on it the sideband has not seen");
	sideband_close(recorder->sideband);
	if (r < 0)
		return fail("timer hits", -r);
	if (fclose(recorder->records) != 0 || fclose(recorder->sideband_file) != 0 ||
	    fclose(recorder->hits_file) != 0)
		return fail("cannot write", errno);
	printf("%llu samples, %llu other records\n", (unsigned long long)recorder->samples,
	       (unsigned long long)recorder->announcements);
	return 0;
}

int main(int argc, char **argv)
{
	static struct recorder recorder;

	if (argc != 3)
		return 2;
	if (begin(&recorder, argv[1], argv[2]) != 0)
		return 1;
	puts("ready");
	(void)fflush(stdout);
	if (follow(&recorder) < 0)
		return 1;
	return end(&recorder);
}
