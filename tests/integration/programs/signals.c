/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals - spends its time in nested signal handlers, on the ordinary and on an alternate stack
 *
 * signals SECONDS. A timer interrupts the program some thousand times a second. The outer handlers
 * raise the inner ones, so there are stacks of up to three handlers on two signal stacks.
 */

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "spin.h"

#define STACK_BYTES (64u << 10)
#define INTERVAL_US 300
#define STEPS       40000u /* some 40 us */

static void innermost(int number)
{
	spin_steps(STEPS);
}

static void inner(int number)
{
	spin_steps(STEPS / 2);
	(void)raise(SIGPROF);
}

/* With SA_ONSTACK. */
static void outer(int number)
{
	spin_steps(STEPS / 4);
	(void)raise(SIGUSR2);
}

static void timer(int number)
{
	spin_steps(STEPS / 8);
	(void)raise(__atomic_load_n(&spin_result, __ATOMIC_RELAXED) & 1 ? SIGUSR1 : SIGUSR2);
}

static int comparison(const void *a, const void *b)
{
	return memcmp(a, b, 1);
}

/* The timer interrupts library code, its assembly, and entries and exits of functions. */
static void be_interrupted(void)
{
	static char bytes[4096], other[4096];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	memcpy(other, bytes, sizeof(bytes));
	qsort(bytes, 512, 1, comparison);
	spin_steps(STEPS / 16);
}

static int handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | flags};

	return sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
	static char memory[STACK_BYTES];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	const struct itimerval often = {{0, INTERVAL_US}, {0, INTERVAL_US}};
	time_t end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : 1);

	if (sigaltstack(&stack, NULL) < 0 || handle(SIGPROF, innermost, 0) < 0 ||
	    handle(SIGUSR2, inner, 0) < 0 || handle(SIGUSR1, outer, SA_ONSTACK) < 0 ||
	    handle(SIGALRM, timer, 0) < 0 || setitimer(ITIMER_REAL, &often, NULL) < 0)
		return 1;
	while (time(NULL) < end)
		be_interrupted();
	return 0;
}
