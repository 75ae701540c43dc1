/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_recorder - writes down every record that a running tidemark puts into its shared ring
 *
 * ring_recorder COLLECTOR FILE: COLLECTOR is the process id of a tidemark-collector; FILE gets the
 * lines of tests/integration/programs/event_text.h, from the ring's first record on. Says `ready`
 * once the ring is open, goes on until the collector is gone. Fails when the ring's writer
 * overtook it.
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

#define ROUND_MS 10

static int take(const struct tm_event *event, void *context)
{
	return event_text_write(event, context);
}

static int fail(const char *what, int error)
{
	(void)fprintf(stderr, "ring_recorder: %s: %s\n", what, strerror(error));
	return 1;
}

int main(int argc, char **argv)
{
	static struct ring_reader ring;
	struct pollfd ended;
	int over = 0, r;
	FILE *out;

	if (argc != 3)
		return 2;
	ended = (struct pollfd){
		.fd = (int)syscall(SYS_pidfd_open, (pid_t)strtol(argv[1], NULL, 10), 0),
		.events = POLLIN,
	};
	out = fopen(argv[2], "we");
	if (ended.fd < 0 || !out)
		return fail("cannot begin", errno);
	r = ring_reader_open(&ring, argv[1]);
	if (r < 0)
		return fail("cannot open the ring", -r);
	puts("ready");
	(void)fflush(stdout);
	while (!over && r == 0) {
		over = poll(&ended, 1, ROUND_MS) > 0;
		r = ring_reader_read(&ring, take, out);
		(void)fflush(out);
	}
	if (r < 0)
		return fail("the ring", -r);
	return fclose(out) == 0 ? 0 : fail("cannot write", errno);
}
