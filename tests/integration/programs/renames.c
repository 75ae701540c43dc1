/* SPDX-License-Identifier: Apache-2.0 */
/*
 * renames - a process and its threads that change their names while they run
 *
 * renames MILLISECONDS ROUNDS: the first thread calls itself first-0, first-1, ... (prctl), a
 * second one is called other-0, other-1, ... by the first (pthread_setname_np). Each name has that
 * much CPU time in the function spin_NUMBER of its number's last digit.
 */

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "spinner.h"

static uint64_t turn_ms; /* CPU time under each name */
static pthread_barrier_t turn;

SPINNER(spin_0, 1)
SPINNER(spin_1, 3)
SPINNER(spin_2, 5)
SPINNER(spin_3, 7)
static uint64_t (*const spinners[])(uint64_t) = {spin_0, spin_1, spin_2, spin_3};

static void *run_other(void *rounds)
{
	for (unsigned long round = 0; round < *(const unsigned long *)rounds; round++) {
		pthread_barrier_wait(&turn); /* named */
		spinners[round & 3](turn_ms);
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long rounds;
	pthread_t other;
	char name[32]; /* the kernel takes 15 of them */

	if (argc != 3)
		return 2;
	turn_ms = strtoul(argv[1], NULL, 10);
	rounds = strtoul(argv[2], NULL, 10);
	if (pthread_barrier_init(&turn, NULL, 2) != 0 ||
	    pthread_create(&other, NULL, run_other, &rounds) != 0)
		return 1;
	for (unsigned long round = 0; round < rounds; round++) {
		(void)snprintf(name, sizeof(name), "other-%lu", round);
		if (pthread_setname_np(other, name) != 0)
			return 1;
		(void)snprintf(name, sizeof(name), "first-%lu", round);
		if (prctl(PR_SET_NAME, name) != 0)
			return 1;
		pthread_barrier_wait(&turn);
		spinners[round & 3](turn_ms);
		pthread_barrier_wait(&turn);
	}
	return pthread_join(other, NULL);
}
