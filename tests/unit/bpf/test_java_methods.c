/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_methods - a Java method is announced once in an epoch, with what the memory of its
 * process says, and has another number when it is another method
 */

#include <stdio.h>
#include <string.h>

#include "tests/unit/bpf/java_stack.h"

#define REMEMBERED_NS (1ull << 30) /* ns: as long as compiled code is remembered */
#define LAYOUT        (&sampled.runtime.java)
#define AWAY          0x7000000000ull /* no memory, at first */

static int make(void **state)
{
	const struct java_blob blob = {
		.title = "nmethod", .words = JAVA_WORDS, .bytes = 0x100, .method = 1};

	java_process_make(state);
	java_stack_make(JAVA_CODE(java_process_blob(1, &blob)) + 0x40);
	java_process_met();
	return 0;
}

/* Return: the number of the sampled method. */
static uint64_t take(void)
{
	sampled_take();
	return java_stack_number();
}

/* Samples. Return: the record of the method. */
static const struct tm_method *take_record(void)
{
	const struct tm_method *method = bpf_maps_method_of(take());

	assert_non_null(method);
	return method;
}

/* One of the texts, in the order of enum java_symbol_of. */
static const char *text_of(const struct tm_method *method, enum java_symbol_of which,
			   uint32_t *ret_bytes)
{
	const uint32_t bytes[JAVA_OF_N] = {method->class_bytes, method->name_bytes,
					   method->signature_bytes, method->file_bytes};
	const char *text = method->text;

	for (unsigned i = 0; i < which; i++)
		text += bytes[i];
	*ret_bytes = bytes[which];
	return text;
}

static void expect_text(const struct tm_method *method, enum java_symbol_of which,
			const char *expected)
{
	uint32_t bytes;
	const char *text = text_of(method, which, &bytes);

	assert_int_equal(bytes, strlen(expected));
	assert_memory_equal(text, expected, bytes);
}

/* --- records ---------------------------------------------------------------------------------- */

static void expect_record(void)
{
	uint64_t number = take();
	const struct tm_method *method = bpf_maps_method_of(number);
	uint32_t bytes;

	assert_non_null(method);
	assert_int_equal(method->number, number);
	assert_int_equal(method->runtime, TM_RUNTIME_JAVA);
	assert_int_equal(method->version, sampled.runtime.version);
	assert_int_equal(method->flags, 0);
	assert_int_equal(method->name_width, 1);
	assert_int_equal(method->file_width, 1);
	assert_int_equal(method->event.tgid, 100);
	expect_text(method, JAVA_OF_CLASS, "org/example/Program");
	expect_text(method, JAVA_OF_NAME, "inner");
	expect_text(method, JAVA_OF_SIGNATURE, "(I)V");
	expect_text(method, JAVA_OF_FILE, "Program.java");
	assert_int_equal(method->lines_bytes, 8);
	assert_memory_equal(text_of(method, JAVA_OF_FILE, &bytes) + bytes, "\x80\1\2\0", 5);
}

static void record_has_all_texts_in_each_layout(void **state)
{
	const struct java_blob blob = {
		.title = "nmethod", .words = JAVA_WORDS, .bytes = 0x100, .method = 1};

	for (uint16_t scopes = 0; scopes < TM_JAVA_SCOPES_N; scopes++) {
		java_process_make_as(scopes);
		java_stack_make(JAVA_CODE(java_process_blob(1, &blob)) + 0x40);
		java_process_met();
		expect_record();
	}
}

static void method_is_announced_once_in_an_epoch(void **state)
{
	uint64_t number = take();
	unsigned records = bpf_maps_records(TM_EVENT_METHOD);

	assert_int_equal(take(), number);
	assert_int_equal(bpf_maps_records(TM_EVENT_METHOD), records);
	bpf_host_clock(TM_EPOCH_NS);
	assert_int_equal(take(), number);
	assert_true(bpf_maps_records(TM_EVENT_METHOD) > records);
}

static void method_without_lines_or_file_has_none(void **state)
{
	java_process_put(JAVA_CONST(1) + LAYOUT->const_flags, 0x10, 2);
	java_process_put(JAVA_POOL(1) + LAYOUT->pool_file, 0, 2);
	assert_int_equal(take_record()->lines_bytes, 0);
	assert_int_equal(take_record()->file_bytes, 0);
	assert_int_equal(take_record()->flags, 0);
}

/* That of a size which ends before its code. */
static void method_whose_size_cannot_be_has_no_lines(void **state)
{
	java_process_put(JAVA_CONST(1) + LAYOUT->const_words,
			 (LAYOUT->const_code + JAVA_BYTECODES) / 8, 4);
	assert_int_equal(take_record()->lines_bytes, 0);
	assert_int_equal(take_record()->flags, 0);
}

static void long_line_table_comes_in_parts(void **state)
{
	const uint64_t before = LAYOUT->const_code + JAVA_BYTECODES;
	const struct tm_method *method;

	java_process_put(JAVA_CONST(1) + LAYOUT->const_words,
			 (before + TM_METHOD_LINES_MAX + 16) / 8, 4);
	java_process_put(JAVA_CONST(1) + before + TM_METHOD_LINES_MAX, 'x', 1);
	(void)take_record();
	bpf_host_pass(1ull << 20);
	method = take_record();
	assert_int_equal(method->lines_part, 1);
	assert_int_equal(method->flags, 0);
	assert_int_equal(method->lines_bytes, 16);
	assert_int_equal(method->text[0], 'x');
	assert_int_equal(method->class_bytes + method->name_bytes + method->signature_bytes +
				 method->file_bytes,
			 0);
}

static void set_symbol(enum java_symbol_of which, uint64_t symbol)
{
	uint64_t entries = JAVA_POOL(1) + LAYOUT->pool_entries;

	if (which == JAVA_OF_CLASS)
		sampled_store(JAVA_KLASS(1) + LAYOUT->class_name, symbol);
	else
		sampled_store(entries + 8 * (2ull + which), symbol);
}

/* A symbol is 64 KiB at most. */
static void long_text_keeps_its_beginning(void **state)
{
	static const uint32_t most[] = {TM_METHOD_CLASS_MAX, TM_METHOD_NAME_MAX,
					TM_METHOD_SIGNATURE_MAX, TM_METHOD_FILE_MAX};
	static const uint32_t flags[] = {TM_METHOD_CLASS_CUT, TM_METHOD_NAME_CUT,
					 TM_METHOD_SIGNATURE_CUT, TM_METHOD_FILE_CUT};

	for (uint32_t i = 0; i < JAVA_OF_N; i++) {
		uint32_t bytes;

		make(state);
		bpf_host_memory(AWAY, 0x20000);
		java_process_put(AWAY + LAYOUT->symbol_length, most[i] + (i & 1 ? 1 : 0xf000), 2);
		java_process_put(AWAY + LAYOUT->symbol_text, '<', 1);
		set_symbol(i, AWAY);
		assert_int_equal(*text_of(take_record(), i, &bytes), '<');
		assert_int_equal(bytes, most[i]);
		assert_int_equal(take_record()->flags, flags[i]);
		assert_int_equal(take_record()->event.bytes % 8, 0);
	}
}

/* --- what is not in memory -------------------------------------------------------------------- */

/* Announced as soon as it is there, but not with each sample until then. */
static void expect_late(enum java_symbol_of which, uint64_t symbol)
{
	uint64_t number;
	unsigned records;
	uint32_t bytes;

	set_symbol(which, symbol);
	number = take();
	records = bpf_maps_records(TM_EVENT_METHOD);
	text_of(bpf_maps_method_of(number), which, &bytes);
	assert_int_equal(bytes, 0);
	assert_int_equal(bpf_maps_method_of(number)->flags, TM_METHOD_NOT_RESIDENT);
	take();
	assert_int_equal(bpf_maps_records(TM_EVENT_METHOD), records);
	bpf_host_memory(AWAY + 0x1000, 0x1000);
	java_process_symbol(symbol, "late");
	bpf_host_clock(TM_NS_PER_SECOND);
	assert_int_equal(take(), number);
	bpf_host_clock(0);
	assert_int_equal(bpf_maps_method_of(number)->flags, 0);
	expect_text(bpf_maps_method_of(number), which, "late");
}

/* All of it, or what lies in the next page. */
static void text_that_is_not_in_memory_is_announced_later(void **state)
{
	static const enum java_symbol_of texts[] = {JAVA_OF_SIGNATURE, JAVA_OF_FILE};

	for (unsigned i = 0; i < 2; i++) {
		make(state);
		expect_late(texts[i], AWAY + 0x1000);
		make(state);
		bpf_host_memory(AWAY, 0x1000);
		java_process_put(AWAY + 0xff8 + LAYOUT->symbol_length, 4, 2);
		expect_late(texts[i], AWAY + 0xff8);
	}
}

static void line_table_that_is_not_in_memory_is_left_empty(void **state)
{
	java_process_put(JAVA_CONST(1) + LAYOUT->const_words, 1u << 20, 4);
	java_process_put(JAVA_CONST(1) + LAYOUT->const_code_bytes, 0xffff, 2);
	bpf_host_memory(AWAY, 0x1000);
	sampled_store(JAVA_METHOD(1) + LAYOUT->method_const, AWAY);
	java_process_put(AWAY + LAYOUT->const_flags, LAYOUT->const_lines, 2);
	java_process_put(AWAY + LAYOUT->const_words, 1u << 20, 4);
	java_process_put(AWAY + LAYOUT->const_code_bytes, 0xffff, 2);
	java_process_put(AWAY + LAYOUT->const_name, 3, 2);
	java_process_put(AWAY + LAYOUT->const_signature, 4, 2);
	sampled_store(AWAY + LAYOUT->const_pool, JAVA_POOL(1));
	assert_int_equal(take_record()->lines_bytes, 0);
	assert_true(take_record()->flags & TM_METHOD_NOT_RESIDENT);
	expect_text(take_record(), JAVA_OF_NAME, "inner");
}

/* Neither has a number by which it could be known again. */
static void method_without_name_or_class_has_no_number(void **state)
{
	for (unsigned which = JAVA_OF_CLASS; which <= JAVA_OF_NAME; which++) {
		make(state);
		set_symbol(which, AWAY);
		assert_int_equal(take(), TM_RUNTIME_NUMBER_JAVA);
		java_stack_expect("1000, -@?, " JAVA_STACK_END);
	}
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Each of these alone makes it another method at the same address. */
static void another_method_at_its_address_has_another_number(void **state)
{
	uint64_t number = take(), next;

	for (unsigned i = 0; i < 6; i++) {
		if (i == 0) /* the same addresses, another text */
			bpf_host_write(JAVA_SYMBOL(1, JAVA_OF_CLASS) + LAYOUT->symbol_text,
				       "org/example/Another", 19);
		else if (i == 1)
			bpf_host_write(JAVA_SYMBOL(1, JAVA_OF_NAME) + LAYOUT->symbol_text, "other",
				       5);
		else if (i == 2)
			set_symbol(JAVA_OF_CLASS, JAVA_SYMBOL(2, JAVA_OF_CLASS));
		else if (i == 3)
			set_symbol(JAVA_OF_NAME, JAVA_SYMBOL(2, JAVA_OF_NAME));
		else if (i == 4)
			java_process_put(JAVA_CONST(1) + LAYOUT->const_signature, 5, 2);
		else
			java_process_put(JAVA_CONST(1) + LAYOUT->const_code_bytes, 8, 2);
		bpf_host_pass(REMEMBERED_NS);
		next = take();
		assert_true(next > number);
		assert_int_equal(take(), next);
		number = next;
	}
}

/* Short names are told apart, too. */
static void name_of_each_length_is_its_own(void **state)
{
	char name[16] = "";
	uint64_t number = 0, next;

	for (unsigned i = 1; i < 12; i++) {
		name[i - 1] = 'a';
		java_process_symbol(JAVA_SYMBOL(1, JAVA_OF_NAME), name);
		bpf_host_pass(REMEMBERED_NS);
		next = take();
		assert_true(next > number);
		number = next;
	}
}

/* --- stubs ------------------------------------------------------------------------------------ */

static uint64_t make_stub(const char *title)
{
	const struct java_blob blob = {
		.title = title, .words = JAVA_WORDS, .complete = 4, .bytes = 0x80};

	java_process_make(NULL);
	java_stack_make(JAVA_CODE(java_process_blob(0, &blob)) + 0x21);
	java_process_met();
	return take();
}

static void record_of_a_stub_has_its_name_alone(void **state)
{
	uint64_t number = make_stub("RuntimeStub - new_instance");
	const struct tm_method *method = bpf_maps_method_of(number);

	assert_non_null(method);
	assert_int_equal(method->runtime, TM_RUNTIME_JAVA);
	assert_int_equal(method->version, sampled.runtime.version);
	assert_int_equal(method->flags, TM_METHOD_STUB);
	expect_text(method, JAVA_OF_NAME, "RuntimeStub - new_instance");
	assert_int_equal(method->class_bytes + method->signature_bytes + method->file_bytes +
				 method->lines_bytes,
			 0);
	assert_int_equal(take(), number);
}

static void long_name_of_a_stub_keeps_its_beginning(void **state)
{
	char title[200];

	memset(title, 'a', sizeof(title));
	title[sizeof(title) - 1] = '\0';
	assert_int_equal(bpf_maps_method_of(make_stub(title))->name_bytes, 127);
}

static void stub_without_a_name_is_announced_as_such(void **state)
{
	uint64_t number = make_stub("");

	assert_int_not_equal(number, 0);
	assert_int_equal(bpf_maps_method_of(number)->name_bytes, 0);
	assert_int_equal(bpf_maps_method_of(number)->flags,
			 TM_METHOD_STUB | TM_METHOD_NOT_RESIDENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define JAVA_TEST(name) cmocka_unit_test_setup(name, make)
		JAVA_TEST(record_has_all_texts_in_each_layout),
		JAVA_TEST(method_is_announced_once_in_an_epoch),
		JAVA_TEST(method_without_lines_or_file_has_none),
		JAVA_TEST(method_whose_size_cannot_be_has_no_lines),
		JAVA_TEST(long_line_table_comes_in_parts),
		JAVA_TEST(long_text_keeps_its_beginning),
		JAVA_TEST(text_that_is_not_in_memory_is_announced_later),
		JAVA_TEST(line_table_that_is_not_in_memory_is_left_empty),
		JAVA_TEST(method_without_name_or_class_has_no_number),
		JAVA_TEST(another_method_at_its_address_has_another_number),
		JAVA_TEST(name_of_each_length_is_its_own),
		JAVA_TEST(record_of_a_stub_has_its_name_alone),
		JAVA_TEST(long_name_of_a_stub_keeps_its_beginning),
		JAVA_TEST(stub_without_a_name_is_announced_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
