/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_memory - many distinct frames of many files stay within the budget, resident memory too
 *
 * stress_memory [FILES FRAMES MIB [PARSER]]: first in many reports of 1,000 frames each, then in
 * one. Every sample must be in a report, whatever is merged; after each report no symbol table is
 * pinned and none of the report's bytes is charged; what is resident at most, symbol tables
 * included, is within the budget and 5 % of it. PARSER: the path of the parser, which then makes
 * the tables of ELF files.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/control_receive.h"
#include "shared/region.h"
#include "symbolizer/profile/aggregate_merge.h"
#include "symbolizer/report_make.h"
#include "tests/stress/generated_elf.h"
#include "tests/stress/stress.h"
#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_symbols.h"

#define SAMPLE_FRAMES 10u
#define REPORT_FRAMES 1000u
#define PROCESSES     100u
#define NS_PER_MS     1000000ull
#define FRAME_OFFSET  0x2000u /* of the first frame of each file */
#define FUNCTIONS     4u      /* that the parser finds there */

static uint32_t files_wanted = 10000, frames_wanted = 100000, mib = 24;
static struct options options = {
	.hz = 99,
	.title = "",
	.output_count = 2,
	.outputs = {{.format = OUTPUTS_HTML}, {.format = OUTPUTS_PPROF}},
};
static uint64_t counted[PROCESSES], reported[PROCESSES], merged, now = NS_PER_MS;
static int control[2];
static struct report_notes notes;
static bool asks_parser;

static void reclaim(void *context, uint64_t bytes)
{
	symbol_store_reclaim(context, bytes);
}

/* Of what the kernel says of this process, in KiB. */
static uint64_t status_kib(const char *name)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	uint64_t kib = 0;

	CHECK(status != NULL);
	while (fgets(line, sizeof(line), status))
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtoull(line + strlen(name), NULL, 10);
	(void)fclose(status);
	return kib;
}

/* As if the parser had answered for it. */
static void announce(uint32_t number)
{
	static union make_record record;
	const struct symbols symbols = make_symbols();
	const struct generated_elf elf = {
		.number = number, .first = FRAME_OFFSET, .functions = FUNCTIONS};
	char path[64];
	int bytes = snprintf(path, sizeof(path), "library-%08u.so", number);

	CHECK(bytes > 0);
	bytes += 1 + snprintf(path + bytes + 1, sizeof(path) - 1 - (size_t)bytes, "lib") + 1;
	make_file(&record, number, number, path, (uint16_t)bytes);
	record.event.ktime = now;
	if (files_announce(&stress.files, &record.file) ||
	    symbol_store_begin(&stress.store, &record.file.identity, 0))
		return;
	symbol_store_put(&stress.store, &record.file.identity,
			 asks_parser ? generated_elf_table(&elf)
				     : tm_region_seal_blob("symbols", &symbols, sizeof(symbols)),
			 0);
}

/* Of frames that no sample had before. */
static void count_sample(uint32_t sample)
{
	static union make_record record;
	uint64_t words[SAMPLE_FRAMES];
	uint32_t process = sample % PROCESSES;

	now += NS_PER_MS;
	for (uint32_t i = 0; i < SAMPLE_FRAMES; i++) {
		uint32_t frame = sample * SAMPLE_FRAMES + i, number = 1 + frame % files_wanted;

		if (frame < files_wanted || frame % 7 == 0)
			announce(number);
		words[i] = FILE_WORD(number, FRAME_OFFSET + frame / files_wanted);
	}
	make_sample(&record, now, 1 + process, "worker", words, 0, SAMPLE_FRAMES);
	CHECK(aggregate_add(&stress.interval->aggregate, &record.sample) == 0);
	counted[process]++;
}

static void add_up(const struct interval *closed)
{
	const struct aggregate *aggregate = &closed->aggregate;

	for (uint32_t i = 0; i < aggregate->sample_count; i++) {
		const struct aggregate_sample *sample = &aggregate->samples[i];

		reported[aggregate->processes->items[sample->process].tgid - 1] += sample->count;
	}
	merged += aggregate_merged_samples(aggregate);
}

static void drain(void)
{
	struct tm_control message;
	int fd;

	while (tm_control_receive(control[0], &message, &fd) == 0)
		CHECK(message.kind != TM_CONTROL_OUTPUT || message.code == 0);
}

static void report(void)
{
	struct report_job *job = calloc(1, sizeof(*job));

	CHECK(job != NULL);
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++)
		job->outputs[i] = (struct options_output){
			.format = options.outputs[i].format,
			.fd = i < options.output_count ? open("/dev/null", O_WRONLY | O_CLOEXEC)
						       : -1,
		};
	job->options = &options;
	job->kernel = &stress.kernel;
	job->interval = stress.interval;
	name_table_init(&job->names, &stress.interval->strings, &stress.store);
	CHECK(interval_close(job->interval, &stress.interval) == 0);
	report_make(job, control[1], &notes);
	CHECK(job->code == 0);
	drain();
	add_up(job->interval);
	job = report_job_free(job);
	CHECK(stress.store.pinned == 0);
	CHECK(stress.total.parts[TM_MEMORY_REPORT].used == 0);
	(void)tm_retire_run(&stress.queue, now);
}

static void begin(void)
{
	stress.total.limit = (uint64_t)mib << 20;
	budget_divide(&stress.total);
	stress_begin(budget_limit(&stress.total, TM_MEMORY_SYMBOLS));
	stress.tables.limit = budget_limit(&stress.total, TM_MEMORY_PROFILE) / INTERVAL_TABLES_PART;
	stress.store.budget.total = &stress.total;
	stress.store.budget.share = TM_MEMORY_SYMBOLS;
	stress.total.reclaim = reclaim;
	stress.total.context = &stress.store;
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0);
}

static void end(void)
{
	stress_end();
	(void)close(control[0]);
	(void)close(control[1]);
}

int main(int argc, char **argv)
{
	uint32_t samples;
	uint64_t before, most;

	(void)mallopt(M_ARENA_MAX, 1); /* as in the program */
	if (argc >= 4) {
		files_wanted = (uint32_t)strtoul(argv[1], NULL, 10);
		frames_wanted = (uint32_t)strtoul(argv[2], NULL, 10);
		mib = (uint32_t)strtoul(argv[3], NULL, 10);
	}
	asks_parser = argc > 4;
	CHECK(!asks_parser || generated_elf_start(argv[4]) == 0);
	samples = frames_wanted / SAMPLE_FRAMES;
	before = status_kib("VmRSS:");
	begin();
	for (uint32_t i = 0; i < samples; i++) {
		count_sample(i);
		if ((i + 1) % (REPORT_FRAMES / SAMPLE_FRAMES) == 0)
			report();
	}
	(void)printf("reports of %u frames: %" PRIu64 " KiB, merged %" PRIu64 "\n", REPORT_FRAMES,
		     status_kib("VmHWM:") - before, merged);
	for (uint32_t i = 0; i < samples; i++)
		count_sample(samples + i);
	report();
	most = status_kib("VmHWM:") - before;
	(void)printf("%u files, %u frames twice: resident %" PRIu64
		     " KiB of %u MiB, charged %" PRIu64 " KiB, merged %" PRIu64
		     " of %u samples, tables evicted %" PRIu64 "\n",
		     files_wanted, frames_wanted, most, mib, stress.total.peak >> 10, merged,
		     2 * samples, stress.store.counts.evicted);
	CHECK(memcmp(counted, reported, sizeof(counted)) == 0);
	CHECK(merged > 0);
	CHECK(most << 10 <= stress.total.limit + stress.total.limit / 20);
	end();
	if (asks_parser)
		generated_elf_stop();
	return 0;
}
