/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remap_text - copies its own text to anonymous memory, moves that over the text, and works in it
 *
 * usage: remap_text WHAT SECONDS (of CPU time). WHAT: middle (the first and the last page stay
 * those of the file), start (all but the last page is copied) or whole. Built without frame
 * pointers.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "noinline.h"

#define PAGE   4096ul
#define ROUNDS 100000u

struct range {
	uintptr_t start, end;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* The executable mapping that holds this function. */
static struct range find_text(void)
{
	uintptr_t here = (uintptr_t)find_text;
	FILE *maps = fopen("/proc/self/maps", "re");
	struct range text = {0, 0};
	char line[512];

	if (!maps)
		fail("/proc/self/maps");
	while (fgets(line, sizeof(line), maps)) {
		char *rest;

		text.start = strtoul(line, &rest, 16);
		text.end = strtoul(rest + 1, NULL, 16);
		if (here >= text.start && here < text.end)
			break;
	}
	(void)fclose(maps);
	return text;
}

static void remap(struct range text)
{
	size_t bytes = text.end - text.start;
	void *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		fail("mmap");
	memcpy(copy, (const void *)text.start, bytes);
	if (mprotect(copy, bytes, PROT_READ | PROT_EXEC) ||
	    mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)text.start) ==
		    MAP_FAILED)
		fail("mremap");
}

noinline static uint64_t inner(uint64_t x)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		x = x * 6364136223846793005u + i;
	return x;
}

noinline static uint64_t middle(uint64_t x)
{
	return inner(x) + 1;
}

noinline static uint64_t outer(uint64_t x)
{
	return middle(x) * 3;
}

int main(int argc, char **argv)
{
	uint64_t x = 1;
	clock_t end;
	struct range text;

	if (argc != 3)
		return 2;
	(void)prctl(PR_SET_NAME, argv[1]);
	text = find_text();
	if (!strcmp(argv[1], "middle"))
		text.start += PAGE;
	if (strcmp(argv[1], "whole") != 0)
		text.end -= PAGE;
	if (text.end <= text.start)
		return 1;
	remap(text);
	end = clock() + (clock_t)(strtod(argv[2], NULL) * CLOCKS_PER_SEC);
	while (clock() < end)
		x = outer(x);
	return (int)(x == 0);
}
