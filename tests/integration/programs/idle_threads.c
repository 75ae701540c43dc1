/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle_threads - has very many threads that do nothing, in as many processes as that takes
 *
 * idle_threads COUNT. Prints a line once all are there, and waits until it is killed, its children
 * with it. Exits with 1 if the host does not allow so many.
 */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define STACK_BYTES 16384
#define EACH        16000 /* of a process: each needs two of vm.max_map_count, 65,530 */

static void *idle(void *ignored)
{
	for (;;)
		(void)pause();
	return ignored;
}

/* Return: 0, -1. */
static int make(long count)
{
	pthread_attr_t attributes;
	pthread_t thread;

	if (pthread_attr_init(&attributes) != 0 ||
	    pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0)
		return -1;
	while (count-- > 0)
		if (pthread_create(&thread, &attributes, idle, NULL) != 0)
			return -1;
	return 0;
}

/* In a child, which says by one byte that they are there. */
static _Noreturn void serve(long count, int ready)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (make(count) < 0 || write(ready, "r", 1) != 1)
		_exit(1);
	for (;;)
		(void)pause();
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	int ready[2];
	char byte;

	if (count <= 0 || pipe(ready) < 0)
		return 2;
	for (long made = 0; made < count; made += EACH)
		if (fork() == 0)
			serve(count - made < EACH ? count - made : EACH, ready[1]);
	(void)close(ready[1]);
	for (long made = 0; made < count; made += EACH)
		if (read(ready[0], &byte, 1) != 1)
			return 1;
	(void)printf("%ld threads\n", count);
	(void)fflush(stdout);
	for (;;)
		(void)pause();
}
