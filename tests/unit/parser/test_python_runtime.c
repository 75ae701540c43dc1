/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_python_runtime - a file with CPython's interpreter is described; any other one is not
 */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shared/unwind_table.h"
#include "symbolizer/parser/python/python_loop.h"
#include "symbolizer/parser/unwind_compile.h"
#include "tests/unit/parser/python_builder.h"

#define LOOP     PYTHON_BUILDER_LOOP
#define LOOP_END (LOOP + PYTHON_BUILDER_LOOP_BYTES)
#define COLD     0x4000u
#define AWAY     0x700000u /* an address in no segment */

static struct python_builder builder;
static struct result_blob result;
static struct tm_unwind_table_view view;

static const struct tm_runtime *compile(void)
{
	result_blob_free(&result);
	assert_int_equal(cfi_builder_compile(&builder.elf, &result), PARSER_OK);
	assert_int_equal(tm_unwind_table_check(&view, result.data, result.bytes), 0);
	return view.runtime;
}

/* The table is there, without a description. */
static void expect_none(void)
{
	assert_null(compile());
	assert_true(view.header->pages > 0);
}

static const struct tm_runtime *expect_version(uint32_t version)
{
	const struct tm_runtime *runtime = compile();

	assert_non_null(runtime);
	assert_int_equal(runtime->kind, TM_RUNTIME_PYTHON);
	assert_int_equal(runtime->version, version);
	return runtime;
}

static Elf64_Sym *symbol(enum python_builder_symbol number)
{
	return &builder.content->symbols[number];
}

static int teardown(void **state)
{
	result_blob_free(&result);
	return 0;
}

static void each_known_version_is_described(void **state)
{
	for (uint32_t minor = 8; minor <= 14; minor++) {
		const struct tm_runtime *runtime;

		python_builder_open(&builder, 0x030002f0 | minor << 16);
		runtime = expect_version(0x0300 | minor);
		assert_int_equal(CFI_BUILDER_DELTA + runtime->state,
				 symbol(PYTHON_BUILDER_STATE)->st_value);
		assert_int_equal(runtime->loops[0].start, LOOP);
		assert_int_equal(runtime->loops[0].end, LOOP_END);
		assert_int_equal(runtime->loops[1].end, 0);
		assert_int_equal(runtime->python.entry, minor <= 10   ? TM_PYTHON_ONE
							: minor == 11 ? TM_PYTHON_FLAG
								      : TM_PYTHON_OWNER);
	}
}

static void versions_that_are_not_known_have_no_description(void **state)
{
	static const uint32_t versions[] = {0x02070ff0, 0x030710f0, 0x031000f0, 0x030e00b4,
					    0x030d00c2, 0x040b02f0, 0};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		python_builder_open(&builder, versions[i]);
		expect_none();
	}
	python_builder_open(&builder, 0x030b02f0);
	builder.content->version |= 1ull << 48;
	expect_none();
}

static void from_3_13_on_the_file_says_the_offsets(void **state)
{
	const struct tm_runtime *runtime;

	python_builder_open(&builder, 0x030d00f0);
	runtime = expect_version(0x030d);
	assert_int_equal(runtime->python.runtime_interpreters, 8 * 5);
	assert_int_equal(runtime->python.thread_frame, 8 * 23);
	assert_int_equal(runtime->python.code_instructions, 8 * 43);
	assert_int_equal(runtime->python.chain_frame, TM_RUNTIME_NONE);
	python_builder_open(&builder, 0x030e00f0);
	runtime = expect_version(0x030e);
	assert_int_equal(runtime->python.thread_frame, 8 * 26);
	assert_int_equal(runtime->python.string_ascii, 8 * 80);
	python_builder_open(&builder, 0x030f00f0);
	runtime = expect_version(0x030f);
	assert_int_equal(runtime->python.thread_id, 8 * 30);
	assert_int_equal(runtime->python.frame_owner, 8 * 44);
	assert_int_equal(runtime->python.string_ascii, 8 * 92);
}

static void offsets_that_make_no_sense_have_no_description(void **state)
{
	python_builder_open(&builder, 0x030d00f0);
	memcpy(&builder.content->state[0], "xdebugpx", 8);
	expect_none();
	python_builder_open(&builder, 0x030d00f0);
	builder.content->state[1] = 0x030e00f0; /* another version */
	expect_none();
	python_builder_open(&builder, 0x030d00f0);
	builder.content->state[5] = TM_RUNTIME_NONE;
	expect_none();
	python_builder_open(&builder, 0x030d00f0);
	builder.elf.segments[1].p_filesz = /* the file ends amid them */
		PYTHON_BUILDER_CONTENT + sizeof(*builder.content) - 256 - CFI_BUILDER_DATA;
	expect_none();
}

static void objects_of_threads_without_a_lock_are_longer(void **state)
{
	const struct tm_runtime *runtime;

	python_builder_open(&builder, 0x030d00f0);
	builder.content->state[2] = 1;
	runtime = expect_version(0x030d);
	assert_int_equal(runtime->python.string_hash, 40);
	assert_int_equal(runtime->python.string_wide, 72);
	assert_int_equal(runtime->python.string_kind, 2);
	assert_int_equal(runtime->python.code_copies, TM_RUNTIME_NONE);
}

static void thread_without_a_lock_has_its_own_copy_of_code_from_3_14_on(void **state)
{
	const struct tm_runtime *runtime;

	python_builder_open(&builder, 0x030e00f0);
	assert_int_equal(expect_version(0x030e)->python.code_copies, TM_RUNTIME_NONE);
	builder.content->state[2] = 1;
	runtime = expect_version(0x030e);
	assert_int_equal(runtime->python.string_kind, 8);
	assert_int_equal(runtime->python.frame_copy, 8 * 38);
	assert_int_equal(runtime->python.code_copies, 8 * 49);
	python_builder_open(&builder, 0x030f00f0);
	builder.content->state[2] = 1;
	assert_int_equal(expect_version(0x030f)->python.frame_copy, 8 * 46);
	assert_int_equal(expect_version(0x030f)->python.code_copies, 8 * 57);
}

static void before_3_11_the_version_is_what_is_printed(void **state)
{
	uint8_t *code;
	uint32_t text;

	python_builder_open(&builder, 0x030902f0);
	builder.content->text[sizeof("3.9.2") - 1] = '+';
	(void)expect_version(0x0309);
	/* mov of its address, in a program that is not relocated */
	code = builder.elf.file + PYTHON_BUILDER_GET;
	text = (uint32_t)(python_builder_vaddr(PYTHON_BUILDER_CONTENT) +
			  offsetof(struct python_builder_content, text));
	memset(code, 0x90, 8);
	code[0] = 0xb9;
	memcpy(code + 1, &text, 4);
	(void)expect_version(0x0309);
}

static void other_texts_are_no_version(void **state)
{
	static const char texts[][16] = {"3.10.0rc2", "3.10.9+cinder", "3.9",    "3.x.1", "3.9.",
					 "3.100.1",   "2.9.1",         "3.9.2-", "3.9-2", "",
					 "3.",        "3.9.2222222222"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		python_builder_open(&builder, 0x030902f0);
		memcpy(builder.content->text, texts[i], sizeof(texts[i]));
		expect_none();
	}
	python_builder_open(&builder, 0x030902f0);
	builder.elf.file[PYTHON_BUILDER_GET] = 0x06; /* no instruction */
	expect_none();
	python_builder_open(&builder, 0x030902f0);
	symbol(PYTHON_BUILDER_GET_VERSION)->st_size = 0x2000;
	expect_none();
}

static void version_that_cannot_be_read_has_no_description(void **state)
{
	python_builder_open(&builder, 0x030b02f0);
	symbol(PYTHON_BUILDER_VERSION)->st_value = AWAY;
	expect_none();
	symbol(PYTHON_BUILDER_VERSION)->st_value =
		python_builder_vaddr(CFI_BUILDER_DATA) + builder.elf.segments[1].p_filesz - 4;
	expect_none();
	*symbol(PYTHON_BUILDER_VERSION) = (Elf64_Sym){0};
	expect_none();
}

static void state_that_is_not_in_memory_has_no_description(void **state)
{
	python_builder_open(&builder, 0x030b02f0);
	symbol(PYTHON_BUILDER_STATE)->st_value = AWAY;
	expect_none();
	symbol(PYTHON_BUILDER_STATE)->st_value = UINT64_MAX;
	expect_none();
	builder.elf.segments[1].p_memsz = AWAY; /* .bss */
	symbol(PYTHON_BUILDER_STATE)->st_value = python_builder_vaddr(CFI_BUILDER_DATA) + AWAY - 1;
	(void)expect_version(0x030b);
}

static void symbols_of_other_files_are_no_interpreter(void **state)
{
	python_builder_open(&builder, 0x030b02f0);
	symbol(PYTHON_BUILDER_STATE)->st_shndx = SHN_UNDEF;
	expect_none();
	python_builder_open(&builder, 0x030b02f0);
	symbol(PYTHON_BUILDER_EVAL)->st_shndx = SHN_UNDEF;
	expect_none();
	python_builder_open(&builder, 0x030b02f0);
	builder.symbols[1].sh_size = symbol(PYTHON_BUILDER_STATE)->st_name + 10; /* no NUL */
	expect_none();
	python_builder_open(&builder, 0x030b02f0);
	builder.symbols[0].sh_link = 0x7fffffff;
	expect_none();
	python_builder_open(&builder, 0x030b02f0);
	builder.symbols[0].sh_type = SHT_SYMTAB;
	(void)expect_version(0x030b);
}

static void loop_that_is_none_has_no_description(void **state)
{
	Elf64_Sym *loop;

	python_builder_open(&builder, 0x030b02f0);
	loop = symbol(PYTHON_BUILDER_EVAL);
	loop->st_size = 0;
	expect_none();
	loop->st_size = PYTHON_LOOP_MIN - 1;
	expect_none();
	loop->st_size = CFI_BUILDER_DATA - LOOP + 1; /* beyond its segment */
	expect_none();
	loop->st_size = UINT64_MAX;
	expect_none();
	loop->st_size = PYTHON_LOOP_MIN;
	loop->st_value = AWAY;
	expect_none();
}

static void short_loop_of_3_14_has_a_function_for_each_instruction(void **state)
{
	python_builder_open(&builder, 0x030e00f0);
	assert_int_equal(expect_version(0x030e)->python.flags, 0);
	symbol(PYTHON_BUILDER_EVAL)->st_size = PYTHON_LOOP_MIN - 1;
	assert_int_equal(expect_version(0x030e)->python.flags, TM_PYTHON_CALLS);
}

static int read_vast(void *context, void *to, uint64_t offset, size_t bytes)
{
	memset(to, 0x90, bytes);
	if (offset < CFI_BUILDER_BYTES && bytes <= CFI_BUILDER_BYTES - offset)
		memcpy(to, builder.elf.file + offset, bytes);
	return 0;
}

static void loop_that_ends_at_4_gib_has_no_description(void **state)
{
	const struct image_source source = {read_vast, NULL, IMAGE_MAX_BYTES};

	for (uint32_t before = 0; before <= 1; before++) {
		python_builder_open(&builder, 0x030b02f0);
		builder.elf.segments[2] = builder.elf.segments[0];
		builder.elf.segments[2].p_vaddr = AWAY;
		builder.elf.segments[2].p_filesz = 0x2000;
		builder.elf.segments[2].p_offset = IMAGE_MAX_BYTES - 0x2000;
		symbol(PYTHON_BUILDER_EVAL)->st_value = AWAY + 0x1000 - before;
		result_blob_free(&result);
		assert_int_equal(unwind_compile(&result, &source), PARSER_OK);
		assert_int_equal(tm_unwind_table_check(&view, result.data, result.bytes), 0);
		assert_int_equal(view.runtime != NULL, before);
	}
	assert_int_equal(view.runtime->loops[0].end, UINT32_MAX);
}

static void part_that_jumps_back_into_the_loop_belongs_to_it(void **state)
{
	const struct tm_runtime *runtime;

	python_builder_open(&builder, 0x030b02f0);
	python_builder_function(&builder, COLD, 0x40);
	python_builder_jump(&builder, LOOP + 0x100, COLD + 8);
	python_builder_jump(&builder, LOOP + 0x200, COLD + 16);
	python_builder_jump(&builder, COLD + 0x3b, LOOP + 0x300);
	runtime = expect_version(0x030b);
	assert_int_equal(runtime->loops[1].start, COLD);
	assert_int_equal(runtime->loops[1].end, COLD + 0x40);
	assert_int_equal(runtime->loops[2].end, 0);
}

static void function_that_the_loop_jumps_to_does_not_belong_to_it(void **state)
{
	python_builder_open(&builder, 0x030b02f0);
	python_builder_function(&builder, COLD, 0x40);
	python_builder_jump(&builder, LOOP + 0x100, COLD);
	python_builder_jump(&builder, LOOP + 0x200, 0x6000); /* nothing is described there */
	assert_int_equal(expect_version(0x030b)->loops[1].end, 0);
	python_builder_jump(&builder, COLD + 8, LOOP); /* a tail call */
	assert_int_equal(expect_version(0x030b)->loops[1].end, 0);
	python_builder_jump(&builder, COLD + 16, LOOP_END);
	assert_int_equal(expect_version(0x030b)->loops[1].end, 0);
	python_builder_jump(&builder, COLD + 24, LOOP_END - 1);
	assert_int_equal(expect_version(0x030b)->loops[1].end, COLD + 0x40);
}

static void parts_beyond_the_limits_are_left_out(void **state)
{
	const struct tm_runtime *runtime;

	python_builder_open(&builder, 0x030b02f0);
	for (uint32_t i = 0; i < TM_RUNTIME_LOOPS_MAX; i++) {
		python_builder_function(&builder, COLD + 0x40 * i, 0x40);
		python_builder_jump(&builder, LOOP + 0x10 * i, COLD + 0x40 * i);
		python_builder_jump(&builder, COLD + 0x40 * i + 8, LOOP + 0x800);
	}
	runtime = expect_version(0x030b);
	assert_int_equal(runtime->loops[TM_RUNTIME_LOOPS_MAX - 1].start,
			 COLD + 0x40 * (TM_RUNTIME_LOOPS_MAX - 2));
	python_builder_open(&builder, 0x030b02f0);
	for (uint32_t i = 0; i <= PYTHON_LOOP_RANGES_MAX; i++) {
		python_builder_function(&builder, COLD + 0x40 * i, 0x40);
		python_builder_jump(&builder, LOOP + 0x10 * i, COLD + 0x40 * i);
	}
	python_builder_jump(&builder, COLD + 0x40 * PYTHON_LOOP_RANGES_MAX, LOOP + 0x800);
	assert_int_equal(expect_version(0x030b)->loops[1].end, 0);
	python_builder_jump(&builder, COLD + 0x40 * (PYTHON_LOOP_RANGES_MAX - 1), LOOP + 0x800);
	assert_int_equal(expect_version(0x030b)->loops[1].end,
			 COLD + 0x40 * PYTHON_LOOP_RANGES_MAX);
}

static void description_is_one_unit_that_ends_with_zeroes(void **state)
{
	const struct tm_runtime *runtime;
	const uint8_t *bytes;

	python_builder_open(&builder, 0x030b02f0);
	runtime = expect_version(0x030b);
	bytes = (const void *)runtime;
	assert_ptr_equal(bytes + TM_UNWIND_TABLE_RUNTIME_BYTES,
			 (const uint8_t *)result.data + result.bytes);
	for (size_t i = sizeof(*runtime); i < TM_UNWIND_TABLE_RUNTIME_BYTES; i++)
		assert_int_equal(bytes[i], 0);
}

static void table_without_pages_has_no_description(void **state)
{
	python_builder_open(&builder, 0x030b02f0);
	builder.elf.sections[2].sh_size = 0; /* .eh_frame */
	assert_null(compile());
	assert_int_equal(view.header->pages, 0);
}

#define claim(test) cmocka_unit_test_teardown(test, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(each_known_version_is_described),
		claim(versions_that_are_not_known_have_no_description),
		claim(from_3_13_on_the_file_says_the_offsets),
		claim(offsets_that_make_no_sense_have_no_description),
		claim(thread_without_a_lock_has_its_own_copy_of_code_from_3_14_on),
		claim(objects_of_threads_without_a_lock_are_longer),
		claim(before_3_11_the_version_is_what_is_printed),
		claim(other_texts_are_no_version),
		claim(version_that_cannot_be_read_has_no_description),
		claim(state_that_is_not_in_memory_has_no_description),
		claim(symbols_of_other_files_are_no_interpreter),
		claim(loop_that_is_none_has_no_description),
		claim(short_loop_of_3_14_has_a_function_for_each_instruction),
		claim(loop_that_ends_at_4_gib_has_no_description),
		claim(part_that_jumps_back_into_the_loop_belongs_to_it),
		claim(function_that_the_loop_jumps_to_does_not_belong_to_it),
		claim(parts_beyond_the_limits_are_left_out),
		claim(description_is_one_unit_that_ends_with_zeroes),
		claim(table_without_pages_has_no_description),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
