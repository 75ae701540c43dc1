/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_event_check - malformed records are refused, valid ones are accepted
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared/event_check_ring.h"
#include "tests/unit/symbolizer/make.h"

static union make_record record;
static const uint64_t words[] = {KERNEL_WORD(0, 16), FILE_WORD(3, 0x40), VDSO_WORD(1), ANON_WORD(2),
				 UNRESOLVED_WORD(TM_UNRESOLVED_N - 1)};

static int check(void)
{
	return tm_event_check_from_ring(&record, record.event.bytes);
}

static void value_of_an_on_cpu_sample_has_a_limit(void **state)
{
	make_sample(&record, 1, 2, "c", words, 1, 4);
	record.sample.value = TM_ON_CPU_VALUE_MAX;
	assert_int_equal(check(), 0);
	record.sample.value++;
	assert_int_equal(check(), -EBADMSG);
}

static void valid_records_pass(void **state)
{
	make_sample(&record, 1, 2, "c", words, 1, 4);
	assert_int_equal(check(), 0);
	make_sample(&record, 1, 2, "c", NULL, 0, 0);
	assert_int_equal(check(), 0);
	make_process(&record, 1, "c", TM_FILE_NONE, "", 0, "a\0", 2);
	assert_int_equal(check(), 0);
	make_file(&record, TM_FRAME_FILE_MAX, 1, "ls\0bin\0", 7);
	assert_int_equal(check(), 0);
	make_exit(&record, 1, 1);
	assert_int_equal(check(), 0);
}

static void length_must_be_that_of_the_copy(void **state)
{
	make_exit(&record, 1, 1);
	for (uint32_t bytes = 0; bytes < sizeof(struct tm_exit); bytes += 8)
		assert_int_equal(tm_event_check_from_ring(&record, bytes), -EBADMSG);
	record.event.bytes += 8;
	assert_int_equal(check(), -EBADMSG);
	record.event.bytes = TM_EVENT_MAX_BYTES + 8;
	assert_int_equal(check(), -EBADMSG);
}

static void unknown_type_is_bad(void **state)
{
	make_exit(&record, 1, 1);
	for (uint16_t type = 0; type < 9; type++) {
		record.event.type = type;
		assert_int_equal(check(), type == TM_EVENT_EXIT ? 0 : -EBADMSG);
	}
}

static void frame_counts_must_fill_the_record(void **state)
{
	make_sample(&record, 1, 2, "c", words, 1, 4);
	record.sample.user_frames = 5;
	assert_int_equal(check(), -EBADMSG);
	record.sample.user_frames = 3;
	assert_int_equal(check(), -EBADMSG);
	record.sample.user_frames = 0xffff;
	record.sample.kernel_frames = 0xffff;
	assert_int_equal(check(), -EBADMSG);
}

static void frames_of_another_kind_are_bad(void **state)
{
	make_sample(&record, 1, 2, "c", words, 1, 4);
	record.sample.frames[0] = words[1];
	assert_int_equal(check(), -EBADMSG);
	make_sample(&record, 1, 2, "c", words, 1, 4);
	record.sample.frames[1] = words[0];
	assert_int_equal(check(), -EBADMSG);
	record.sample.frames[1] = 0;
	assert_int_equal(check(), -EBADMSG);
	record.sample.frames[1] = UNRESOLVED_WORD(TM_UNRESOLVED_N);
	assert_int_equal(check(), -EBADMSG);
}

static void reasons_out_of_range_are_bad(void **state)
{
	make_sample(&record, 1, 2, "c", words, 1, 4);
	record.sample.user_stop = TM_STOP_N;
	assert_int_equal(check(), -EBADMSG);
	record.sample.user_stop = 0;
	record.sample.kernel_stop = TM_STOP_N;
	assert_int_equal(check(), -EBADMSG);
}

static void names_must_fill_the_record(void **state)
{
	make_process(&record, 1, "c", 4, "ls\0bin\0", 7, "a\0b\0", 4);
	assert_int_equal(check(), 0);
	record.process.path_bytes += 8;
	assert_int_equal(check(), -EBADMSG);
	record.process.path_bytes = 0xffff;
	record.process.cgroup_bytes = 0xffff;
	assert_int_equal(check(), -EBADMSG);
	make_process(&record, 1, "c", TM_FRAME_FILE_MAX + 1, "", 0, "", 0);
	assert_int_equal(check(), -EBADMSG);
	make_file(&record, TM_FRAME_FILE_MAX + 1, 1, "", 0);
	assert_int_equal(check(), -EBADMSG);
	make_file(&record, 1, 1, "ls\0", 3);
	record.file.path_bytes = 60;
	assert_int_equal(check(), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_records_pass),
		cmocka_unit_test(value_of_an_on_cpu_sample_has_a_limit),
		cmocka_unit_test(length_must_be_that_of_the_copy),
		cmocka_unit_test(unknown_type_is_bad),
		cmocka_unit_test(frame_counts_must_fill_the_record),
		cmocka_unit_test(frames_of_another_kind_are_bad),
		cmocka_unit_test(reasons_out_of_range_are_bad),
		cmocka_unit_test(names_must_fill_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
