/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recycled_files - runs with a return address in a mapping that is mapped and unmapped all the time
 *
 * recycled_files CODE DATA MS: for so long, one thread spins with a frame record whose return
 * address lies in a mapping of the file CODE. The other one maps that and unmaps it again, and then
 * opens the file DATA, which the kernel gives the memory of the struct file that it has just freed.
 * Nobody ever maps DATA. Prints how often that was done.
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/clock.h"

#define PAGE      4096u
#define SPIN_RUNS 1000000u

/* A function that counts rdi down. 1: dec rdi; jnz 1b; ret */
static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};

struct race {
	const char *executable;
	const char *data;
	void *place;
	uint64_t until_ns;
	unsigned rounds;
};

static void *map_and_open(void *context)
{
	struct race *race = context;

	while (tm_clock_ns() < race->until_ns) {
		int fd = open(race->executable, O_RDONLY | O_CLOEXEC);
		void *at = mmap(race->place, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
				fd, 0);

		(void)close(fd);
		/* In its place, so that nothing else is mapped there. */
		if (at == MAP_FAILED ||
		    mmap(race->place, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			return NULL;
		fd = open(race->data, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return NULL;
		(void)close(fd);
		race->rounds++;
	}
	return race;
}

/* Calls the function with a frame pointer of which the caller lies in the mapping. */
static void spin_below(const void *function, const void *place)
{
	const uint64_t record[2] = {0, (uint64_t)(uintptr_t)place + 0x100};
	uint64_t runs = SPIN_RUNS;

	/* Above the red zone, in which `record` may lie. */
	__asm__ volatile("subq $256, %%rsp\n\t"
			 "pushq %%rbp\n\t"
			 "movq %2, %%rbp\n\t"
			 "call *%1\n\t"
			 "popq %%rbp\n\t"
			 "addq $256, %%rsp"
			 : "+D"(runs)
			 : "a"(function), "d"(record)
			 : "memory", "cc");
}

static int run(struct race *race)
{
	void *function = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	void *result;

	race->place = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (function == MAP_FAILED || race->place == MAP_FAILED)
		return -1;
	memcpy(function, code, sizeof(code));
	if (pthread_create(&thread, NULL, map_and_open, race) != 0)
		return -1;
	while (tm_clock_ns() < race->until_ns)
		spin_below(function, race->place);
	if (pthread_join(thread, &result) != 0 || !result)
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	struct race race = {0};

	if (argc != 4) {
		(void)fputs("usage: recycled_files CODE DATA MS\n", stderr);
		return 2;
	}
	race.executable = argv[1];
	race.data = argv[2];
	race.until_ns = tm_clock_ns() + strtoull(argv[3], NULL, 10) * 1000000;
	if (run(&race) < 0) {
		perror("recycled_files");
		return 1;
	}
	printf("%u\n", race.rounds);
	return 0;
}
