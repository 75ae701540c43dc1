/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_tree - one process with a thread, an elder child, later children and orphans
 *
 * process_tree ROUNDS. Every member spins in a function of its own. The elder starts before the
 * line "ready" is written, all others after a line was read from standard input. The last orphan
 * runs a second longer than all others.
 */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spinner.h"

static int over; /* the main thread is done */

SPINNER(spin_main, 1)
SPINNER(spin_thread, 3)
SPINNER(spin_elder, 5)
SPINNER(spin_child, 7)
SPINNER(spin_orphan, 9)
SPINNER(spin_last, 11)

static void *thread_main(void *unused)
{
	prctl(PR_SET_NAME, "fam-thread");
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		spin_thread(20);
	return NULL;
}

static pid_t begin(uint64_t (*spin)(uint64_t), unsigned milliseconds, const char *name)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_NAME, name);
	spin(milliseconds);
	_exit(0);
}

/* A child whose parent dies at once; it spins only when another has become its parent. */
static void begin_orphan(uint64_t (*spin)(uint64_t), unsigned milliseconds, const char *name)
{
	pid_t between = fork();

	if (between == 0) {
		pid_t parent = getpid();

		if (fork() != 0)
			_exit(0);
		while (getppid() == parent)
			sched_yield();
		prctl(PR_SET_NAME, name);
		spin(milliseconds);
		_exit(0);
	}
	waitpid(between, NULL, 0);
}

static void grow(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		pid_t child = begin(spin_child, 100, "fam-child");

		begin_orphan(spin_orphan, 100, "fam-orphan");
		spin_main(100);
		waitpid(child, NULL, 0);
	}
	begin_orphan(spin_last, 1500, "fam-last");
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10;
	pthread_t thread;
	pid_t elder;
	char line[16];

	prctl(PR_SET_NAME, "fam-main");
	elder = begin(spin_elder, 60000, "fam-elder");
	if (elder < 0 || pthread_create(&thread, NULL, thread_main, NULL) != 0)
		return 1;
	printf("ready %d\n", (int)elder);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	grow(rounds);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return 0;
}
