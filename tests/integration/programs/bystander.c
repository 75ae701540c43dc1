/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bystander - writes down every record that a running tidemark puts into its shared ring
 *
 * bystander COLLECTOR FILE: COLLECTOR is the process id of a tidemark-collector; FILE gets the lines of
 * tests/integration/programs/tell.h, from the ring's first record on. Says `ready` once the ring is open, goes on until
 * the collector is gone. Fails when the ring's writer overtook it.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/integration/programs/along.h"
#include "tests/integration/programs/tell.h"

#define ROUND_MS 10

static int take(const struct tm_event *event, void *context)
{
	return tell(event, context);
}

static int fail(const char *what, int error)
{
	(void)fprintf(stderr, "bystander: %s: %s\n", what, strerror(error));
	return 1;
}

int main(int argc, char **argv)
{
	static struct along along;
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
	r = along_open(&along, argv[1]);
	if (r < 0)
		return fail("no ring to read along", -r);
	puts("ready");
	(void)fflush(stdout);
	while (!over && r == 0) {
		over = poll(&ended, 1, ROUND_MS) > 0;
		r = along_read(&along, take, out);
	}
	if (r < 0)
		return fail("the ring", -r);
	return fclose(out) == 0 ? 0 : fail("cannot write", errno);
}
