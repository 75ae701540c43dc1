/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work - an ordinary program at mixed work on libc: sorting with a callback, text, numbers, copies
 *
 * work SECONDS. Built in several ways: dynamic, static, static-pie, and by the tests with
 * musl-gcc, so it uses plain C and POSIX alone.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NUMBERS    4096
#define TEXT_BYTES 65536
#define DEPTH      12

#ifndef noinline
#define noinline __attribute__((noinline))
#endif

static char text[TEXT_BYTES], copy[TEXT_BYTES];
static uint32_t numbers[NUMBERS];
static uint32_t state = 1;

static uint32_t next_number(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 8;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

noinline static uint64_t sort_numbers(void)
{
	for (size_t i = 0; i < NUMBERS; i++)
		numbers[i] = next_number();
	qsort(numbers, NUMBERS, sizeof(*numbers), compare);
	return numbers[NUMBERS / 2];
}

noinline static uint64_t write_text(void)
{
	size_t used = 0;

	while (used + 64 < TEXT_BYTES)
		used += (size_t)snprintf(text + used, TEXT_BYTES - used, "%u %.3f %s\n",
					 next_number(), (double)next_number() / 7.0, "word");
	for (int i = 0; i < 64; i++) {
		memcpy(copy, text, TEXT_BYTES);
		memmove(copy + 1, copy, TEXT_BYTES - 1);
		used += memchr(copy, '\1', TEXT_BYTES - 1) != NULL;
	}
	return used + strlen(copy) + (strstr(text, "no such word") != NULL);
}

noinline static uint64_t read_text(void)
{
	char *at = text, *end = text;
	double sum = 0;

	for (int i = 0; i < 1000; i++) {
		sum += strtod(at, &end);
		if (end == at)
			end = at + strcspn(at, "\n") + 1;
		at = end;
	}
	return (uint64_t)sum;
}

noinline static uint64_t system_calls(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < 500; i++)
		sum += (uint64_t)getppid() + (access("/nonexistent/file", R_OK) == 0);
	return sum;
}

/* Large frames, which the compiler must address in some way. */
noinline static uint64_t descend(unsigned depth, size_t bytes)
{
	char room[bytes];
	uint64_t sum;

	room[0] = (char)depth;
	room[bytes - 1] = 1;
	__asm__ __volatile__(""
			     :
			     : "r"(room)
			     : "memory"); /* whoever it is shown to may change it */
	if (depth == 0)
		return sort_numbers() + write_text() + read_text() + system_calls();
	sum = descend(depth - 1, bytes / 2 + 64);
	return sum + (uint64_t)room[0] + (uint64_t)room[bytes - 1];
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : 1);
	uint64_t sum = 0;

	while (time(NULL) < end)
		sum += descend(DEPTH, 2048);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
