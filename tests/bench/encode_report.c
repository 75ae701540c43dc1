/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode_report - CPU time and bytes of one report as requests of OTLP and as pprof
 *
 * usage: encode_report ROUNDS [CASE]
 *
 * CASE is one of tests/interop/report_cases.c, `large` by default. Each line: the format, the
 * samples, the different ones among them, the median of the rounds in us, and the bytes; of
 * `estimate` those that report_bytes takes the request of OTLP for.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shared/cleanup.h"
#include "symbolizer/output/otlp.h"
#include "symbolizer/output/output_file.h"
#include "symbolizer/output/report_bytes.h"
#include "tests/interop/report_builder.h"

#define ROUNDS_MAX 1000

static struct output_file out;

/* As report_send does, without the exporter. */
static int write_parts(const struct report *report, bool compressed, uint64_t *ret_bytes)
{
	_cleanup_(otlp_parts_deinit) struct otlp_parts parts = OTLP_PARTS_NULL;
	int r = otlp_parts_init(&parts, report, NULL);

	while (r == 0) {
		r = otlp_parts_next(&parts, OTLP_PART_BYTES);
		if (r == 0)
			r = otlp_parts_write(&parts, &out, compressed);
	}
	if (r == OTLP_E_END)
		r = output_file_finish(&out);
	*ret_bytes = out.written;
	return r;
}

static int plain(const struct report *report, uint64_t *ret_bytes)
{
	return write_parts(report, /* compressed= */ false, ret_bytes);
}

static int compressed(const struct report *report, uint64_t *ret_bytes)
{
	return write_parts(report, /* compressed= */ true, ret_bytes);
}

static int pprof(const struct report *report, uint64_t *ret_bytes)
{
	int r = pprof_write(&out, report);

	*ret_bytes = out.written;
	return r;
}

static int estimate(const struct report *report, uint64_t *ret_bytes)
{
	_cleanup_(tm_freep) uint64_t *bytes = calloc(report->process_count + 1u, sizeof(*bytes));
	int r = bytes ? report_bytes_of_processes(report, bytes) : -1;

	*ret_bytes = 0;
	for (uint32_t i = 0; r == 0 && i < report->process_count; i++)
		*ret_bytes += bytes[i];
	return r;
}

static uint64_t cpu_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

static int measure(const char *name, const struct report *report, unsigned rounds, int null,
		   int (*write_it)(const struct report *, uint64_t *))
{
	static uint64_t took[ROUNDS_MAX];
	uint64_t bytes = 0;

	for (unsigned i = 0; i < rounds; i++) {
		uint64_t before = cpu_us();

		output_file_init(&out, null);
		if (write_it(report, &bytes) < 0)
			return -1;
		took[i] = cpu_us() - before;
	}
	qsort(took, rounds, sizeof(took[0]), by_number);
	printf("%s %llu %u %llu %llu\n", name, (unsigned long long)report->exported,
	       report->sample_count, (unsigned long long)took[rounds / 2],
	       (unsigned long long)bytes);
	return 0;
}

int main(int argc, char **argv)
{
	static struct report_builder builder;
	const unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	_cleanup_(tm_closep) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct report *report;
	int r;

	if (argc > 3 || rounds == 0 || rounds > ROUNDS_MAX || null < 0) {
		fputs("usage: encode_report ROUNDS [CASE]\n", stderr);
		return 2;
	}
	report_builder_init(&builder);
	if (report_case(&builder, argc > 2 ? argv[2] : "large") < 0) {
		fputs("encode_report: no such case\n", stderr);
		return 2;
	}
	report = report_builder_report(&builder);
	r = measure("otlp", report, rounds, null, plain);
	if (r == 0)
		r = measure("otlp.gz", report, rounds, null, compressed);
	if (r == 0)
		r = measure("pprof.gz", report, rounds, null, pprof);
	if (r == 0)
		r = measure("estimate", report, rounds, null, estimate);
	report_builder_deinit(&builder);
	return r < 0;
}
