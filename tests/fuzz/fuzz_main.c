/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_main - runs a fuzz target over its corpus: each file as it is, cut short, and mutated
 *
 * The mutations come from a seed that is printed; TM_SEED=N repeats them. TM_MUTATIONS: how many.
 */

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/parse.h"
#include "tests/fuzz/fuzz.h"

#define CUTS      64  /* shorter copies of each file */
#define MUTATIONS 500 /* changed copies of each file */
#define FILE_MAX  (1 << 20)

static uint64_t state, mutations;

static uint64_t random_next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* In memory of exactly this size, so that a sanitizer sees a read beyond it. */
static void run(const uint8_t *bytes, size_t count)
{
	uint8_t *copy = malloc(count ? count : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, count);
	(void)LLVMFuzzerTestOneInput(copy, count);
	free(copy);
}

static void mutate(uint8_t *bytes, size_t count)
{
	static const uint64_t edges[] = {
		0,         1, 8, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff,
		UINT64_MAX};
	uint64_t changes = 1 + random_next() % 4;

	while (changes--) {
		size_t at = random_next() % count;
		size_t width = (size_t)1 << random_next() % 4;
		uint64_t value =
			random_next() & 1
				? random_next()
				: edges[random_next() % (sizeof(edges) / sizeof(edges[0]))];

		memcpy(bytes + at, &value, width < count - at ? width : count - at);
	}
}

static void run_variants(const uint8_t *bytes, size_t count)
{
	uint8_t *changed = malloc(count + 1);

	if (!changed)
		abort();
	run(bytes, count);
	for (int i = 0; i < CUTS && count; i++)
		run(bytes, random_next() % count);
	for (uint64_t i = 0; i < mutations && count; i++) {
		memcpy(changed, bytes, count);
		mutate(changed, count);
		run(changed, count);
	}
	free(changed);
}

static int run_file(int folder, const char *name)
{
	_cleanup_(tm_closep) int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	_cleanup_(tm_freep) uint8_t *bytes = malloc(FILE_MAX);
	ssize_t count;

	if (fd < 0 || !bytes)
		return -1;
	count = read(fd, bytes, FILE_MAX);
	if (count < 0)
		return -1;
	run_variants(bytes, (size_t)count);
	return 0;
}

static int run_corpus(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int files = 0;

	if (!folder)
		return -1;
	while ((entry = readdir(folder)) != NULL) // NOLINT(concurrency-mt-unsafe)
		if (entry->d_name[0] != '.' && run_file(dirfd(folder), entry->d_name) == 0)
			files++;
	(void)closedir(folder);
	return files;
}

int main(int argc, char **argv)
{
	const char *seed = getenv("TM_SEED");       // NOLINT(concurrency-mt-unsafe)
	const char *count = getenv("TM_MUTATIONS"); // NOLINT(concurrency-mt-unsafe)
	int files;

	if (argc != 2)
		return 2;
	if (!seed || tm_parse_number(seed, 1, UINT64_MAX, &state))
		state = ((uint32_t)getpid() * 0x9e3779b97f4a7c15ull) | 1;
	if (!count || tm_parse_number(count, 0, UINT64_MAX, &mutations))
		mutations = MUTATIONS;
	(void)printf("TM_SEED=%" PRIu64 "\n", state);
	(void)fflush(stdout);
	files = run_corpus(argv[1]);
	(void)printf("%d files\n", files);
	return files <= 0; /* without a corpus nothing was tested */
}
