/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_generations - processes that start and exit leave no memory behind in the real program
 *
 * TM_PROCESSES: how many processes, by default 30,000. By the ktimes of the records a hundred start
 * each second, so 3,000 are known at a time; the test itself runs faster.
 */

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/symbolizer/fake_peers.h"
#include "tests/unit/symbolizer/make.h"

#define PROCESSES        30000u
#define PROCESSES_REPORT 1000u     /* a report follows so many processes */
#define PROCESSES_SETTLE 5000u     /* from then on all tables have their final size, or nearly so */
#define PROCESSES_LOOK   5000u     /* so many after that, halfway and at the end are compared */
#define PROCESS_NS       10000000u /* between the starts of two processes */
#define PROCESSES_FILE   20u       /* processes of one executable */
#define DRIFT_KIB        512

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* freed memory is kept and watched */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static const char *program, *parser;
static union make_record record;

static long resident_kib(pid_t pid)
{
	char path[64], text[4096] = "";
	const char *line;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	(void)close(fd);
	line = strstr(text, "VmRSS:");
	assert_non_null(line);
	return strtol(line + strlen("VmRSS:"), NULL, 10);
}

/*
 * The least memory of the first reports, of some halfway, and of the last ones: the snapshot of a
 * report may be there still, or be gone already, when one looks. What leaks grows in both halves.
 * What grows in one of them is freed memory of one snapshot that malloc cannot give back because
 * something small lies behind it (1.6 MB in one of some eight runs, under MALLOC_PERTURB_ only).
 */
struct resident {
	long settled, halfway, last;
};

static void resident_least(long *least, long kib)
{
	if (kib < *least)
		*least = kib;
}

static void resident_look(struct resident *resident, uint64_t process, uint64_t processes,
			  pid_t pid)
{
	const uint64_t half = (PROCESSES_SETTLE + processes) / 2;
	const long kib = resident_kib(pid);

	if (process > PROCESSES_SETTLE && process <= PROCESSES_SETTLE + PROCESSES_LOOK)
		resident_least(&resident->settled, kib);
	if (process > half && process <= half + PROCESSES_LOOK)
		resident_least(&resident->halfway, kib);
	if (process + PROCESSES_LOOK > processes)
		resident_least(&resident->last, kib);
}

/*
 * Each process has its own names; the exit of every tenth is lost; numbers of executables retire.
 */
static void run_process(struct fake *fake, uint64_t process, uint64_t now)
{
	const uint32_t number = (uint32_t)(process / PROCESSES_FILE) % 1000;
	const uint64_t word = FILE_WORD(number, 0x10 + process % 7);
	char name[16] = "";

	(void)snprintf(name, sizeof(name), "p%08x", (unsigned)process);
	if (process % PROCESSES_FILE == 0) {
		make_retire(&record, now - PROCESS_NS, number);
		fake_push(fake, &record);
		make_file(&record, number, process + 1, name, 10);
		record.event.ktime = now;
		fake_push(fake, &record);
	}
	make_process(&record, (uint32_t)process + 1, name, number, name, 10, name, 10);
	record.event.ktime = now;
	fake_push(fake, &record);
	make_sample(&record, now + 1, (uint32_t)process + 1, name, &word, 0, 1);
	fake_push(fake, &record);
	make_exit(&record, now + 2, (uint32_t)process + 1);
	if (process % 10)
		fake_push(fake, &record);
	fake_publish(fake, now + 3);
}

static void processes_leave_no_memory_behind(void **state)
{
	const char *wanted = getenv("TM_PROCESSES");
	uint64_t processes = wanted ? strtoull(wanted, NULL, 10) : PROCESSES;
	struct resident resident = {LONG_MAX, LONG_MAX, LONG_MAX};
	struct fake fake = {0};
	struct fake_end report;
	uint64_t exported = 0;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	for (uint64_t process = 1; process <= processes; process++) {
		run_process(&fake, process, 1000000000 + process * PROCESS_NS);
		if (process % PROCESSES_REPORT)
			continue;
		fake_flush(&fake, &report);
		assert_int_equal(report.result.exported, PROCESSES_REPORT);
		assert_int_equal(report.result.processes, PROCESSES_REPORT);
		assert_int_equal(report.result.late_records, 0);
		assert_string_equal(report.notes, "");
		exported += report.result.exported;
		tm_ring_writer_refresh(&fake.writer);
		resident_look(&resident, process, processes, fake.pid);
	}
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &report);
	free(fake_folded(&fake));
	assert_true(report.done);
	assert_int_equal(exported + report.result.exported, processes);
	print_message("%lu processes: %ld KiB after %u of them, %ld KiB halfway, %ld KiB at the "
		      "end\n",
		      (unsigned long)processes, resident.settled, PROCESSES_SETTLE,
		      resident.halfway, resident.last);
	if (!SANITIZED)
		assert_true(resident.halfway - resident.settled <= DRIFT_KIB / 2 ||
			    resident.last - resident.halfway <= DRIFT_KIB / 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_leave_no_memory_behind),
	};

	if (argc != 3)
		return 2;
	program = argv[1];
	parser = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
