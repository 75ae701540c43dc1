/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool - threads that take work from a queue, threads that come and go, and spawned programs
 *
 * pool SECONDS PROGRAM: PROGRAM is spawned again and again.
 */

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "spawn_wait.h"
#include "spin.h"

#define WORKERS 4
#define STEPS   200000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static unsigned jobs, over;

static void *job(void *argument)
{
	uint64_t x = (uintptr_t)argument;

	SPIN_CHAIN(x, STEPS);
	return (void *)(uintptr_t)x;
}

static void *worker(void *argument)
{
	for (;;) {
		(void)pthread_mutex_lock(&lock);
		while (!jobs && !over)
			(void)pthread_cond_wait(&wanted, &lock);
		if (!jobs)
			break;
		jobs--;
		(void)pthread_mutex_unlock(&lock);
		(void)job(argument);
	}
	(void)pthread_mutex_unlock(&lock);
	return NULL;
}

static void give(unsigned more, unsigned end)
{
	(void)pthread_mutex_lock(&lock);
	jobs += more;
	over = end;
	(void)pthread_cond_broadcast(&wanted);
	(void)pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : 1);
	pthread_t workers[WORKERS], brief;

	if (argc < 3)
		return 2;
	for (size_t i = 0; i < WORKERS; i++)
		if (pthread_create(&workers[i], NULL, worker, (void *)i) != 0)
			return 1;
	while (time(NULL) < end) {
		give(2 * WORKERS, 0);
		if (pthread_create(&brief, NULL, job, NULL) != 0 ||
		    spawn_and_wait(argv[2], NULL) < 0)
			return 1;
		(void)pthread_join(brief, NULL);
	}
	give(0, 1);
	for (size_t i = 0; i < WORKERS; i++)
		(void)pthread_join(workers[i], NULL);
	return 0;
}
