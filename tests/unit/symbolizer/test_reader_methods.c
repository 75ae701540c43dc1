/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader_methods - METHOD records are refused with texts too long, and the parts of a line
 * table are taken in the order of their times
 */

#include "tests/unit/symbolizer/reader_fixture.h"

/* The collector checks the sum alone. */
static void method_with_a_text_too_long_is_refused(void **state)
{
	static char class[TM_METHOD_CLASS_MAX + 2];

	memset(class, 'a', sizeof(class) - 1);
	make_java_method(&record, 7, class, "run", "()V");
	push();
	make_java_method(&record, 8, class + 1, "run", "()V");
	push();
	tm_ring_publish(&writer, 100);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(reader.bad_records, 1);
	assert_int_equal(recording.methods.announced, 1);
	assert_non_null(methods_find(&recording.methods, 8));
}

static void make_part(unsigned part, uint64_t ktime, uint16_t cpu, uint16_t flags)
{
	static const char lines[TM_METHOD_LINES_MAX];

	make_method(&record, 7, part ? "" : "work", part ? "" : "/srv/work.py", lines,
		    sizeof(lines));
	record.method.lines_part = (uint16_t)part;
	record.method.flags = flags;
	record.event.ktime = ktime;
	record.event.cpu = cpu;
}

static void push_part(unsigned part, uint64_t ktime, uint16_t cpu, uint16_t flags)
{
	make_part(part, ktime, cpu, flags);
	push();
}

static uint32_t lines_of(uint64_t number)
{
	const struct method *method = methods_find(&recording.methods, number);

	return method ? method->content.bytes - method->content.lines : 0;
}

/* The thread moved from CPU 1, whose ring is read last, to CPU 0. */
static void parts_may_lie_in_the_rings_of_two_cpus(void **state)
{
	push_part(2, 30, 0, 0);
	push_part(0, 10, 1, TM_METHOD_LINES_CUT);
	push_part(1, 20, 1, TM_METHOD_LINES_CUT);
	tm_ring_publish(&writer, 25);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(lines_of(7), 2 * TM_METHOD_LINES_MAX);
	tm_ring_publish(&writer, 40);
	assert_int_equal(reader_round(&reader), 0);
	assert_int_equal(lines_of(7), 3 * TM_METHOD_LINES_MAX);
	assert_int_equal(recording.methods.conflicts, 0);
}

/* It cannot wait; the methods do not see it. */
static void part_without_memory_is_counted(void **state)
{
	struct budget none = {.limit = 0};

	reader.order.budget = &none;
	make_part(1, 10, 0, 0);
	memcpy(reader.record, &record, record.event.bytes);
	reader_record(&reader, record.event.bytes);
	assert_int_equal(reader.announces_lost, 1);
	assert_int_equal(recording.methods.announced, 0);
}

#define with_ring(test) cmocka_unit_test_setup_teardown(test, make_ring, end_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_ring(method_with_a_text_too_long_is_refused),
		with_ring(parts_may_lie_in_the_rings_of_two_cpus),
		with_ring(part_without_memory_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
