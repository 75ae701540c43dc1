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
#include "shared/control_receive.h"
#include "symbolizer/reporter.h"
#include "tests/stress/stress.h"
#include "tests/unit/symbolizer/make.h"

#define INTERVALS        30u
#define INTERVAL_SAMPLES 4000u
#define TOTAL_BYTES      (64ull << 20)
#define STORE_BYTES      (1ull << 20)
#define PROCESSES        40u

static struct options options = {
	.hz = 99,
	.title = "",
	.output_count = 1,
	.outputs = {{.format = OUTPUTS_FOLDED}},
};
static struct reporter reporter;
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
			CHECK(process_announce(&stress.processes, &record.process) == 0);
		}
		make_sample(&record, 1000 + round, tgid, "worker", words, 0, 3);
		CHECK(aggregate_add(&stress.interval->aggregate, &record.sample) == 0);
	}
}

static struct report_job *end_interval(void)
{
	struct report_job *job = calloc(1, sizeof(*job));
	struct interval *next;

	CHECK(job != NULL);
	CHECK(interval_close(stress.interval, &next) == 0);
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++)
		job->outputs[i].fd = -1;
	job->outputs[0] = (struct options_output){
		.format = OUTPUTS_FOLDED,
		.fd = memfd_create("report", MFD_CLOEXEC),
	};
	CHECK(job->outputs[0].fd >= 0);
	job->options = &options;
	job->kernel = &stress.kernel;
	job->interval = stress.interval;
	name_table_init(&job->names, &stress.interval->strings, &stress.store);
	stress.interval = next;
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

/* As the command: what it learns of a report's output belongs to the next FLUSHED. */
static void receive(int command)
{
	static unsigned outputs;
	struct tm_control message;
	int fd;

	while (tm_control_receive(command, &message, &fd) == 0) {
		CHECK(fd < 0);
		if (message.kind == TM_CONTROL_OUTPUT) {
			CHECK(outputs++ == 0);
		} else if (message.kind == TM_CONTROL_FLUSHED) {
			CHECK(outputs == 1);
			outputs = 0;
		}
	}
}

/* @control: the command's end, and ours. @until_idle: waits for every report. */
static void take_reports(const int control[2], bool until_idle)
{
	struct pollfd ready = {.fd = reporter.ready[0], .events = POLLIN};
	const struct report_job *job;

	do {
		while ((job = reporter_done(&reporter))) {
			CHECK(job->code == 0);
			CHECK(job->result.exported == INTERVAL_SAMPLES);
			count_lines(job->outputs[0].fd);
			CHECK(tm_control_send(control[1], TM_CONTROL_FLUSHED, 0, 0) == 0);
			reporter_remove(&reporter);
		}
		receive(control[0]);
	} while (until_idle && !reporter_is_idle(&reporter) && poll(&ready, 1, -1) >= 0);
}

int main(void)
{
	int control[2];

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0);
	stress.total.limit = TOTAL_BYTES;
	stress_begin(STORE_BYTES);
	CHECK(reporter_start(&reporter, control[1]) == 0);
	for (unsigned round = 0; round < INTERVALS; round++) {
		count_samples(round);
		take_reports(control, reporter_is_full(&reporter));
		reporter_submit(&reporter, end_interval());
	}
	take_reports(control, true);
	reporter_stop(&reporter);
	stress_end();
	CHECK(reported == (uint64_t)INTERVALS * INTERVAL_SAMPLES);
	(void)close(control[0]);
	(void)close(control[1]);
	return 0;
}
