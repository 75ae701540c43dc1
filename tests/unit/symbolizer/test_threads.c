/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_threads - the real program asks what threads do: sleeps in progress, and how threads spent
 * an interval
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/clock.h"
#include "shared/region.h"
#include "symbolizer/profile/thread_request.h"
#include "tests/unit/symbolizer/fake_peers.h"
#include "tests/unit/symbolizer/make.h"

static const char *program, *parser;
static union make_record record;
static const uint64_t words[] = {KERNEL_WORD(0, 0x10), VDSO_WORD(0x20)};

static void start(struct fake *fake)
{
	*fake = (struct fake){.off_cpu = true};
	fake_start(fake, program, parser);
	fake_attach(fake);
}

static bool holds(int fd, const char *text)
{
	off_t bytes = lseek(fd, 0, SEEK_END);
	char *all = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
	bool found;

	assert_true(all != MAP_FAILED);
	found = memmem(all, (size_t)bytes, text, strlen(text)) != NULL;
	(void)munmap(all, (size_t)bytes);
	return found;
}

static void await_question(struct fake *fake)
{
	struct tm_wire message;

	do
		fake_receive_wire(fake, &message);
	while (message.kind != TM_WIRE_ASK_THREADS);
}

/* Thread 42 sleeps since @since. */
static void answer(struct fake *fake, uint64_t ktime, uint64_t since)
{
	int fd;

	make_thread(&record, ktime, 42, "sleeper", TM_THREAD_INTERRUPTIBLE, since, words, 1);
	record.thread.seen = since;
	fd = tm_region_seal_blob("threads", &record, record.event.bytes);
	assert_true(fd >= 0);
	fake_wire(fake, TM_WIRE_THREADS, 0, ktime, fd);
	(void)close(fd);
}

static void push_end(struct fake *fake, uint64_t since, uint64_t duration)
{
	make_sample(&record, since + duration, 42, "sleeper", words, 1, 1);
	make_off_cpu(&record, TM_THREAD_INTERRUPTIBLE, duration);
	record.sample.since = since;
	tm_ring_push(&fake->writer, &record, record.event.bytes, 1);
	fake->counts.off_cpu.taken++;
	fake->counts.off_cpu.pushed++;
	fake->counts.off_cpu.taken_ns += duration;
	fake->counts.off_cpu.pushed_ns += duration;
}

static void flush_answered(struct fake *fake, struct fake_end *report, uint64_t ktime,
			   uint64_t since)
{
	fake_begin_flush(fake);
	await_question(fake);
	answer(fake, ktime, since);
	fake_end_flush(fake, report);
}

static void finish(struct fake *fake, struct fake_end *report)
{
	fake_wire(fake, TM_WIRE_END, 0, 0, -1);
	fake_end(fake, report);
	assert_true(report->done);
	free(fake_folded(fake));
}

static void sleep_over_three_reports_is_in_each_with_its_part(void **state)
{
	struct fake_end report;
	struct fake fake;

	start(&fake);
	fake_publish(&fake, 1000);
	flush_answered(&fake, &report, 1005, 400);
	assert_int_equal(report.result.off_cpu.in_progress, 1);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 600);
	assert_int_equal(report.result.off_cpu.exported, 0);
	assert_true(holds(fake.outputs[1], "\"values\":[600]"));
	assert_true(holds(fake.outputs[1], "[in progress]"));
	fake_publish(&fake, 2000);
	flush_answered(&fake, &report, 2010, 400);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 1000);
	push_end(&fake, 400, 1850);
	fake_publish(&fake, 3000);
	flush_answered(&fake, &report, 3005, 2900);
	assert_string_equal(report.notes, "");
	assert_int_equal(report.result.off_cpu.exported, 1);
	assert_int_equal(report.result.off_cpu.exported_ns, 1850);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 100);
	assert_true(holds(fake.outputs[1], "\"values\":[350]")); /* 250 and 100: one stack */
	answer(&fake, 3500, 2900); /* without being asked: sampling has stopped */
	finish(&fake, &report);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 500);
	assert_string_equal(report.notes, "");
}

static void sample_that_is_younger_than_the_question_is_in_the_next_report(void **state)
{
	struct fake_end report;
	struct fake fake;

	start(&fake);
	fake_publish(&fake, 1000);
	fake_begin_flush(&fake);
	await_question(&fake);
	push_end(&fake, 400, 700);
	fake_publish(&fake, 1500);
	answer(&fake, 1050, 400); /* read before it ended */
	fake_end_flush(&fake, &report);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 600);
	assert_int_equal(report.result.off_cpu.exported, 0);
	assert_int_equal(report.flushed, 1000);
	flush_answered(&fake, &report, 1600, 1400);
	assert_int_equal(report.result.off_cpu.exported, 1);
	assert_true(holds(fake.outputs[1], "\"values\":[200]"));
	finish(&fake, &report);
}

static void report_without_an_answer_comes_and_says_so(void **state)
{
	struct fake_end report;
	struct fake fake;

	start(&fake);
	fake_publish(&fake, 1000);
	fake_begin_flush(&fake);
	await_question(&fake);
	fake_end_flush(&fake, &report);
	assert_non_null(strstr(report.notes, "did not say in time"));
	assert_int_equal(report.result.off_cpu.in_progress, 0);
	assert_int_equal(report.outputs, FAKE_FORMATS);
	answer(&fake, 1005, 400); /* late: it is not used */
	flush_answered(&fake, &report, 1005, 400);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 600);
	assert_string_equal(report.notes, "");
	fake_publish(&fake, 2000);
	fake_wire(&fake, TM_WIRE_THREADS, 0, 0, -1); /* could not be read */
	finish(&fake, &report);
	assert_non_null(strstr(report.notes, "did not say in time"));
}

static void no_thread_left_is_an_answer(void **state)
{
	struct fake_end report;
	struct fake fake;

	start(&fake);
	fake_publish(&fake, 1000);
	fake_begin_flush(&fake);
	await_question(&fake);
	fake_wire(&fake, TM_WIRE_THREADS, 0, 1005, -1);
	fake_end_flush(&fake, &report);
	assert_string_equal(report.notes, "");
	fake_wire(&fake, TM_WIRE_THREADS, 0, 1100, -1);
	finish(&fake, &report);
	assert_string_equal(report.notes, "");
	assert_int_equal(report.result.off_cpu.in_progress, 0);
}

/* Its end is still in the ring then, and so is the end of another one. */
static void last_answer_is_taken_after_the_ring(void **state)
{
	struct fake_end report;
	struct fake fake;
	char *folded;

	start(&fake);
	fake_publish(&fake, 1000);
	flush_answered(&fake, &report, 1005, 400);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 600);
	(void)close(fake.outputs[0]);
	fake.outputs[0] = memfd_create("folded", MFD_CLOEXEC);
	fake_target(&fake, 0, fake.outputs[0]);
	answer(&fake, 3500, 2900);
	push_end(&fake, 400, 1850);
	fake_publish(&fake, 3600);
	fake_wire(&fake, TM_WIRE_END, 0, 0, -1);
	fake_end(&fake, &report);
	assert_true(report.done);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 600);
	assert_string_equal(report.notes, "");
	folded = fake_folded(&fake);
	assert_non_null(strstr(folded, "[interruptible] 1850\n")); /* 1250 and 600: one stack */
	free(folded);
}

static void collector_that_cannot_say_does_not_hold_the_report_up(void **state)
{
	const uint64_t begin_ms = tm_clock_ms();
	struct fake_end report;
	struct fake fake;

	start(&fake);
	for (int i = 0; i < 20; i++) {
		fake_publish(&fake, 1000 + (uint64_t)i);
		fake_begin_flush(&fake);
		await_question(&fake);
		fake_wire(&fake, TM_WIRE_THREADS, 0, 0, -1);
		fake_end_flush(&fake, &report);
		assert_non_null(strstr(report.notes, "did not say in time"));
	}
	assert_true(tm_clock_ms() - begin_ms < 20 * THREAD_REQUEST_WAIT_MS);
	finish(&fake, &report);
}

static void program_that_resumes_does_not_count_what_was_reported(void **state)
{
	struct fake_end report;
	struct fake fake;

	start(&fake);
	fake_resume(&fake, 1000);
	await_question(&fake);
	answer(&fake, 1100, 400);
	push_end(&fake, 400, 800);
	fake_publish(&fake, 2000);
	fake_begin_flush(&fake);
	await_question(&fake);
	answer(&fake, 2100, 1600);
	fake_end_flush(&fake, &report);
	assert_int_equal(report.result.off_cpu.in_progress_ns, 400);
	assert_int_equal(report.result.off_cpu.exported, 1);
	assert_true(holds(fake.outputs[1], "\"values\":[600]")); /* 200 and 400 */
	finish(&fake, &report);
}

static void answer_from_the_future_is_none(void **state)
{
	struct fake_end report;
	struct fake fake;

	start(&fake);
	fake_publish(&fake, 1000);
	flush_answered(&fake, &report, UINT64_MAX, 400);
	assert_non_null(strstr(report.notes, "did not say in time"));
	assert_int_equal(report.result.off_cpu.in_progress, 0);
	finish(&fake, &report);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleep_over_three_reports_is_in_each_with_its_part),
		cmocka_unit_test(sample_that_is_younger_than_the_question_is_in_the_next_report),
		cmocka_unit_test(report_without_an_answer_comes_and_says_so),
		cmocka_unit_test(no_thread_left_is_an_answer),
		cmocka_unit_test(last_answer_is_taken_after_the_ring),
		cmocka_unit_test(collector_that_cannot_say_does_not_hold_the_report_up),
		cmocka_unit_test(program_that_resumes_does_not_count_what_was_reported),
		cmocka_unit_test(answer_from_the_future_is_none),
	};

	if (argc != 3)
		return 2;
	program = argv[1];
	parser = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
