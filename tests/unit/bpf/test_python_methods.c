/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_python_methods - a function is announced once in an epoch, with what its memory holds, and
 * has another number when it is another function
 */

#include <string.h>

#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/python_process.h"

static void one_function(void)
{
	python_process_frame(0, FIRST_ENTRY, PYTHON_CODE(0), 7, 0);
	python_process_entry(FIRST_ENTRY, 0);
	python_process_runs(PYTHON_FRAME(0));
}

/* Return: the number of the sampled function. */
static uint64_t take(void)
{
	sampled_take();
	return python_process_number(0);
}

static void expect_text(const char *text, size_t bytes, const char *expected)
{
	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(text, expected, bytes);
}

static void record_has_name_file_and_lines(void **state)
{
	const struct tm_method *method;
	uint64_t number;

	one_function();
	number = take();
	method = bpf_maps_method();
	assert_non_null(method);
	assert_int_equal(method->number, number);
	assert_int_equal(method->runtime, TM_RUNTIME_PYTHON);
	assert_int_equal(method->version, 0x030d);
	assert_int_equal(method->first_line, 10);
	assert_int_equal(method->flags, 0);
	assert_int_equal(method->name_width, 1);
	assert_int_equal(method->file_width, 1);
	assert_int_equal(method->event.tgid, 100);
	expect_text(method->text, method->name_bytes, "inner");
	expect_text(method->text + method->name_bytes, method->file_bytes, "/srv/program.py");
	expect_text(method->text + method->name_bytes + method->file_bytes, method->lines_bytes,
		    "\x80\1\2");
}

static void function_is_announced_once_in_an_epoch(void **state)
{
	uint64_t number;

	one_function();
	number = take();
	assert_int_equal(take(), number);
	assert_int_equal(bpf_maps_records(TM_EVENT_METHOD), 1);
	bpf_host_clock(TM_EPOCH_NS);
	assert_int_equal(take(), number);
	assert_true(bpf_maps_records(TM_EVENT_METHOD) > 1);
}

/* Each of these alone makes it another function at the same address. */
static void another_function_at_its_address_has_another_number(void **state)
{
	static const uint32_t changes[] = {0x40, 0x48, 0x50, 0x58};
	uint64_t number, next;

	one_function();
	number = take();
	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		sampled_store(PYTHON_CODE(0) + changes[i], PYTHON_TEXT(1) + 0x1000ull * i);
		next = take();
		assert_true(next > number);
		number = next;
	}
	sampled_store(PYTHON_TEXT(1) + 0x1000 + 0x18, 99); /* the hash of its name */
	assert_true(take() > number);
}

static void long_name_keeps_its_beginning_and_long_path_its_end(void **state)
{
	char text[TM_METHOD_NAME_MAX + 100];
	const struct tm_method *method;

	one_function();
	memset(text, 'a', sizeof(text));
	text[0] = '<';
	text[sizeof(text) - 2] = '>';
	text[sizeof(text) - 1] = '\0';
	python_process_string(PYTHON_TEXT(0), text);
	python_process_string(PYTHON_TEXT(0) + 0x1000, text);
	take();
	method = bpf_maps_method();
	assert_int_equal(method->flags, TM_METHOD_NAME_CUT | TM_METHOD_FILE_CUT);
	assert_int_equal(method->name_bytes, TM_METHOD_NAME_MAX);
	assert_int_equal(method->file_bytes, TM_METHOD_FILE_MAX);
	assert_int_equal(method->text[0], '<');
	assert_int_equal(method->text[TM_METHOD_NAME_MAX + TM_METHOD_FILE_MAX - 1], '>');
}

/* Where its line table goes on after so many parts. */
static uint64_t table_at(unsigned part)
{
	return PYTHON_TEXT(0) + 0x2020 + (uint64_t)TM_METHOD_LINES_MAX * part;
}

#define PART_NS (1ull << 20) /* after which the next part may come */

/* Samples again. */
static const struct tm_method *expect_part(unsigned part, unsigned flags, unsigned bytes)
{
	const struct tm_method *method;
	unsigned records = bpf_maps_records(TM_EVENT_METHOD);
	const uint64_t number = (sampled_once(), python_process_number(0));

	bpf_host_pass(PART_NS);
	assert_int_equal(bpf_maps_records(TM_EVENT_METHOD), records + 1);
	method = bpf_maps_method();
	assert_int_equal(method->number, number);
	assert_int_equal(method->runtime, TM_RUNTIME_PYTHON);
	assert_int_equal(method->first_line, 10);
	assert_int_equal(method->lines_part, part);
	assert_int_equal(method->flags, flags);
	assert_int_equal(method->lines_bytes, bytes);
	if (bytes)
		assert_int_equal(method->text[method->name_bytes + method->file_bytes], '0' + part);
	assert_int_equal(method->name_bytes, part ? 0 : strlen("inner"));
	return method;
}

/* A process whose function has a line table of so many bytes, of which nothing is announced. */
static void long_function(uint64_t bytes)
{
	one_function();
	take();
	sampled_store(PYTHON_TEXT(0) + 0x2010, bytes);
	for (unsigned i = 0; i <= TM_METHOD_PARTS; i++)
		sampled_store(table_at(i), '0' + i);
	bpf_host_pass(TM_EPOCH_NS);
}

static void expect_no_record(void)
{
	unsigned records = bpf_maps_records(TM_EVENT_METHOD);

	sampled_once();
	assert_int_equal(bpf_maps_records(TM_EVENT_METHOD), records);
}

static void long_line_table_comes_in_parts(void **state)
{
	long_function(2 * TM_METHOD_LINES_MAX + 10);
	expect_part(0, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_part(1, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_part(2, 0, 10);
	expect_no_record();
	bpf_host_pass(TM_EPOCH_NS);
	expect_part(0, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
}

/* The reader takes them in the order of their times. */
static void part_is_of_a_later_time_than_the_one_before(void **state)
{
	long_function(2 * TM_METHOD_LINES_MAX);
	sampled_once();
	expect_no_record();
	bpf_host_pass(PART_NS);
	expect_part(1, 0, TM_METHOD_LINES_MAX);
}

static void line_table_of_whole_parts_has_no_empty_one(void **state)
{
	long_function(2 * TM_METHOD_LINES_MAX);
	expect_part(0, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_part(1, 0, TM_METHOD_LINES_MAX);
}

static void longer_line_table_keeps_its_beginning(void **state)
{
	long_function(1u << 20);
	for (unsigned i = 0; i + 1 < TM_METHOD_PARTS; i++)
		expect_part(i, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_part(TM_METHOD_PARTS - 1, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_no_record();
}

/* A part that is not in memory comes later, and no part before it again. */
static void part_that_is_not_in_memory_comes_later(void **state)
{
	const uint64_t end = SAMPLED_DATA + SAMPLED_BYTES;

	long_function(2 * TM_METHOD_LINES_MAX);
	sampled_store(PYTHON_CODE(0) + 0x50, end - TM_METHOD_LINES_MAX - 0x20);
	sampled_store(end - TM_METHOD_LINES_MAX - 0x10, 2 * TM_METHOD_LINES_MAX);
	sampled_store(end - TM_METHOD_LINES_MAX, '0');
	expect_part(0, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_part(1, TM_METHOD_NOT_RESIDENT, 0);
	bpf_host_pass(TM_EPOCH_NS);
	expect_part(1, TM_METHOD_NOT_RESIDENT, 0);
}

static void line_table_that_became_shorter_ends(void **state)
{
	long_function(2 * TM_METHOD_LINES_MAX);
	expect_part(0, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	sampled_store(PYTHON_TEXT(0) + 0x2010, 5);
	expect_part(1, 0, 0);
	bpf_host_pass(TM_EPOCH_NS);
	expect_part(0, 0, 5);
}

/* While the second part is read, the last one is written elsewhere. */
static void announce_elsewhere(uint64_t address, uint32_t bytes)
{
	if (address == table_at(1))
		program_method_announced(bpf_maps_first_method(), bpf_maps_sample()->event.ktime);
}

static void parts_begin_anew_if_another_cpu_has_written_the_last(void **state)
{
	long_function(2 * TM_METHOD_LINES_MAX + 10);
	expect_part(0, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	bpf_host_before_read(announce_elsewhere);
	expect_part(1, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	bpf_host_before_read(NULL);
	expect_no_record();
	bpf_host_pass(TM_EPOCH_NS);
	expect_part(0, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_part(1, TM_METHOD_LINES_CUT, TM_METHOD_LINES_MAX);
	expect_part(2, 0, 10);
}

static void wide_string_has_its_width(void **state)
{
	one_function();
	sampled_store(PYTHON_TEXT(0) + 0x20, 2u | 1u << 3);
	take();
	assert_int_equal(bpf_maps_method()->name_width, 2);
	assert_int_equal(bpf_maps_method()->name_bytes, 2 * strlen("inner"));
}

static void string_of_an_unknown_kind_is_left_out(void **state)
{
	static const uint32_t states[] = {0, 3u | 1u << 3, 1, 7u | 1u << 3};

	one_function();
	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		sampled_store(PYTHON_TEXT(0) + 0x20, states[i]);
		sampled_store(PYTHON_TEXT(0) + 0x18, i); /* another function */
		take();
		assert_int_equal(bpf_maps_method()->name_bytes, 0);
		assert_int_equal(bpf_maps_method()->flags, TM_METHOD_NOT_RESIDENT);
	}
}

/* Its name is announced as soon as it is there, but not with each sample until then. */
static void name_that_is_not_in_memory_is_announced_later(void **state)
{
	const uint64_t away = 0x7000000000ull;
	unsigned records;
	uint64_t number;

	one_function();
	sampled_store(PYTHON_CODE(0) + 0x48, away);
	number = take();
	assert_int_equal(bpf_maps_method()->flags, TM_METHOD_NOT_RESIDENT);
	assert_int_equal(bpf_maps_method()->name_bytes, 0);
	records = bpf_maps_records(TM_EVENT_METHOD);
	take();
	assert_int_equal(bpf_maps_records(TM_EVENT_METHOD), records);
	bpf_host_memory(away, 0x1000);
	python_process_string(away, "late");
	sampled_store(away + 0x18, 0); /* as it was read before */
	bpf_host_clock(1000000000);
	assert_int_equal(take(), number);
	assert_int_equal(bpf_maps_method()->flags, 0);
	expect_text(bpf_maps_method()->text, bpf_maps_method()->name_bytes, "late");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define PYTHON_TEST(name) cmocka_unit_test_setup(name, python_process_make)
		PYTHON_TEST(record_has_name_file_and_lines),
		PYTHON_TEST(function_is_announced_once_in_an_epoch),
		PYTHON_TEST(another_function_at_its_address_has_another_number),
		PYTHON_TEST(long_name_keeps_its_beginning_and_long_path_its_end),
		PYTHON_TEST(long_line_table_comes_in_parts),
		PYTHON_TEST(part_is_of_a_later_time_than_the_one_before),
		PYTHON_TEST(line_table_of_whole_parts_has_no_empty_one),
		PYTHON_TEST(longer_line_table_keeps_its_beginning),
		PYTHON_TEST(part_that_is_not_in_memory_comes_later),
		PYTHON_TEST(parts_begin_anew_if_another_cpu_has_written_the_last),
		PYTHON_TEST(line_table_that_became_shorter_ends),
		PYTHON_TEST(wide_string_has_its_width),
		PYTHON_TEST(string_of_an_unknown_kind_is_left_out),
		PYTHON_TEST(name_that_is_not_in_memory_is_announced_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
