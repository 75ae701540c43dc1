/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_sites - what is remembered of compiled code is used as long as that is the compilation
 * that it was: a place until one of its methods is to be announced again
 */

#include <string.h>

#include "tests/unit/bpf/java_stack.h"
#include "tests/unit/bpf/programs.h"

#define CALL          0x40 /* where compiled code calls LEAF */
#define DEEP          8u   /* frames: more than are kept of a place */
#define REMEMBERED_NS (1ull << 30)
#define AWAY          0x7000000000ull /* no memory, at first */
#define INLINED       "1000, inner@7, outer@12, " JAVA_STACK_END
#define OUTERMOST     "1000, outer@?, " JAVA_STACK_END

static uint64_t nmethod;

enum {
	OUTER = 1,
	INNER
};

/* OUTER is compiled, with INNER inlined at its call of LEAF. */
static int make(void **state)
{
	struct java_pc pc = {CALL, 0, 0};
	struct java_blob blob = {.title = "nmethod",
				 .words = JAVA_WORDS,
				 .bytes = 0x100,
				 .method = OUTER,
				 .pcs = &pc,
				 .pc_count = 1};
	uint32_t outer;

	if (java_process_make(state))
		return -1;
	java_process_method(OUTER, "outer");
	java_process_method(INNER, "inner");
	outer = java_scopes_add(&blob.scopes, 0, OUTER, 12);
	pc.scope = (int32_t)java_scopes_add(&blob.scopes, outer, INNER, 7);
	java_stack_make(JAVA_CODE(java_process_blob(1, &blob)) + CALL);
	nmethod = java_process_nmethod();
	java_process_met();
	return 0;
}

/* From now on its debug information says nothing of the call. */
static void change(void)
{
	java_process_put(java_process_pcs(), 0, 4);
}

static void known_place_needs_no_debug_information(void **state)
{
	java_stack_expect(INLINED);
	change();
	java_stack_expect(INLINED);
}

static void place_is_read_anew_once_its_methods_are_announced(void **state)
{
	java_stack_expect(INLINED);
	change();
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(OUTERMOST);
}

/* Its methods have different numbers, so that their epochs end at different times. */
static void place_is_read_anew_when_its_methods_are_to_be_announced(void **state)
{
	unsigned kept = 0;

	java_stack_expect(INLINED); /* and announces */
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(INLINED);
	change();
	while (strcmp(java_stack_text(sampled_take()), INLINED) == 0) {
		bpf_host_pass(REMEMBERED_NS / 4);
		kept++;
	}
	assert_true(kept > 8 && kept * (REMEMBERED_NS / 4) <= TM_EPOCH_NS + REMEMBERED_NS);
	java_stack_expect(OUTERMOST);
}

/* What was missing of it is announced within a second after it is there. */
static void place_with_a_method_that_was_not_in_memory_is_read_anew(void **state)
{
	const uint64_t entries = JAVA_POOL(INNER) + sampled.runtime.java.pool_entries;
	unsigned before;

	sampled_store(entries + 8 * (2 + JAVA_OF_SIGNATURE), AWAY);
	java_stack_expect(INLINED);
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(INLINED);
	bpf_host_memory(AWAY, 0x1000);
	java_process_symbol(AWAY, "late");
	before = bpf_maps_records(TM_EVENT_METHOD);
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(INLINED);
	assert_true(bpf_maps_records(TM_EVENT_METHOD) > before);
}

static void place_in_another_compilation_is_read_anew(void **state)
{
	java_stack_expect(INLINED);
	change();
	java_process_put(nmethod + sampled.runtime.java.nmethod_compile_id, 99, 4);
	java_stack_expect(OUTERMOST);
}

static void place_in_code_of_another_method_is_read_anew(void **state)
{
	java_stack_expect(INLINED);
	change();
	java_process_put(nmethod + sampled.runtime.java.nmethod_method, JAVA_METHOD(INNER), 8);
	java_stack_expect("1000, inner@?, " JAVA_STACK_END);
}

static void place_in_another_process_is_read_anew(void **state)
{
	java_stack_expect(INLINED);
	change();
	sampled.execs++;
	java_process_met();
	java_stack_expect(OUTERMOST);
}

/* The compiled code is the leaf, so many bytes before its call. */
static void expect_leaf(unsigned before, const char *stack)
{
	sampled.registers.rip = JAVA_CODE(nmethod) + CALL - before;
	sampled.registers.rsp = JAVA_COMPILED;
	assert_string_equal(java_stack_text(sampled_take()), stack);
}

#define LEAF_INLINED "inner@7, outer@12, " JAVA_STACK_END
#define LEAF_ANEW    "outer@7, outer@12, " JAVA_STACK_END

/* From now on INNER's place in the metadata has OUTER. */
static void change_inlined(void)
{
	java_process_put(java_process_metadata() + 8ull * INNER, JAVA_METHOD(OUTER), 8);
}

static void leaves_with_one_scope_need_it_once(void **state)
{
	expect_leaf(3, LEAF_INLINED);
	change_inlined();
	expect_leaf(9, LEAF_INLINED);
	bpf_host_pass(REMEMBERED_NS);
	expect_leaf(9, LEAF_ANEW);
}

static void scope_of_another_compilation_is_read_anew(void **state)
{
	expect_leaf(3, LEAF_INLINED);
	change_inlined();
	java_process_put(nmethod + sampled.runtime.java.nmethod_compile_id, 99, 4);
	expect_leaf(3, LEAF_ANEW);
}

/* The first one is not kept. */
static void leaves_with_scopes_of_one_nmethod_have_their_own(void **state)
{
	struct java_pc pcs[] = {{CALL / 4, 0, 0}, {CALL / 2, 0, 0}, {CALL, 0, 0}};
	struct java_blob blob = {.title = "nmethod",
				 .words = JAVA_WORDS,
				 .bytes = 0x100,
				 .method = OUTER,
				 .pcs = pcs,
				 .pc_count = 3};
	uint32_t scope = 0;

	for (unsigned i = 0; i < DEEP; i++) {
		scope = java_scopes_add(&blob.scopes, scope, i ? INNER : OUTER, (int)i);
		if (i == 0)
			pcs[2].scope = (int32_t)scope;
		if (i == 2)
			pcs[1].scope = (int32_t)scope;
	}
	pcs[0].scope = (int32_t)scope;
	java_stack_make(JAVA_CODE(java_process_blob(1, &blob)) + CALL);
	nmethod = java_process_nmethod();
	java_process_met();
	for (unsigned i = 0; i < 2; i++) {
		expect_leaf(CALL / 4 * 3, "inner@7, inner@6, inner@5, inner@4, inner@3, inner@2, "
					  "inner@1, outer@0, " JAVA_STACK_END);
		expect_leaf(CALL / 2, "inner@2, inner@1, outer@0, " JAVA_STACK_END);
		expect_leaf(0, "outer@0, " JAVA_STACK_END);
	}
}

static void leaf_and_call_of_one_place_are_two(void **state)
{
	struct pt_regs called = sampled.registers;

	expect_leaf(0, LEAF_INLINED);
	sampled.registers = called;
	java_stack_expect(INLINED);
	expect_leaf(0, LEAF_INLINED);
}

/* Its name is another one, as if it were another method there: it cannot be, while its code is. */
static void methods_are_known_as_long_as_their_code(void **state)
{
	uint64_t number;

	java_stack_expect(INLINED); /* and announces */
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(INLINED);
	number = java_stack_number();
	java_process_symbol(JAVA_SYMBOL(INNER, JAVA_OF_NAME), "other");
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(INLINED);
	assert_int_equal(java_stack_number(), number);
	java_process_put(nmethod + sampled.runtime.java.nmethod_compile_id, 99, 4);
	java_stack_expect("1000, other@7, outer@12, " JAVA_STACK_END);
	assert_int_not_equal(java_stack_number(), number);
}

static void methods_of_another_process_are_others(void **state)
{
	uint64_t number;

	java_stack_expect(INLINED);
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(INLINED);
	number = java_stack_number();
	sampled.execs++;
	java_process_met();
	java_stack_expect(INLINED);
	assert_int_not_equal(java_stack_number(), number);
}

/* A new symbolizer knows nothing. */
static void methods_are_announced_when_all_are_to_be(void **state)
{
	unsigned before;

	java_stack_expect(INLINED);
	before = bpf_maps_records(TM_EVENT_METHOD);
	java_stack_expect(INLINED);
	assert_int_equal(bpf_maps_records(TM_EVENT_METHOD), before);
	epoch_bumps++;
	java_stack_expect(INLINED);
	assert_true(bpf_maps_records(TM_EVENT_METHOD) >= before + 2);
	before = bpf_maps_records(TM_EVENT_METHOD);
	bpf_host_pass(TM_EPOCH_NS);
	java_stack_expect(INLINED);
	assert_true(bpf_maps_records(TM_EVENT_METHOD) >= before + 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define JAVA_TEST(name) cmocka_unit_test_setup(name, make)
		JAVA_TEST(known_place_needs_no_debug_information),
		JAVA_TEST(place_is_read_anew_once_its_methods_are_announced),
		JAVA_TEST(place_is_read_anew_when_its_methods_are_to_be_announced),
		JAVA_TEST(place_with_a_method_that_was_not_in_memory_is_read_anew),
		JAVA_TEST(place_in_another_compilation_is_read_anew),
		JAVA_TEST(place_in_code_of_another_method_is_read_anew),
		JAVA_TEST(place_in_another_process_is_read_anew),
		JAVA_TEST(leaves_with_one_scope_need_it_once),
		JAVA_TEST(scope_of_another_compilation_is_read_anew),
		JAVA_TEST(leaves_with_scopes_of_one_nmethod_have_their_own),
		JAVA_TEST(leaf_and_call_of_one_place_are_two),
		JAVA_TEST(methods_are_known_as_long_as_their_code),
		JAVA_TEST(methods_of_another_process_are_others),
		JAVA_TEST(methods_are_announced_when_all_are_to_be),
	};

	return SAMPLED_RUN(tests);
}
