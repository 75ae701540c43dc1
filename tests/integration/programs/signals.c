/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals - lives in signal handlers: on the stack at hand, on one of their own, one within another
 *
 * signals SECONDS. A timer interrupts whatever runs some thousand times a second; the outer
 * handlers raise the inner ones, so stacks of up to three handlers and two signal stacks arise.
 */

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define STACK_BYTES (64u << 10)
#define INTERVAL_US 300
#define STEPS       40000u /* some 40 us */

static uint64_t seed = 1;

static void spin(unsigned steps)
{
	uint64_t x = __atomic_load_n(&seed, __ATOMIC_RELAXED);

	for (unsigned i = 0; i < steps; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ __volatile__("" : "+r"(x));
	}
	__atomic_store_n(&seed, x, __ATOMIC_RELAXED);
}

static void innermost(int number)
{
	spin(STEPS);
}

static void inner(int number)
{
	spin(STEPS / 2);
	(void)raise(SIGPROF);
}

/* With SA_ONSTACK. */
static void outer(int number)
{
	spin(STEPS / 4);
	(void)raise(SIGUSR2);
}

static void timer(int number)
{
	spin(STEPS / 8);
	(void)raise(__atomic_load_n(&seed, __ATOMIC_RELAXED) & 1 ? SIGUSR1 : SIGUSR2);
}

static int comparison(const void *a, const void *b)
{
	return memcmp(a, b, 1);
}

/*
 * Something of everything to interrupt: library code, its assembly, entries and exits of
 * functions.
 */
static void be_interrupted(void)
{
	static char bytes[4096], other[4096];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	memcpy(other, bytes, sizeof(bytes));
	qsort(bytes, 512, 1, comparison);
	spin(STEPS / 16);
}

static int handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | flags};

	return sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
	static char room[STACK_BYTES];
	const stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
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
