/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_spool - writes a spool as a busy host fills it: segments of reports, samples by chance
 *
 * usage: make_spool FOLDER START_UNIX_S REPORTS SECONDS SAMPLES [FROM TO FOLDED [SEGMENT_BYTES]]
 *
 * REPORTS reports of SECONDS each, with SAMPLES samples of thousands of stacks. Those from number
 * FROM to TO - 1 are made one by one, and their folded text goes to FOLDED, one after the other;
 * the others repeat the body of one report, which a picture of that window does not read.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/segment.h"
#include "symbolizer/output/otlp.h"
#include "symbolizer/output/output_file.h"
#include "tests/interop/report_builder.h"

#define NS            1000000000ull
#define BOOT_KTIME    (777 * NS) /* of the first report */
#define SEGMENT_BYTES (8u << 20) /* where nothing else is asked for */
#define FUNCTIONS     3000u
#define STACKS        6000u
#define PROCESSES     40u
#define DEPTH_MIN     12u
#define SKEW          4 /* so that a report of 6000 samples has 1500 rows, as that of a host */
#define DEPTH_MORE    40u

struct spool {
	const char *folder;
	struct tm_segment_header header;
	int fd; /* of the segment; -1: none */
	uint64_t at, most, sequence, start_unix_ns, report_ns;
};

static struct report_builder builder; /* large */
static struct output_file out;

static _Noreturn void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* A small fixed generator: the same spool in every run. */
static uint32_t next_random(void)
{
	static uint64_t state = 12;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33);
}

/* Small numbers are much more likely. */
static uint32_t skewed(uint32_t end)
{
	double x = (double)next_random() / 2147483648.0;

	for (int i = 0; i < SKEW; i++)
		x *= x;
	return (uint32_t)(x * (double)end);
}

/* --- the profile ------------------------------------------------------------------------------ */

static void build_stacks(uint32_t *stacks)
{
	static uint32_t frames[FUNCTIONS];
	uint32_t file = report_builder_file(&builder, "/usr/bin/server", "aabbccdd", 0);
	uint32_t library = report_builder_file(&builder, "/usr/lib/libserver.so.1", "eeff", 0);

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[96];

		(void)snprintf(name, sizeof(name), "server::component_%u::handle_request_%u",
			       i % 97, i);
		frames[i] = report_builder_frame(&builder, name, i % 3 ? file : library,
						 0x1000 + 16ull * i, REPORT_NATIVE);
	}
	for (uint32_t i = 0; i < STACKS; i++) {
		uint32_t leaf_first[DEPTH_MIN + DEPTH_MORE];
		uint32_t depth = DEPTH_MIN + next_random() % DEPTH_MORE;

		for (uint32_t j = 0; j < depth; j++)
			leaf_first[depth - 1 - j] =
				frames[(skewed(FUNCTIONS / 40) * 40 + j) % FUNCTIONS];
		stacks[i] = report_builder_stack(&builder, leaf_first, depth);
	}
}

static void build_processes(uint32_t *processes)
{
	for (uint32_t i = 0; i < PROCESSES; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "server-%u", i % 12);
		processes[i] = report_builder_process(&builder, 1000 + i, name, "/usr/bin/server");
	}
}

/* Equal samples of a report are one, as aggregation leaves them. */
static void add_samples(const uint32_t *stacks, const uint32_t *processes, uint32_t samples)
{
	static uint32_t index[PROCESSES][STACKS]; /* sample + 1 */
	uint32_t *counts = calloc(samples, sizeof(*counts));

	if (!counts)
		give_up("calloc");

	memset(index, 0, sizeof(index));
	for (uint32_t i = 0; i < samples; i++) {
		uint32_t process = skewed(PROCESSES), stack = skewed(STACKS);
		uint32_t *known = &index[process][stack];

		if (!*known)
			*known = 1 + report_builder_sample(&builder, processes[process],
							   1000 + process, "server", stacks[stack],
							   0, 0);
		counts[*known - 1]++;
	}
	(void)report_builder_report(&builder);
	for (uint32_t i = 0; i < builder.report.sample_count; i++) {
		struct report_sample *sample =
			(struct report_sample *)(uintptr_t)builder.report.samples + i;

		sample->count = counts[i];
		sample->value = counts[i] * (uint64_t)REPORT_BUILDER_PERIOD_NS;
	}
	free(counts);
}

/* --- segments --------------------------------------------------------------------------------- */

static void write_at(int fd, const void *bytes, size_t count, uint64_t at)
{
	if (pwrite(fd, bytes, count, (off_t)at) != (ssize_t)count)
		give_up("pwrite");
}

static void open_segment(struct spool *spool)
{
	char name[TM_SEGMENT_NAME_BYTES];
	_cleanup_(tm_freep) char *path = NULL;

	tm_segment_name(spool->sequence, name);
	if (asprintf(&path, "%s/%s", spool->folder, name) < 0)
		give_up("asprintf");
	spool->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	if (spool->fd < 0)
		give_up(path);
	spool->header.first_sequence = spool->sequence;
	tm_segment_header_seal(&spool->header);
	write_at(spool->fd, &spool->header, sizeof(spool->header), 0);
	write_at(spool->fd, &spool->header, sizeof(spool->header), TM_SEGMENT_COPY_AT);
	spool->at = TM_SEGMENT_HEADER_BYTES;
}

static void append(struct spool *spool, const uint8_t *body, uint64_t bytes, uint64_t plain)
{
	uint64_t start = BOOT_KTIME + (spool->sequence - 1) * spool->report_ns;
	struct tm_segment_record record = {
		.kind = TM_SEGMENT_REPORT,
		.flags = TM_SEGMENT_GZIP,
		.sequence = spool->sequence,
		.last_sequence = spool->sequence,
		.body_bytes = bytes,
		.uncompressed_bytes = plain,
		.start_ktime = start,
		.end_ktime = start + spool->report_ns,
		.realtime_offset = (int64_t)(spool->start_unix_ns - BOOT_KTIME),
	};

	if (spool->fd >= 0 && spool->at > spool->most)
		spool->fd = tm_close(spool->fd);
	if (spool->fd < 0)
		open_segment(spool);
	record.offset = spool->at;
	tm_segment_record_seal(&record, &spool->header, body);
	write_at(spool->fd, &record, sizeof(record), spool->at);
	write_at(spool->fd, body, bytes, spool->at + sizeof(record));
	spool->at += tm_segment_record_bytes(bytes);
	if (ftruncate(spool->fd, (off_t)spool->at) < 0)
		give_up("ftruncate");
	spool->sequence++;
}

/* The current samples as the request of a report at the spool's next place. */
static uint8_t *make_body(const struct spool *spool, uint64_t *ret_bytes, uint64_t *ret_plain)
{
	_cleanup_(tm_closep) int fd = memfd_create("body", MFD_CLOEXEC);
	struct report *report = &builder.report;
	struct otlp_parts parts;
	struct stat status;
	uint8_t *body;

	report->start_unix_ns = spool->start_unix_ns + (spool->sequence - 1) * spool->report_ns;
	report->duration_ns = spool->report_ns;
	output_file_init(&out, fd);
	if (otlp_parts_init(&parts, report, NULL) < 0 || otlp_parts_next(&parts, UINT64_MAX) != 0 ||
	    otlp_parts_write(&parts, &out, /* compressed= */ true) < 0 ||
	    output_file_finish(&out) < 0 || fstat(fd, &status) < 0)
		give_up("OTLP");
	*ret_plain = parts.bytes;
	*ret_bytes = (uint64_t)status.st_size;
	otlp_parts_deinit(&parts);
	body = malloc(*ret_bytes);
	if (!body || pread(fd, body, *ret_bytes, 0) != status.st_size)
		give_up("body");
	return body;
}

struct window { /* of reports that are made one by one */
	uint64_t from, to;
	int folded; /* -1: none */
};

static void fill(struct spool *spool, uint64_t reports, uint32_t samples,
		 const struct window *window)
{
	static uint32_t stacks[STACKS], processes[PROCESSES];
	_cleanup_(tm_freep) uint8_t *body = NULL;
	uint64_t bytes = 0, plain = 0;

	build_stacks(stacks);
	build_processes(processes);
	for (uint64_t i = 0; i < reports; i++) {
		bool own = i >= window->from && i < window->to;

		if (own || !body) {
			free(body);
			builder.report.sample_count = 0;
			builder.report.exported = 0;
			add_samples(stacks, processes, samples);
			builder.report.exported = samples;
			(void)report_builder_report(&builder);
			body = make_body(spool, &bytes, &plain);
		}
		if (own && window->folded >= 0) {
			output_file_init(&out, window->folded);
			if (folded_write(&out, &builder.report) < 0)
				give_up("folded");
		}
		append(spool, body, bytes, plain);
	}
}

int main(int argc, char **argv)
{
	struct spool spool = {.fd = -1, .sequence = 1, .most = SEGMENT_BYTES};
	struct window window = {.folded = -1};
	uint64_t reports;

	if (argc != 6 && argc != 9 && argc != 10) {
		(void)fputs("usage: make_spool FOLDER START_UNIX_S REPORTS SECONDS SAMPLES "
			    "[FROM TO FOLDED [SEGMENT_BYTES]]\n",
			    stderr);
		return 2;
	}
	spool.folder = argv[1];
	spool.start_unix_ns = strtoull(argv[2], NULL, 10) * NS;
	reports = strtoull(argv[3], NULL, 10);
	spool.report_ns = strtoull(argv[4], NULL, 10) * NS;
	if (argc == 10)
		spool.most = strtoull(argv[9], NULL, 10);
	if (argc >= 9) {
		window.from = strtoull(argv[6], NULL, 10);
		window.to = strtoull(argv[7], NULL, 10);
		window.folded = open(argv[8], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (window.folded < 0)
			give_up(argv[8]);
	}
	report_builder_init(&builder);
	fill(&spool, reports, (uint32_t)strtoul(argv[5], NULL, 10), &window);
	spool.fd = tm_close(spool.fd);
	window.folded = tm_close(window.folded);
	report_builder_deinit(&builder);
	return 0;
}
