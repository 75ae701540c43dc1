/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java - HotSpot's frames stand in the order of their calls, with what is inlined in them and
 * the place of each, whatever the version has its debug information like
 */

#include <stdio.h>

#include "tests/unit/bpf/java_stack.h"

#define NATIVE_WORDS 6u
#define INTERPRETED  (JAVA_COMPILED + 8 * (NATIVE_WORDS + JAVA_WORDS)) /* sp */
#define FRAME_BYTES  0x80u /* from an interpreter's sp to its fp */
#define CALL         0x40  /* place of a call in compiled code */

enum {
	NATIVE,
	INNER,
	MIDDLE,
	OUTER,
	RUN
};

/* --- code ------------------------------------------------------------------------------------- */

/* The innermost of three methods at the call. */
static uint64_t make_compiled(void)
{
	struct java_pc pcs[] = {{-1, 0, 0}, {CALL - 8, 0, 0}, {CALL, 0, 0}, {INT32_MAX, 0, 0}};
	struct java_blob blob = {.title = "nmethod",
				 .words = JAVA_WORDS,
				 .complete = 0x20,
				 .bytes = 0x100,
				 .method = OUTER,
				 .pcs = pcs,
				 .pc_count = 4};
	uint32_t outer = java_scopes_add(&blob.scopes, 0, OUTER, 12);
	uint32_t middle = java_scopes_add(&blob.scopes, outer, MIDDLE, 3);

	pcs[1].scope = (int32_t)middle;
	pcs[2].scope = (int32_t)java_scopes_add(&blob.scopes, middle, INNER, 300);
	return JAVA_CODE(java_process_blob(1, &blob));
}

static uint64_t make_native(void)
{
	const struct java_blob blob = {.title = "native nmethod",
				       .words = NATIVE_WORDS,
				       .complete = 0x20,
				       .bytes = 0x100,
				       .method = NATIVE};

	return JAVA_CODE(java_process_blob(1, &blob));
}

/* More segments than one byte of the segment map leads over. */
static uint64_t make_interpreter(void)
{
	const struct java_blob blob = {.title = "Interpreter", .complete = -1, .bytes = 0x9000};

	return JAVA_CODE(java_process_blob(0, &blob));
}

#define ALL "1000, native@?, inner@300, middle@3, outer@12, run@5, " JAVA_STACK_END
/* LEAF <- native <- compiled <- interpreted <- call stub. */
static void make_all(void)
{
	uint64_t compiled = make_compiled(), interpreter = make_interpreter(), at = JAVA_COMPILED;

	sampled_store(SAMPLED_SP, make_native() + 0x50);
	sampled_words(at + 8ull * (NATIVE_WORDS - 2), 0x1111, compiled + CALL);
	at += 8ull * NATIVE_WORDS;
	java_stack_compiled(at, INTERPRETED + FRAME_BYTES, interpreter + 0x8ff0);
	java_process_interpreted(INTERPRETED + FRAME_BYTES, JAVA_STUB_FP, java_stack_stub(),
				 INTERPRETED + FRAME_BYTES + 0x20, RUN, 5);
	java_process_met();
}

/* A method with this many PcDescs, at each number that 4 divides; of scope i its place is i. */
#define PC_SCOPES 61u
static uint64_t make_many_pcs(uint32_t count)
{
	static struct java_pc many[5000];
	struct java_blob blob = {.title = "nmethod",
				 .words = JAVA_WORDS,
				 .bytes = 4 * count + 0x100,
				 .method = OUTER,
				 .pcs = many,
				 .pc_count = count};
	int32_t scopes[PC_SCOPES];

	for (unsigned i = 0; i < PC_SCOPES; i++)
		scopes[i] = (int32_t)java_scopes_add(&blob.scopes, 0, INNER, (int)i);
	for (uint32_t i = 0; i < count; i++)
		many[i] = (struct java_pc){(int32_t)(4 * i), scopes[i % PC_SCOPES], ~0ull};
	if (count > 2) {
		many[0] = (struct java_pc){-1, 0, ~0ull};
		many[count - 1] = (struct java_pc){INT32_MAX, 0, ~0ull};
	}
	return JAVA_CODE(java_process_blob(1, &blob));
}

/* A method that is compiled, with a scope for its call. */
static void make_scope(const struct java_scopes *scopes, uint32_t scope)
{
	struct java_pc one = {CALL, (int32_t)scope, 0};
	struct java_blob blob = {.title = "nmethod",
				 .words = JAVA_WORDS,
				 .bytes = 0x100,
				 .method = OUTER,
				 .pcs = &one,
				 .pc_count = 1,
				 .scopes = *scopes};

	java_stack_make(JAVA_CODE(java_process_blob(1, &blob)) + CALL);
	java_process_met();
}

/* --- order, registers ------------------------------------------------------------------------- */

static void frames_of_each_kind_are_in_order_in_each_layout(void **state)
{
	for (uint16_t scopes = 0; scopes < TM_JAVA_SCOPES_N; scopes++) {
		java_process_make_as(scopes);
		make_all();
		java_stack_expect(ALL);
	}
}

static void all_code_may_be_in_one_heap(void **state)
{
	java_process_make_as(TM_JAVA_OFFSETS);
	sampled.runtime.java.flags = TM_JAVA_ONE_HEAP;
	make_all();
	sampled_store(JAVA_STATE, JAVA_HEAP(0));
	sampled_store(JAVA_HEAP(0) + sampled.runtime.java.heap_high, JAVA_MEMORY(2));
	java_stack_expect(ALL);
}

/* The caller goes on where the interpreter says: its locals lie behind the return address. */
static void caller_of_the_interpreter_has_the_stack_pointer_that_it_saved(void **state)
{
	uint64_t fp = JAVA_COMPILED + FRAME_BYTES;

	sampled_store(SAMPLED_SP, make_interpreter() + 0x100);
	sampled.registers.rbp = fp;
	java_process_interpreted(fp, 0x1111, make_compiled() + CALL, fp + 0x48, RUN, 31);
	java_stack_compiled(fp + 0x48, JAVA_STUB_FP, java_stack_stub());
	java_process_met();
	java_stack_expect("1000, run@31, inner@300, middle@3, outer@12, " JAVA_STACK_END);
}

/* Nothing says that the Method there is the one that it was. */
static void method_of_the_interpreter_is_read_anew_in_each_walk(void **state)
{
	uint64_t fp = JAVA_COMPILED + FRAME_BYTES;

	sampled_store(SAMPLED_SP, make_interpreter() + 0x100);
	sampled.registers.rbp = fp;
	java_process_interpreted(fp, JAVA_STUB_FP, java_stack_stub(), fp + 16, RUN, 31);
	java_process_met();
	for (unsigned i = 0; i < 3; i++)
		java_stack_expect("1000, run@31, " JAVA_STACK_END);
	java_process_symbol(JAVA_SYMBOL(RUN, JAVA_OF_NAME), "other");
	java_stack_expect("1000, other@31, " JAVA_STACK_END);
}

static void stack_pointer_that_cannot_be_is_right_behind_the_frame(void **state)
{
	uint64_t fp = JAVA_COMPILED + FRAME_BYTES, compiled = make_compiled() + CALL;
	const uint64_t pointers[] = {0, fp, fp - 8, SAMPLED_DATA,
				     SAMPLED_STACK + SAMPLED_STACK_BYTES};

	sampled_store(SAMPLED_SP, make_interpreter() + 0x100);
	sampled.registers.rbp = fp;
	java_stack_compiled(fp + 16, JAVA_STUB_FP, java_stack_stub());
	java_process_met();
	for (unsigned i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
		java_process_interpreted(fp, 0x1111, compiled, pointers[i], RUN, 31);
		java_stack_expect("1000, run@31, inner@300, middle@3, outer@12, " JAVA_STACK_END);
	}
}

/* The return address was replaced, and lies in the frame. */
static void code_that_is_given_up_stands_where_it_was(void **state)
{
	for (uint16_t scopes = 0; scopes < TM_JAVA_SCOPES_N; scopes++) {
		uint64_t code;

		java_process_make_as(scopes);
		code = make_compiled();
		java_stack_make(code + 0x100 - JAVA_DEOPT);
		sampled_store(JAVA_COMPILED + JAVA_ORIGINAL_PC, code + CALL);
		java_process_met();
		java_stack_expect("1000, inner@300, middle@3, outer@12, " JAVA_STACK_END);
	}
}

static void stub_with_a_frame_is_left_by_its_size(void **state)
{
	const struct java_blob blob = {
		.title = "RuntimeStub - new", .words = JAVA_WORDS, .complete = 4, .bytes = 0x80};

	java_stack_make(JAVA_CODE(java_process_blob(0, &blob)) + 0x21);
	java_process_met();
	java_stack_expect("1000, RuntimeStub - new@32, " JAVA_STACK_END);
}

/* The stack was switched by hand, so that the size of the frame is of no use. */
static void code_with_an_unknown_stack_pointer_is_left_by_frame_pointer(void **state)
{
	const uint32_t switching = START + 0x100;
	const uint64_t fp = JAVA_STUB_FP + 0x800;

	sampled_row(switching, (struct tm_rule){.cfa = TM_CFA_FP,
						.cfa_offset = 16,
						.ra = TM_SAVED_CFA,
						.ra_offset = -8,
						.fp = TM_SAVED_CFA,
						.fp_offset = -16,
						.flags = TM_RULE_SP_LOST});
	sampled_words(fp, JAVA_STUB_FP, make_compiled() + CALL);
	java_stack_stub();
	java_process_met();
	sampled.registers.rip = CODE(switching);
	sampled.registers.rbp = fp;
	java_stack_expect("3100, jit+20250, 2008, 3008");
}

/* --- debug information ------------------------------------------------------------------------ */

static void expect_place(uint64_t code, uint32_t place, uint32_t index, uint32_t count)
{
	char stack[128];

	sampled_store(SAMPLED_SP, code + place);
	if (count > 2 ? index >= count - 1 : index >= count)
		(void)snprintf(stack, sizeof(stack), "1000, outer@?, " JAVA_STACK_END);
	else
		(void)snprintf(stack, sizeof(stack), "1000, inner@%u, " JAVA_STACK_END,
			       (unsigned)(index % PC_SCOPES));
	java_stack_expect(stack);
}

/* The first that is not below the place. The last one is above all, and has none. */
static void scope_is_that_of_the_next_place_among_many(void **state)
{
	static const uint32_t counts[] = {1, 2, 3, 30, 31, 32, 33, 62, 63, 64, 1000, 5000};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint32_t count = counts[i], step = 1 + count / 70;
		uint64_t code;

		java_process_make(NULL);
		code = make_many_pcs(count);
		java_stack_make(code);
		java_process_met();
		for (uint32_t index = 1; index < count; index += step) {
			expect_place(code, 4 * index, index, count);
			expect_place(code, 4 * index - 3, index, count);
		}
		expect_place(code, 4 * count - 4, count - 1, count);
		expect_place(code, 4 * count, count, count);
	}
}

static void method_without_debug_information_is_known(void **state)
{
	java_stack_make(make_many_pcs(0) + 4);
	java_process_met();
	java_stack_expect("1000, outer@?, " JAVA_STACK_END);
}

/* The index of a method in the metadata, for which there is memory where it leads. */
static void expect_number_of(uint32_t bytes, uint32_t number, uint32_t version)
{
	struct java_scopes scopes = {.count = 1};
	uint32_t scope = scopes.count;

	java_process_make(NULL);
	sampled.runtime.version = version;
	java_scopes_number(&scopes, 0);
	assert_int_equal(java_scopes_number(&scopes, number), bytes);
	java_scopes_number(&scopes, 8);
	make_scope(&scopes, scope);
	if (bytes > 1)
		bpf_host_memory(java_process_metadata() + 8ull * (number - 1), 8);
	sampled_store(java_process_metadata() + 8ull * (number - 1), JAVA_METHOD(MIDDLE));
	java_stack_expect("1000, middle@7, " JAVA_STACK_END);
}

/* The least and the largest of each length. */
static void numbers_of_each_length_are_read(void **state)
{
	static const uint32_t versions[] = {19, 20};

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t digit = 192 - i, least = digit;

		expect_number_of(1, 2, versions[i]);
		expect_number_of(1, least - 1, versions[i]);
		for (uint32_t bytes = 2; bytes <= 5; bytes++) {
			expect_number_of(bytes, least, versions[i]);
			digit *= 64;
			least += digit;
			if (bytes < 5)
				expect_number_of(bytes, least - 1, versions[i]);
		}
	}
}

static void sender_that_does_not_lie_before_its_scope_is_none(void **state)
{
	for (uint32_t ahead = 0; ahead < 3; ahead++) {
		struct java_scopes scopes = {.count = 1};
		uint32_t scope = java_scopes_add(&scopes, 1 + 3 * ahead, INNER, 7);

		java_scopes_add(&scopes, 0, MIDDLE, 7);
		java_scopes_add(&scopes, 0, MIDDLE, 7);
		java_process_make(NULL);
		make_scope(&scopes, scope);
		java_stack_expect("1000, inner@7, " JAVA_STACK_END);
	}
}

/* A synchronized method's entry is at no bytecode, which is the first one to HotSpot. */
static void scope_of_no_place_or_no_method_has_its_frame(void **state)
{
	struct java_scopes scopes = {0};
	uint32_t outer = java_scopes_add(&scopes, 0, OUTER, -1);
	uint32_t none = java_scopes_add(&scopes, outer, (unsigned)-1, 9);

	make_scope(&scopes, java_scopes_add(&scopes, none, INNER, 1 << 20));
	java_stack_expect("1000, inner@?, -@9, outer@0, " JAVA_STACK_END);
}

/* At the end of memory, or before a page that is not in memory. */
static void scope_that_ends_with_its_memory_is_read(void **state)
{
	struct java_scopes scopes = {.count = 1};
	uint32_t scope = java_scopes_add(&scopes, 0, INNER, 7), bytes = scopes.count - scope;

	make_scope(&scopes, scope);
	bpf_host_write(SAMPLED_DATA + SAMPLED_BYTES - bytes, &scopes.bytes[scope], bytes);
	sampled_store(java_process_nmethod() + sampled.runtime.java.nmethod_scopes,
		      SAMPLED_DATA + SAMPLED_BYTES - bytes - scope);
	java_stack_expect("1000, inner@7, " JAVA_STACK_END);
}

/* What was compiled is known without it. */
static void scope_that_is_not_in_memory_is_that_of_the_outermost_method(void **state)
{
	struct java_scopes scopes = {.count = 1};
	uint32_t scope = java_scopes_add(&scopes, 0, INNER, 7);

	make_scope(&scopes, scope);
	sampled_store(java_process_nmethod() + sampled.runtime.java.nmethod_scopes, 0x7000000000);
	java_stack_expect("1000, outer@?, " JAVA_STACK_END);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define JAVA_TEST(name) cmocka_unit_test_setup(name, java_process_make)
		JAVA_TEST(frames_of_each_kind_are_in_order_in_each_layout),
		JAVA_TEST(all_code_may_be_in_one_heap),
		JAVA_TEST(caller_of_the_interpreter_has_the_stack_pointer_that_it_saved),
		JAVA_TEST(method_of_the_interpreter_is_read_anew_in_each_walk),
		JAVA_TEST(stack_pointer_that_cannot_be_is_right_behind_the_frame),
		JAVA_TEST(code_that_is_given_up_stands_where_it_was),
		JAVA_TEST(stub_with_a_frame_is_left_by_its_size),
		JAVA_TEST(code_with_an_unknown_stack_pointer_is_left_by_frame_pointer),
		JAVA_TEST(scope_is_that_of_the_next_place_among_many),
		JAVA_TEST(method_without_debug_information_is_known),
		JAVA_TEST(numbers_of_each_length_are_read),
		JAVA_TEST(sender_that_does_not_lie_before_its_scope_is_none),
		JAVA_TEST(scope_of_no_place_or_no_method_has_its_frame),
		JAVA_TEST(scope_that_ends_with_its_memory_is_read),
		JAVA_TEST(scope_that_is_not_in_memory_is_that_of_the_outermost_method),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
