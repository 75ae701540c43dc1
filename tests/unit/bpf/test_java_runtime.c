/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_runtime - which file has the JVM of a process is known once a sample came through its
 * code, or by its name among the mappings, as long as its number means that file
 */

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/java_stack.h"
#include "tests/unit/bpf/programs.h"

#define MANY      100
#define ENOUGH    8 /* samples to look at all of these */
#define BELOW     0x1000000ull
#define STEP      (TM_EPOCH_NS / 2) /* a sample reads the clock several times */
#define METHOD    "outer@?, " JAVA_STACK_END
#define NOT_KNOWN "1000, jit+20250, stop 3" /* TM_STOP_FRAME_POINTER or TM_STOP_NO_TABLE */
#define ALONE     "jit+20250, stop 3"
#define WAITS     "jit+20250, stop 9" /* TM_STOP_NO_TABLE */

static uint64_t compiled;

/* LEAF, called by compiled code. */
static int make(void **state)
{
	const struct java_blob blob = {
		.title = "nmethod", .words = JAVA_WORDS, .bytes = 0x100, .method = 3};

	java_process_make(state);
	compiled = JAVA_CODE(java_process_blob(1, &blob)) + 0x40;
	java_stack_make(compiled);
	return 0;
}

/* Compiled code is the leaf: no sample comes through code of a file. */
static void make_alone(void)
{
	sampled.registers.rip = compiled;
	sampled.registers.rsp = JAVA_COMPILED;
}

static void expect_once(const char *stack)
{
	assert_string_equal(java_stack_text(sampled_once()), stack);
}

static void sample_into_next_epoch(void)
{
	bpf_host_clock(STEP);
	(void)sampled_once();
	bpf_host_clock(0);
}

/* The state of libjvm.so's number. */
static struct tm_file_state *libjvm(void)
{
	static struct tm_file_state none;
	struct tm_file_state *state;
	uint32_t number;

	for (uint32_t i = 0; (state = bpf_maps_file(i, &number)); i++)
		if (state->identity.ino == SAMPLED_INO(SAMPLED_PROGRAM_FILE))
			return state;
	fail_msg("libjvm.so has no number");
	return &none;
}

/* --- met -------------------------------------------------------------------------------------- */

static void runtime_is_known_from_the_sample_on_that_came_through_it(void **state)
{
	sampled_install();
	expect_once(NOT_KNOWN);
	expect_once("1000, " METHOD);
	make_alone();
	expect_once(METHOD);
}

static void runtime_that_no_sample_came_through_is_not_known(void **state)
{
	sampled_install();
	make_alone();
	expect_once(ALONE);
	sample_into_next_epoch();
	expect_once(ALONE);
}

static void file_without_a_java_runtime_is_none(void **state)
{
	sampled.runtime.kind = 0;
	sampled_install();
	expect_once(NOT_KNOWN);
	expect_once(NOT_KNOWN);
	sampled.runtime.kind = TM_RUNTIME_PYTHON;
	sampled_install();
	expect_once(NOT_KNOWN);
	expect_once(NOT_KNOWN);
	sampled.runtime.kind = TM_RUNTIME_JAVA;
	sampled_install();
	expect_once(NOT_KNOWN);
	expect_once("1000, " METHOD);
}

/* --- found by its name ------------------------------------------------------------------------ */

static void libjvm_is_found_among_the_mappings(void **state)
{
	sampled_install();
	sampled_name(SAMPLED_PROGRAM_FILE, "libjvm.so");
	make_alone();
	expect_once(ALONE);
	expect_once(METHOD);
}

static void libjvm_behind_many_mappings_is_found_by_later_samples(void **state)
{
	unsigned samples = 0;

	sampled_install();
	for (uint64_t i = 0; i < MANY; i++)
		sampled_map(BELOW + 0x2000 * i, 0x1000, VM_EXEC, SAMPLED_LIBRARY_FILE, 0);
	sampled_name(SAMPLED_PROGRAM_FILE, "libjvm.so");
	make_alone();
	while (samples < ENOUGH && sampled_once()->user_frames == 1)
		samples++;
	assert_true(samples >= 2 && samples < ENOUGH);
	expect_once(METHOD);
}

static void only_its_name_on_executable_memory_counts(void **state)
{
	static const char *const names[] = {"libjvm.so.1", "libjvm.s", "xlibjvm.so",
					    "libjvm.sox",  "libjvm",   "LIBJVM.SO"};

	sampled_install();
	make_alone();
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		sampled_name(SAMPLED_PROGRAM_FILE, names[i]);
		sampled_map(BELOW + 0x2000 * i, 0x1000, VM_READ, SAMPLED_LIBRARY_FILE, 0);
		sample_into_next_epoch();
		expect_once(ALONE);
	}
	sampled_name(SAMPLED_PROGRAM_FILE, "libjvm.so");
	sampled_map(SAMPLED_CODE, SAMPLED_CODE_BYTES, VM_READ, SAMPLED_PROGRAM_FILE, 0);
	sample_into_next_epoch();
	expect_once(ALONE);
	sampled_map(SAMPLED_CODE, SAMPLED_CODE_BYTES, VM_EXEC, SAMPLED_PROGRAM_FILE, 0);
	sample_into_next_epoch();
	expect_once(METHOD);
}

/* Its table comes later. */
static void libjvm_without_a_table_is_known_once_it_has_one(void **state)
{
	sampled_name(SAMPLED_PROGRAM_FILE, "libjvm.so");
	make_alone();
	expect_once(ALONE);
	expect_once(WAITS);
	assert_int_equal(libjvm()->table, 0);
	sampled_install();
	expect_once(METHOD);
}

/* --- what its number means -------------------------------------------------------------------- */

/* The number is another file's now: with no table, of no runtime, of another one. */
static void number_of_another_file_leads_to_no_runtime(void **state)
{
	sampled_install();
	sampled_once();
	for (unsigned i = 0; i < 3; i++) {
		struct tm_file_state *old = libjvm();
		struct pt_regs registers = sampled.registers;
		uint64_t table = old->table;

		make_alone();
		expect_once(METHOD);
		old->table = i == 0 ? 0 : table & ~TM_UNWIND_MAP_RUNTIME;
		old->identity.ino += 100;
		files_generation++;
		if (i == 2) {
			old->table = table;
			((struct tm_runtime *)bpf_maps_unit(TM_UNWIND_MAP_FIRST(table) +
							    (uint32_t)TM_UNWIND_MAP_UNITS(table) -
							    1))
				->kind = TM_RUNTIME_PYTHON;
		}
		expect_once(i == 0 ? WAITS : ALONE);
		sampled_install(); /* under another number */
		expect_once(i == 0 ? WAITS : ALONE);
		sampled.registers = registers;
		expect_once(i == 0 ? "1000, " WAITS : NOT_KNOWN);
		expect_once("1000, " METHOD);
	}
}

static void number_that_is_free_leads_to_no_runtime(void **state)
{
	uint64_t arguments[3] = {0};
	uint32_t number;

	sampled_install();
	sampled_once();
	make_alone();
	expect_once(METHOD);
	for (uint32_t i = 0; bpf_maps_file(i, &number); i++)
		if (bpf_maps_file(i, &number) == libjvm())
			arguments[0] = number;
	arguments[1] = TM_FILE_RETIRE; /* as the collector does */
	assert_int_equal(change_file((void *)arguments), 1);
	expect_once(METHOD ", stop 9"); /* its new number has no table yet */
	arguments[1] = TM_FILE_DELETE;
	assert_int_equal(change_file((void *)arguments), 1);
	bpf_host_pass(1ull << 30); /* nothing is remembered any more */
	expect_once(ALONE);
}

/* --- heaps ------------------------------------------------------------------------------------ */

static void heap_that_is_made_later_is_known(void **state)
{
	java_process_put(JAVA_ARRAY + sampled.runtime.java.array_length, 1, 4);
	sampled_install();
	sampled_once();
	expect_once(NOT_KNOWN);
	java_process_put(JAVA_ARRAY + sampled.runtime.java.array_length, JAVA_HEAPS_MADE, 4);
	expect_once("1000, " METHOD);
}

/* They are read anew once for a sample, and not for one whose code is all in them. */
static void heaps_are_read_once(void **state)
{
	unsigned reads;

	sampled_install();
	sampled_once();
	expect_once("1000, " METHOD);
	sampled_store(JAVA_STATE, 0);
	expect_once("1000, " METHOD);
	sampled_map(SAMPLED_JIT + 2 * SAMPLED_BYTES, 0x1000, VM_EXEC, SAMPLED_ANONYMOUS, 0);
	sampled.registers.rip = SAMPLED_JIT + 2 * SAMPLED_BYTES;
	sampled_once();
	sampled.registers.rip = CODE(LEAF);
	bpf_host_pass(1ull << 30);
	reads = bpf_host_reads();
	expect_once(NOT_KNOWN); /* it has none any more */
	assert_true(bpf_host_reads() - reads < 32);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define JAVA_TEST(name) cmocka_unit_test_setup(name, make)
		JAVA_TEST(runtime_is_known_from_the_sample_on_that_came_through_it),
		JAVA_TEST(runtime_that_no_sample_came_through_is_not_known),
		JAVA_TEST(file_without_a_java_runtime_is_none),
		JAVA_TEST(libjvm_is_found_among_the_mappings),
		JAVA_TEST(libjvm_behind_many_mappings_is_found_by_later_samples),
		JAVA_TEST(only_its_name_on_executable_memory_counts),
		JAVA_TEST(libjvm_without_a_table_is_known_once_it_has_one),
		JAVA_TEST(number_of_another_file_leads_to_no_runtime),
		JAVA_TEST(number_that_is_free_leads_to_no_runtime),
		JAVA_TEST(heap_that_is_made_later_is_known),
		JAVA_TEST(heaps_are_read_once),
	};

	return SAMPLED_RUN(tests);
}
