/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contexts - coroutines by makecontext and swapcontext, each deep in a recursion of its own
 *
 * contexts SECONDS. The outermost frame of their stacks is a function of libc.
 */

#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#include "spin.h"

#define COROUTINES  8
#define STACK_BYTES (64u << 10)
#define STEPS       100000u /* some 100 us */

static ucontext_t first, contexts[COROUTINES];
static _Alignas(16) char stacks[COROUTINES][STACK_BYTES];

__attribute__((noinline)) static uint64_t descend(int number, unsigned depth)
{
	ucontext_t *next = number + 1 < COROUTINES ? &contexts[number + 1] : &first;

	if (depth)
		return descend(number, depth - 1) + 1;
	do {
		spin_steps(STEPS);
		(void)swapcontext(&contexts[number], next);
	} while (__atomic_load_n(&spin_result, __ATOMIC_RELAXED));
	return 0;
}

static void coroutine(int number)
{
	(void)descend(number, 4 * (unsigned)number);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : 1);

	for (int i = 0; i < COROUTINES; i++) {
		if (getcontext(&contexts[i]) < 0)
			return 1;
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = i + 1 < COROUTINES ? &contexts[i + 1] : &first;
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	while (time(NULL) < end) {
		spin_steps(STEPS);
		(void)swapcontext(&first, &contexts[0]);
	}
	return 0;
}
