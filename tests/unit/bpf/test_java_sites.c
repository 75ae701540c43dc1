/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_sites - what is remembered of compiled code is used as long as that is the compilation
 * that it was, and no longer than for a second
 */

#include "tests/unit/bpf/java_stack.h"
#include "tests/unit/bpf/programs.h"

#define CALL          0x40 /* where compiled code calls LEAF */
#define REMEMBERED_NS (1ull << 30)
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

static void place_is_read_anew_in_the_next_second(void **state)
{
	java_stack_expect(INLINED);
	change();
	bpf_host_pass(REMEMBERED_NS);
	java_stack_expect(OUTERMOST);
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
		JAVA_TEST(place_is_read_anew_in_the_next_second),
		JAVA_TEST(place_in_another_compilation_is_read_anew),
		JAVA_TEST(place_in_code_of_another_method_is_read_anew),
		JAVA_TEST(place_in_another_process_is_read_anew),
		JAVA_TEST(methods_are_announced_when_all_are_to_be),
	};

	return SAMPLED_RUN(tests);
}
