/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_intervals - reports at intervals by the real program: each is complete, and their sum is the
 * whole
 */

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/symbolizer/fake_peers.h"
#include "tests/unit/symbolizer/make.h"

static const char *program, *parser;
static union make_record record;

static void push_sample(struct fake *fake, uint64_t ktime, uint64_t word)
{
	make_sample(&record, ktime, 42, "worker", &word, 0, 1);
	fake_push(fake, &record);
}

static void push_process(struct fake *fake)
{
	make_process(&record, 42, "leader", 5, "prog\0bin\0", 9, "slice\0", 6);
	fake_push(fake, &record);
}

static void push_file(struct fake *fake, uint64_t ktime, uint64_t ino, const char *path)
{
	make_file(&record, 5, ino, path, 9);
	record.event.ktime = ktime;
	fake_push(fake, &record);
}

static void start(struct fake *fake)
{
	fake_start(fake, program, parser);
	fake_attach(fake);
}

static void end(struct fake *fake, struct fake_end *last)
{
	fake_wire(fake, TM_WIRE_END, 0, 0, -1);
	fake_end(fake, last);
	assert_true(last->done);
	free(fake_folded(fake));
}

static int holds(int fd, const char *text)
{
	off_t bytes = lseek(fd, 0, SEEK_END);
	char *all = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
	int found;

	assert_true(all != MAP_FAILED);
	found = memmem(all, (size_t)bytes, text, strlen(text)) != NULL;
	(void)munmap(all, (size_t)bytes);
	return found;
}

static uint64_t accounted(const struct fake_end *report)
{
	uint64_t sum = report->result.exported;

	for (int i = 0; i < TM_DROP_N; i++)
		sum += report->result.drops[i] + report->counts.drops[i];
	return sum;
}

static void each_report_balances_and_all_add_up_to_the_whole(void **state)
{
	static struct fake_end reports[3];
	struct fake fake = {0};
	uint64_t taken = 0, exported = 0;

	start(&fake);
	push_sample(&fake, 100, ANON_WORD(1));
	push_sample(&fake, 200, ANON_WORD(1));
	fake.counts.taken += 5; /* not yet in the ring */
	fake.counts.taken += 2;
	fake.counts.drops[TM_DROP_RING_FULL] = 2;
	fake.counts.owed = fake.counts.hits + 4;
	fake_publish(&fake, 150);
	fake_flush(&fake, &reports[0]);
	assert_int_equal(reports[0].result.exported, 1);
	assert_int_equal(reports[0].counts.taken, 3);
	assert_int_equal(reports[0].counts.owed - reports[0].counts.hits, 4);
	assert_int_equal(reports[0].flushed, 150);

	push_sample(&fake, 160, ANON_WORD(1));
	make_sample(&record, 170, 42, "worker", NULL, 0, 0);
	record.sample.user_stop = 99;
	fake_push(&fake, &record);
	fake.counts.taken -= 5; /* they arrive, and are dropped later */
	fake.counts.owed = fake.counts.hits + 4;
	fake_publish(&fake, 250);
	fake_flush(&fake, &reports[1]);
	assert_int_equal(reports[1].result.exported, 2);
	assert_int_equal(reports[1].result.drops[TM_DROP_BAD_RECORD], 1);
	assert_int_equal(reports[1].counts.taken, 3);
	assert_int_equal(reports[1].counts.owed, reports[1].counts.hits);

	push_sample(&fake, 260, ANON_WORD(1));
	fake.counts.drops[TM_DROP_SHARED_FULL] = 3;
	fake.counts.taken += 3;
	fake_publish(&fake, 300);
	end(&fake, &reports[2]);
	assert_int_equal(reports[2].result.exported, 1);
	assert_int_equal(reports[2].counts.drops[TM_DROP_SHARED_FULL], 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(reports[i].counts.taken, accounted(&reports[i]));
		assert_string_equal(reports[i].notes, "");
		assert_int_equal(reports[i].refused, i == 2 ? FAKE_FORMATS : 0);
		taken += reports[i].counts.taken;
		exported += reports[i].result.exported;
	}
	assert_int_equal(exported, 4);
	assert_int_equal(taken, fake.counts.taken);
}

static void process_announced_once_has_its_name_in_every_report(void **state)
{
	struct fake fake = {0};
	struct fake_end report;
	char *folded;

	start(&fake);
	push_process(&fake);
	push_file(&fake, 10, 77, "prog\0bin\0");
	push_sample(&fake, 100, FILE_WORD(5, 0x10));
	fake_publish(&fake, 150);
	for (uint64_t i = 1; i <= 3; i++) {
		fake_flush(&fake, &report);
		assert_int_equal(report.outputs, FAKE_FORMATS);
		assert_int_equal(report.result.exported, 1);
		assert_int_equal(report.result.processes, 1);
		assert_string_equal(report.top[0].name, "prog+0x10");
		assert_true(holds(fake.outputs[1], "\"leader\""));
		assert_true(holds(fake.outputs[1], "\"/slice\""));
		folded = fake_folded(&fake);
		assert_string_equal(folded, "worker;prog+0x10 1\n");
		free(folded);
		push_sample(&fake, 100 + 100 * i, FILE_WORD(5, 0x10));
		fake_publish(&fake, 150 + 100 * i);
	}
	end(&fake, &report);
	assert_int_equal(report.result.exported, 1);
}

static void functions_keep_their_names_after_the_first_report(void **state)
{
	struct fake fake = {0};
	struct fake_end report;

	start(&fake);
	push_file(&fake, 10, 77, "prog\0bin\0");
	/* The same addresses again, then more: their symbols are kept, the descriptor is open. */
	for (uint64_t i = 0; i < 3; i++) {
		for (uint64_t at = 0; at < 64; at++)
			push_sample(&fake, 100 + 100 * i,
				    VDSO_WORD(0x400 + 0x20 * at + (i == 2 ? 8 : 0)));
		fake_publish(&fake, 150 + 100 * i);
		fake_flush(&fake, &report);
		assert_int_equal(report.result.exported, 64);
		assert_int_equal(report.result.parsers_lost, 0);
		assert_true(report.result.unnamed_frames < 64);
	}
	end(&fake, &report);
	assert_true(report.result.child_rss_bytes > 0);
}

static void retired_number_is_forgotten_with_its_file(void **state)
{
	struct fake fake = {0};
	struct fake_end report;

	start(&fake);
	push_file(&fake, 10, 77, "prog\0bin\0");
	push_sample(&fake, 100, FILE_WORD(5, 0x10));
	fake_publish(&fake, 150);
	make_retire(&record, 120, 5);
	fake_push(&fake, &record);
	fake_publish(&fake, 160);
	fake_flush(&fake, &report);
	assert_string_equal(report.top[0].name, "prog+0x10");
	push_file(&fake, 170, 78, "next\0bin\0");
	push_sample(&fake, 180, FILE_WORD(5, 0x10));
	fake_publish(&fake, 200);
	fake_flush(&fake, &report);
	assert_string_equal(report.top[0].name, "next+0x10");
	assert_string_equal(report.notes, "");
	end(&fake, &report);
}

static void empty_interval_is_a_report_too(void **state)
{
	struct fake fake = {0};
	struct fake_end report;
	char *folded;

	start(&fake);
	fake_publish(&fake, 100);
	for (int i = 0; i < 2; i++) {
		fake_flush(&fake, &report);
		assert_int_equal(report.outputs, FAKE_FORMATS);
		assert_int_equal(report.counts.taken, 0);
		folded = fake_folded(&fake);
		assert_string_equal(folded, "");
		free(folded);
	}
	end(&fake, &report);
}

static void drops_before_any_w_are_reported_once(void **state)
{
	struct fake fake = {0};
	struct fake_end report;

	start(&fake);
	fake.counts.taken = fake.counts.drops[TM_DROP_RING_FULL] = 7;
	fake_publish(&fake, 0);
	fake_flush(&fake, &report);
	assert_int_equal(report.counts.taken, 7);
	assert_int_equal(report.flushed, 0);
	fake.counts.taken = fake.counts.drops[TM_DROP_RING_FULL] = 9;
	fake_publish(&fake, 100);
	end(&fake, &report);
	assert_int_equal(report.counts.taken, 2);
	assert_string_equal(report.notes, "");
}

static void only_a_regular_file_open_for_writing_is_a_target(void **state)
{
	struct fake fake = {0};
	struct fake_end report;
	int ends[2];
	int readable = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int unwritable = open("/tmp", O_PATH | O_CLOEXEC);

	assert_int_equal(pipe(ends), 0);
	start(&fake);
	fake_target(&fake, 0, readable);
	fake_target(&fake, 1, unwritable);
	fake_target(&fake, 2, ends[1]);
	end(&fake, &report);
	assert_int_equal(report.outputs, FAKE_FORMATS - 3);
	assert_int_equal(report.refused, 3);
	(void)close(readable);
	(void)close(unwritable);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void ends_in_disorder(uint64_t index, int fd)
{
	struct fake fake = {0};
	struct fake_end report;

	start(&fake);
	fake_publish(&fake, 100);
	fake_target(&fake, index, fd);
	fake_end(&fake, &report);
	free(fake_folded(&fake));
	assert_true(WIFEXITED(report.status) && WEXITSTATUS(report.status) == 1);
	assert_int_equal(report.outputs, 0);
	assert_false(report.done);
}

static void target_without_a_descriptor_or_an_output_ends_the_program(void **state)
{
	int memory = memfd_create("target", MFD_CLOEXEC);

	ends_in_disorder(0, -1);
	ends_in_disorder(FAKE_FORMATS, memory);
	ends_in_disorder(UINT64_MAX, memory);
	(void)close(memory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_report_balances_and_all_add_up_to_the_whole),
		cmocka_unit_test(process_announced_once_has_its_name_in_every_report),
		cmocka_unit_test(functions_keep_their_names_after_the_first_report),
		cmocka_unit_test(retired_number_is_forgotten_with_its_file),
		cmocka_unit_test(empty_interval_is_a_report_too),
		cmocka_unit_test(drops_before_any_w_are_reported_once),
		cmocka_unit_test(only_a_regular_file_open_for_writing_is_a_target),
		cmocka_unit_test(target_without_a_descriptor_or_an_output_ends_the_program),
	};

	if (argc != 3)
		return 2;
	program = argv[1];
	parser = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
