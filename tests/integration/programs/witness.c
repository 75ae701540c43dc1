/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness - writes down what a running tidemark recorded, and beside it what the kernel itself told
 *
 * witness COLLECTOR PREFIX: COLLECTOR is the process id of a tidemark-collector. Its shared ring is
 * read along, unseen by both programs, from its first record on: PREFIX.records gets them as the
 * lines of tell.h, PREFIX.sideband the records of sideband.h, PREFIX.runs the lines of runs.h. Says `ready`
 * once all are open, goes on until the collector is gone, then says how many records there were.
 * Fails when the ring's writer overtook it.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/integration/programs/along.h"
#include "tests/integration/programs/runs.h"
#include "tests/integration/programs/sideband.h"
#include "tests/integration/programs/tell.h"

#define ROUND_MS 20

struct witness {
	int collector; /* pidfd */
	struct along along;
	struct sideband *sideband;
	struct runs *runs;
	FILE *records;
	FILE *told;
	FILE *ran;
	uint64_t samples;
	uint64_t announcements;
};

static int fail(const char *what, int error)
{
	fprintf(stderr, "witness: %s: %s\n", what, strerror(error));
	return 1;
}

static int take(const struct tm_event *event, void *context)
{
	struct witness *witness = context;

	if (event->type == TM_EVENT_SAMPLE)
		witness->samples++;
	else
		witness->announcements++;
	return tell(event, witness->records);
}

static int follow(struct witness *witness)
{
	struct pollfd ended = {.fd = witness->collector, .events = POLLIN};
	int over = 0, r = 0;

	while (!over && r == 0) {
		over = poll(&ended, 1, ROUND_MS) > 0;
		r = along_read(&witness->along, take, witness);
		if (r < 0)
			return -fail("the ring", -r);
		r = sideband_drain(witness->sideband, witness->told);
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
static int begin(struct witness *witness, const char *pid, const char *prefix)
{
	int r;

	witness->collector = (int)syscall(SYS_pidfd_open, (pid_t)strtol(pid, NULL, 10), 0);
	witness->records = create(prefix, "records");
	witness->told = create(prefix, "sideband");
	witness->ran = create(prefix, "runs");
	if (witness->collector < 0 || !witness->records || !witness->told || !witness->ran)
		return fail("cannot begin", errno);
	r = along_open(&witness->along, pid);
	if (r < 0)
		return fail("no ring to read along", -r);
	witness->sideband = sideband_open();
	if (!witness->sideband)
		return fail("perf_event_open", errno);
	witness->runs = runs_open(pid);
	return witness->runs ? 0 : fail("no sampling program to count", errno);
}

static int end(struct witness *witness)
{
	int r = runs_write(witness->runs, witness->ran);

	runs_close(witness->runs);
	if (sideband_blind(witness->sideband))
		puts("a CPU went away: what then happened on it the sideband has not seen");
	sideband_close(witness->sideband);
	if (r < 0)
		return fail("runs", -r);
	if (fclose(witness->records) != 0 || fclose(witness->told) != 0 ||
	    fclose(witness->ran) != 0)
		return fail("cannot write", errno);
	printf("%llu samples, %llu other records\n", (unsigned long long)witness->samples,
	       (unsigned long long)witness->announcements);
	return 0;
}

int main(int argc, char **argv)
{
	static struct witness witness;

	if (argc != 3)
		return 2;
	if (begin(&witness, argv[1], argv[2]) != 0)
		return 1;
	puts("ready");
	(void)fflush(stdout);
	if (follow(&witness) < 0)
		return 1;
	return end(&witness);
}
