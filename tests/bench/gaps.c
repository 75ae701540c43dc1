/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gaps - how long a spinning thread is kept from its CPU, as a histogram
 *
 * gaps MS DEPTH | gaps MS FOLDER FILES [new]: spins below a recursion of DEPTH frames, or below a
 * chain of functions in FILES files that it writes into FOLDER; with `new` it changes their times
 * every NEW_NS, so that each sample meets new files. A gap is the time between two readings of the
 * clock that is longer than GAP_NS. Prints the share of the time that gaps took, their number, and
 * in us the median, the 99th percentile and the longest.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared/clock.h"
#include "tests/integration/programs/code_files.h"
#include "tests/integration/programs/noinline.h"

#define GAP_NS    1000u
#define NEW_NS    2000000u
#define BUCKET_NS 500u
#define BUCKETS   20000u /* the last one has the longer ones, too */

static bool makes_new;
static uint64_t spin_ns, sum_ns, longest_ns, gaps;
static uint32_t buckets[BUCKETS];

static void count(uint64_t ns)
{
	uint64_t bucket = ns / BUCKET_NS;

	buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	sum_ns += ns;
	longest_ns = ns > longest_ns ? ns : longest_ns;
	gaps++;
}

static void spin(void **rest, unsigned zero)
{
	uint64_t last = tm_clock_ns(), end = last + spin_ns, changed = last;

	(void)rest;
	(void)zero;
	while (last < end) {
		uint64_t now;

		if (makes_new && last - changed > NEW_NS) {
			(void)code_files_touch((time_t)(last / NEW_NS));
			last = changed = tm_clock_ns();
		}
		now = tm_clock_ns();

		if (now - last > GAP_NS)
			count(now - last);
		last = now;
	}
}

static noinline unsigned recurse(unsigned depth)
{
	if (!depth)
		spin(NULL, 0);
	else
		depth = recurse(depth - 1) + 1;
	__asm__ volatile("" : : : "memory"); /* no tail call */
	return depth;
}

/* Return: us; the upper end of the bucket in which it lies. */
static double percentile(double share)
{
	uint64_t wanted = (uint64_t)(share * (double)gaps), seen = 0;

	for (unsigned i = 0; i < BUCKETS; i++) {
		seen += buckets[i];
		if (seen > wanted)
			return (i + 1) * BUCKET_NS / 1e3;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc > 5) {
		(void)fputs("usage: gaps MS DEPTH | gaps MS FOLDER FILES [new]\n", stderr);
		return 2;
	}
	spin_ns = strtoull(argv[1], NULL, 10) * 1000000;
	makes_new = argc == 5;
	if (argc == 3) {
		(void)recurse((unsigned)strtoul(argv[2], NULL, 10));
	} else if (code_files_make(argv[2], (unsigned)strtoul(argv[3], NULL, 10)) < 0) {
		perror("gaps: making a file of code");
		return 1;
	} else {
		code_files_call(spin, 0);
	}
	printf("%.2f %llu %.1f %.1f %.1f\n", 100.0 * (double)sum_ns / (double)spin_ns,
	       (unsigned long long)gaps, percentile(0.5), percentile(0.99),
	       (double)longest_ns / 1e3);
	return 0;
}
