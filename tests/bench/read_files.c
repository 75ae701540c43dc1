/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_files - whether io_uring would make the parser cheaper: its own reads, done both ways
 *
 * usage: read_files ROUNDS FILE...
 *
 * Each file is parsed as in a recording (unwind table and symbols), and what was read is noted.
 * Then the same parts are read again, in turn by pread and by one io_uring submission a file. No
 * parser can do as well: it must read a header before it knows what else it needs.
 *
 * Prints: CPU time of parsing and of both ways to read, and what the second would save of it.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/option.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/symbols/symbols_compile.h"
#include "symbolizer/parser/unwind_compile.h"
#include "tests/bench/read_ring.h"

#define PARTS_MAX  4096
#define BYTES_MAX  (512u << 20) /* that are noted of one file */
#define NS_PER_SEC 1000000000.0

static struct read_part parts[PARTS_MAX];
static uint32_t part_count;
static uint8_t *buffer; /* all parts are read into it */
static uint64_t buffered;

struct noted {
	struct image_source source;
};

static double cpu_seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_SEC;
}

static int read_and_note(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct noted *noted = context;

	if (part_count < PARTS_MAX && bytes <= BYTES_MAX - buffered) {
		parts[part_count++] = (struct read_part){offset, bytes, buffer + buffered};
		buffered += bytes;
	}
	return noted->source.read(noted->source.context, to, offset, bytes);
}

/* Return: whether it could be parsed. */
static bool parse(int fd)
{
	struct result_blob rows = {0}, symbols = {0};
	struct input input;
	struct noted noted;
	struct image_source source;
	int r = input_open_file(&input, fd, &noted.source);

	if (r)
		return false;
	source = (struct image_source){read_and_note, &noted, noted.source.bytes};
	r = unwind_compile(&rows, &source);
	if (!r)
		r = symbols_compile(&symbols, &source);
	result_blob_free(&rows);
	result_blob_free(&symbols);
	return r == 0;
}

static int read_in_turn(int fd)
{
	for (uint32_t i = 0; i < part_count; i++)
		if (pread(fd, parts[i].to, parts[i].bytes, (off_t)parts[i].offset) !=
		    (ssize_t)parts[i].bytes)
			return -EIO;
	return 0;
}

struct sums {
	double parse, in_turn, ring;
	uint64_t files, parts, bytes;
};

/* Return: 0, -errno. */
static int measure(struct sums *sums, struct read_ring *ring, const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	double begin = cpu_seconds(), parsed, in_turn;
	int r;

	if (fd < 0)
		return -errno;
	part_count = 0;
	buffered = 0;
	if (!parse(fd))
		return 0;
	parsed = cpu_seconds();
	r = read_in_turn(fd); /* now the buffer's pages are there for both */
	if (r == 0) {
		begin = parsed - begin;
		parsed = cpu_seconds();
		r = read_in_turn(fd);
	}
	in_turn = cpu_seconds();
	if (r == 0)
		r = read_ring_read(ring, fd, parts, part_count);
	sums->parse += begin;
	sums->in_turn += in_turn - parsed;
	sums->ring += cpu_seconds() - in_turn;
	sums->files++;
	sums->parts += part_count;
	sums->bytes += buffered;
	return r;
}

int main(int argc, char **argv)
{
	unsigned rounds;
	struct sums sums = {0};
	struct read_ring ring;
	int r = read_ring_open(&ring);

	buffer = malloc(BYTES_MAX);
	if (r < 0 || !buffer) {
		(void)fprintf(stderr, "read_files: no ring or no memory: %s\n", strerror(-r));
		return 1;
	}
	if (argc < 3 || tm_option_number(argv[1], 1, 1000, &rounds) < 0) {
		(void)fprintf(stderr, "usage: read_files ROUNDS FILE...\n");
		return 2;
	}
	for (unsigned round = 0; round < rounds; round++) {
		for (int i = 2; i < argc; i++) {
			r = measure(&sums, &ring, argv[i]);
			if (r < 0)
				(void)fprintf(stderr, "%s: %s\n", argv[i], strerror(-r));
		}
	}
	if (!sums.files)
		return 1;
	(void)printf(
		"%lu files, %lu parts, %.1f MiB: parsing %.3f s of CPU, reading by pread %.3f s, "
		"by io_uring %.3f s: saves %.2f %% of the parser's CPU\n",
		(unsigned long)sums.files, (unsigned long)sums.parts,
		(double)sums.bytes / (1 << 20), sums.parse, sums.in_turn, sums.ring,
		100 * (sums.in_turn - sums.ring) / sums.parse);
	return 0;
}
