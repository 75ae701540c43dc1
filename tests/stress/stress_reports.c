/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_reports - one thread counts samples while the other makes reports of closed intervals
 *
 * The thread sanitizer watches what the two share: budgets, jobs, the symbol store. Every sample
 * must be in exactly one report, and in the end no byte may be charged.
 */

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "symbolizer/reporter.h"
#include "tests/unit/symbolizer/make.h"

#define INTERVALS        30u
#define INTERVAL_SAMPLES 4000u
#define TOTAL_BYTES      (64ull << 20)
#define STORE_BYTES      (1ull << 20)
#define PROCESSES        40u

#define CHECK(what)                                                                      \
	do {                                                                             \
		if (!(what)) {                                                           \
			(void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
			exit(1);                                                         \
		}                                                                        \
	} while (0)

static struct budget_total total = BUDGET_TOTAL_INIT(TOTAL_BYTES);
static struct budget tables = {.limit = UINT64_MAX, .total = &total};
static struct hash_seed seed = {{3, 4}};
static struct process_table processes;
static struct files files;
static struct tm_retire_queue queue;
static struct symbol_store store;
static struct ksyms kernel; /* no table came */
static struct options options = {
	.hz = 99,
	.title = "",
	.output_count = 1,
	.outputs = {{.format = OUTPUTS_FOLDED}},
};
static struct reporter reporter;
static struct interval *interval;
static uint64_t reported; /* samples in the files of reports */

/* The reader's place: new processes all the time, many equal stacks, some that are new. */
static void count_samples(unsigned round)
{
	static union make_record record;

	for (uint32_t i = 0; i < INTERVAL_SAMPLES; i++) {
		const uint32_t tgid = 1 + (round + i) % PROCESSES;
		const uint64_t words[] = {FILE_WORD(i % 9, i % 70), FILE_WORD(7, round * 8 + i % 8),
					  ANON_WORD(0x1000 + i % 50)};

		if (i % 100 == 0) {
			make_process(&record, tgid, "leader", 1, "prog\0bin\0", 9, "unit\0", 5);
			CHECK(process_announce(&processes, &record.process) == 0);
		}
		make_sample(&record, 1000 + round, tgid, "worker", words, 0, 3);
		CHECK(aggregate_add(&interval->aggregate, &record.sample) == 0);
	}
}

static struct report_job *end_interval(void)
{
	struct report_job *job = calloc(1, sizeof(*job));
	struct interval *next;

	CHECK(job != NULL);
	CHECK(interval_close(interval, &next) == 0);
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++)
		job->outputs[i].fd = -1;
	job->outputs[0] = (struct options_output){
		.format = OUTPUTS_FOLDED,
		.fd = memfd_create("report", MFD_CLOEXEC),
	};
	CHECK(job->outputs[0].fd >= 0);
	job->options = &options;
	job->kernel = &kernel;
	job->interval = interval;
	name_table_init(&job->names, &interval->strings, &store);
	interval = next;
	return job;
}

static void count_lines(int fd)
{
	char line[4096];
	FILE *file = fdopen(dup(fd), "r");

	CHECK(file != NULL);
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		const char *space = strrchr(line, ' ');

		CHECK(space != NULL);
		reported += strtoull(space + 1, NULL, 10);
	}
	(void)fclose(file);
}

static void drain(int socket)
{
	struct tm_control message;
	int fd;

	while (tm_control_receive(socket, &message, &fd) == 0)
		CHECK(fd < 0);
}

/* @until_idle: waits for every report. */
static void take_reports(int command, bool until_idle)
{
	struct pollfd ready = {.fd = reporter.ready[0], .events = POLLIN};
	struct report_job *job;

	do {
		while ((job = reporter_take(&reporter))) {
			CHECK(job->code == 0);
			CHECK(job->result.exported == INTERVAL_SAMPLES);
			count_lines(job->outputs[0].fd);
			job = report_job_free(job);
		}
		drain(command);
	} while (until_idle && !reporter_is_idle(&reporter) && poll(&ready, 1, -1) >= 0);
}

int main(void)
{
	int control[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0);
	interval = interval_open(&total, &seed, &processes, &files);
	CHECK(interval != NULL);
	process_table_init(&processes, &interval->strings, &tables, &queue);
	CHECK(files_init(&files, &interval->strings, &tables, &queue) == 0);
	CHECK(symbol_store_init(&store, STORE_BYTES, &seed) == 0);
	CHECK(reporter_start(&reporter, control[1]) == 0);
	for (unsigned round = 0; round < INTERVALS; round++) {
		count_samples(round);
		take_reports(control[0], reporter_is_full(&reporter));
		reporter_submit(&reporter, end_interval());
	}
	take_reports(control[0], true);
	reporter_stop(&reporter);
	interval = interval_free(interval);
	process_table_deinit(&processes);
	files_deinit(&files);
	tm_retire_deinit(&queue);
	symbol_store_deinit(&store);
	CHECK(reported == (uint64_t)INTERVALS * INTERVAL_SAMPLES);
	CHECK(total.used == 0 && tables.used == 0);
	(void)close(control[0]);
	(void)close(control[1]);
	return 0;
}
