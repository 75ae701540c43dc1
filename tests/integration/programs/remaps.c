/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remaps - runs the functions of three files at one address, where mapping calls replace the files
 *
 * remaps SECONDS LIBRARY-A LIBRARY-B LIBRARY-C: the variants of variant.c. Who calls a function
 * names its file: variant_a is called by calls_a only, and so on. So the two frames of a sample
 * show whether the file at that address was known as it was at that instant. Their caller is the
 * way in which the file got there: by_replacing, by_unmapping, by_moving or by_loading. There are
 * two threads, each with an address of its own.
 */

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "noinline.h"

#define VARIANTS   3
#define THREADS    2
#define ROUNDS     100000 /* of a function's loop: some tenths of a millisecond */
#define AREA_BYTES (1u << 20)
#define AREA_START 0x200000000ull /* below all else: the kernel puts nothing there by itself */

typedef uint64_t work_function(uint64_t x, unsigned rounds);

struct code { /* the executable segment of a library */
	int fd;
	const char *path;
	uint64_t offset; /* in the file */
	uint64_t bytes;
	uint64_t entry; /* of the function, from the segment's start */
};

static struct code codes[VARIANTS];
static atomic_bool stopping;
static atomic_ulong loads, loads_at_same_address;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* A pointer to data as one to a function. */
static work_function *function_at(const void *address)
{
	work_function *function;

	memcpy(&function, &address, sizeof(function));
	return function;
}

/* The callers: the names are what a sample is held against. */
noinline static uint64_t calls_a(work_function *function, uint64_t x)
{
	return function(x, ROUNDS) + 1;
}

noinline static uint64_t calls_b(work_function *function, uint64_t x)
{
	return function(x, ROUNDS) + 2;
}

noinline static uint64_t calls_c(work_function *function, uint64_t x)
{
	return function(x, ROUNDS) + 3;
}

static uint64_t call(unsigned variant, const void *address, uint64_t x)
{
	static uint64_t (*const callers[VARIANTS])(work_function *, uint64_t) = {calls_a, calls_b,
										 calls_c};

	return callers[variant](function_at(address), x) + 1;
}

static const uint8_t *map_at(const struct code *code, uint8_t *address, int flags)
{
	const void *at = mmap(address, code->bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | flags,
			      code->fd, (off_t)code->offset);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

/* The next file's mapping replaces the one before. */
noinline static uint64_t by_replacing(uint8_t *area, uint64_t x)
{
	for (unsigned i = 0; i < VARIANTS; i++)
		x = call(i, map_at(&codes[i], area, MAP_FIXED) + codes[i].entry, x);
	return x + 1;
}

/* There is nothing at the address in between. */
noinline static uint64_t by_unmapping(uint8_t *area, uint64_t x)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		if (munmap(area, AREA_BYTES / 2))
			fail("munmap");
		x = call(i, map_at(&codes[i], area, MAP_FIXED_NOREPLACE) + codes[i].entry, x);
	}
	return x + 1;
}

/* The mapping is made elsewhere and moved over the one before. */
noinline static uint64_t by_moving(uint8_t *area, uint64_t x)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		uint8_t *elsewhere = area + AREA_BYTES / 2;

		(void)map_at(&codes[i], elsewhere, MAP_FIXED);
		if (mremap(elsewhere, codes[i].bytes, codes[i].bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
			   area) == MAP_FAILED)
			fail("mremap");
		x = call(i, area + codes[i].entry, x);
	}
	return x + 1;
}

/* The dynamic loader maps and unmaps; mostly at the same address, since the sizes are equal. */
noinline static uint64_t by_loading(uint64_t x)
{
	static const char *const names[VARIANTS] = {"variant_a", "variant_b", "variant_c"};
	const void *before = NULL;

	for (unsigned i = 0; i < VARIANTS; i++) {
		void *library = dlopen(codes[i].path, RTLD_NOW);
		const void *function = library ? dlsym(library, names[i]) : NULL;

		if (!function) {
			(void)fprintf(stderr, "remaps: %s\n", dlerror());
			exit(1);
		}
		atomic_fetch_add(&loads, 1);
		atomic_fetch_add(&loads_at_same_address, function == before);
		before = function;
		x = call(i, function, x);
		(void)dlclose(library);
	}
	return x + 1;
}

static void *work(void *argument)
{
	unsigned number = *(const unsigned *)argument;
	uint8_t *area = (uint8_t *)(uintptr_t)(AREA_START + (uint64_t)number * AREA_BYTES);
	uint64_t x = 1;

	area = mmap(area, AREA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		    -1, 0);
	if (area == MAP_FAILED)
		fail("mmap");
	while (!atomic_load(&stopping)) {
		x = by_replacing(area, x);
		x = by_unmapping(area, x);
		x = by_moving(area, x);
		if (!number)
			x = by_loading(x);
	}
	return (void *)(uintptr_t)(x | 1);
}

static void open_code(struct code *code, const char *path)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	code->path = path;
	code->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (code->fd < 0 || pread(code->fd, &header, sizeof(header), 0) != sizeof(header))
		fail(path);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(segment));

		if (pread(code->fd, &segment, sizeof(segment), at) != sizeof(segment))
			fail(path);
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		code->offset = segment.p_offset & ~4095ull;
		code->bytes = (segment.p_filesz + (segment.p_offset & 4095) + 4095) & ~4095ull;
		code->entry = header.e_entry - segment.p_vaddr + (segment.p_offset & 4095);
	}
}

int main(int argc, char **argv)
{
	unsigned numbers[THREADS] = {0, 1};
	struct timespec length = {0};
	pthread_t threads[THREADS];

	if (argc != 2 + VARIANTS)
		return 2;
	length.tv_sec = strtol(argv[1], NULL, 10);
	for (unsigned i = 0; i < VARIANTS; i++) {
		open_code(&codes[i], argv[2 + i]);
		if (codes[i].bytes > AREA_BYTES / 2 || codes[i].entry != codes[0].entry) {
			(void)fprintf(stderr, "remaps: %s: the function lies elsewhere\n",
				      argv[2 + i]);
			return 1;
		}
	}
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &numbers[i]))
			fail("pthread_create");
	(void)nanosleep(&length, NULL);
	atomic_store(&stopping, true);
	for (unsigned i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	(void)printf("%lu libraries loaded, %lu at the address of the one before\n",
		     atomic_load(&loads), atomic_load(&loads_at_same_address));
	/* Of three loads in a row two have one before. */
	return atomic_load(&loads_at_same_address) < atomic_load(&loads) / 3;
}
