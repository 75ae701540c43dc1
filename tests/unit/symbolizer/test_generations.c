/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_generations - lives that come and go through the real program leave no memory behind
 *
 * TM_PROCESSES: how many, 30,000 if not given. A hundred a second by the records' own time, whose
 * pace is not ours: within two epochs 3,000 are known at once.
 */

#include <fcntl.h>
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

#define LIVES        30000u
#define LIVES_REPORT 1000u     /* a report after so many */
#define LIVES_SETTLE 10000u    /* then everything is as large as it gets */
#define LIFE_NS      10000000u /* from one to the next */
#define LIVES_FILE   20u       /* of one executable */
#define DRIFT_KIB    1024

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* what is freed is kept, to be watched */
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
 * Each has names of its own; every tenth dies unheard; an executable's number goes after its time.
 */
static void live(struct fake *fake, uint64_t life, uint64_t now)
{
	const uint32_t number = (uint32_t)(life / LIVES_FILE) % 1000;
	const uint64_t word = FILE_WORD(number, 0x10 + life % 7);
	char name[16] = "";

	(void)snprintf(name, sizeof(name), "p%08x", (unsigned)life);
	if (life % LIVES_FILE == 0) {
		make_retire(&record, now - LIFE_NS, number);
		fake_push(fake, &record);
		make_file(&record, number, life + 1, name, 10);
		record.event.ktime = now;
		fake_push(fake, &record);
	}
	make_process(&record, (uint32_t)life + 1, name, number, name, 10, name, 10);
	record.event.ktime = now;
	fake_push(fake, &record);
	make_sample(&record, now + 1, (uint32_t)life + 1, name, &word, 0, 1);
	fake_push(fake, &record);
	make_exit(&record, now + 2, (uint32_t)life + 1);
	if (life % 10)
		fake_push(fake, &record);
	fake_publish(fake, now + 3);
}

static void lives_leave_no_memory_behind(void **state)
{
	const char *wanted = getenv("TM_PROCESSES");
	uint64_t lives = wanted ? strtoull(wanted, NULL, 10) : LIVES;
	struct fake fake = {0};
	struct fake_end report;
	uint64_t exported = 0;
	long settled = 0, last = 0;

	fake_start(&fake, program, parser);
	fake_attach(&fake);
	for (uint64_t life = 1; life <= lives; life++) {
		live(&fake, life, 1000000000 + life * LIFE_NS);
		if (life % LIVES_REPORT)
			continue;
		fake_flush(&fake, &report);
		assert_int_equal(report.result.exported, LIVES_REPORT);
		assert_int_equal(report.result.processes, LIVES_REPORT);
		assert_int_equal(report.result.late_records, 0);
		assert_string_equal(report.notes, "");
		exported += report.result.exported;
		tm_ring_writer_refresh(&fake.writer);
		last = resident_kib(fake.pid);
		if (life == LIVES_SETTLE)
			settled = last;
	}
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &report);
	free(fake_folded(&fake));
	assert_true(report.done);
	assert_int_equal(exported + report.result.exported, lives);
	print_message("%lu lives: %ld KiB after %u of them, %ld KiB at the end\n",
		      (unsigned long)lives, settled, LIVES_SETTLE, last);
	if (!SANITIZED)
		assert_true(last - settled <= DRIFT_KIB);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lives_leave_no_memory_behind),
	};

	if (argc != 3)
		return 2;
	program = argv[1];
	parser = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
