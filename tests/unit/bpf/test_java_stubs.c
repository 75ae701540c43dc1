/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_stubs - a frame in a blob of many stubs has the name of the one whose code it is, which
 * is found in a bounded number of reads a sample; else that of the blob
 */

#include <stdio.h>
#include <string.h>

#include "tests/unit/bpf/java_stack.h"

#define LIST       (SAMPLED_DATA + 0x20000) /* StubCodeDesc::_list, and behind it: */
#define STUB(n)    (LIST + 0x40 * (1ull + (n)))
#define NAME(n)    (LIST + 0x10000 + 0x40ull * (n))
#define AWAY       0x7000000000ull /* other code */
#define SECOND_NS  (1ull << 30)
#define SEARCH     64u /* descriptions that a sample looks at */
#define SEARCH_MAX 1024u
#define READS      12u /* of a sample without a search */
#define READS_MAX  45u /* of the first one, beside the search */

static uint64_t code; /* of the blob "StubRoutines (1)" */

static void put_stub(unsigned n, uint64_t next, uint64_t begin, uint64_t end)
{
	const struct tm_java *java = &sampled.runtime.java;
	char name[32];

	sampled_store(STUB(n) + java->stub_next, next);
	sampled_store(STUB(n) + java->stub_name, NAME(n));
	sampled_store(STUB(n) + java->stub_begin, begin);
	sampled_store(STUB(n) + java->stub_end, end);
	(void)snprintf(name, sizeof(name), "stub_%u", n);
	bpf_host_write(NAME(n), name, strlen(name) + 1);
}

/* So many stubs, the last one first, of 16 bytes of other code. */
static void put_list(unsigned count)
{
	sampled_store(LIST, count ? STUB(count - 1) : 0);
	for (unsigned n = 0; n < count; n++)
		put_stub(n, n ? STUB(n - 1) : 0, AWAY + 16ull * n, AWAY + 16ull * n + 16);
}

/* As HotSpot made it: the rest of the list stays. */
static void set_bounds(unsigned n, uint64_t from, uint64_t to)
{
	sampled_store(STUB(n) + sampled.runtime.java.stub_begin, code + from);
	sampled_store(STUB(n) + sampled.runtime.java.stub_end, code + to);
}

static void make_with(uint16_t begin)
{
	java_process_make(NULL);
	sampled.runtime.java.stubs = (int64_t)(LIST - SAMPLED_CODE);
	sampled.runtime.java.stub_name = 16;
	sampled.runtime.java.stub_begin = begin;
	sampled.runtime.java.stub_end = (uint16_t)(begin + 8);
	code = java_stack_stub() - 64;
	sampled.registers.rbp = JAVA_STUB_FP;
	java_process_met();
	put_list(3);
	set_bounds(0, 0x100, 0x140);
	set_bounds(1, 0x140, 0x180);
}

static int make(void **state)
{
	make_with(24);
	return 0;
}

static void expect_at(const char *file, int line, uint64_t offset, const char *name)
{
	unsigned reads = bpf_host_reads();
	char wanted[64];
	const char *got;

	sampled.registers.rip = code + offset;
	got = java_stack_text(sampled_once());
	(void)snprintf(wanted, sizeof(wanted), "%s, 2008, 3008", name);
	if (strcmp(got, wanted) != 0) {
		print_error("expected %s\n     got %s\n", wanted, got);
		_fail(file, line);
	}
	if (bpf_host_reads() - reads > SEARCH + READS_MAX)
		_fail(file, line);
}
#define expect(offset, name) expect_at(__FILE__, __LINE__, offset, name)

/* Whether the next sample looks for descriptions. */
static bool searches(uint64_t offset, const char *name)
{
	unsigned reads = bpf_host_reads();

	expect(offset, name);
	return bpf_host_reads() - reads > READS;
}

/* --- found ------------------------------------------------------------------------------------ */

static void stubs_of_a_blob_have_their_own_names(void **state)
{
	for (unsigned first = 0; first < 2; first++) {
		make(state);
		put_list(0);
		expect(0x108 + 0x40 * first,
		       first ? "StubRoutines (1)@328" : "StubRoutines (1)@264");
		make(state);
		expect(0x108 + 0x40 * first, first ? "stub_1@8" : "stub_0@8");
		expect(0x148 - 0x40 * first, first ? "stub_0@8" : "stub_1@8");
		expect(0x108 + 0x40 * first, first ? "stub_1@8" : "stub_0@8");
	}
}

/* In 8 an int lies before the bounds. */
static void bounds_may_lie_elsewhere(void **state)
{
	make_with(32);
	expect(0x11f, "stub_0@31");
}

static void bounds_are_exact(void **state)
{
	for (unsigned round = 0; round < 2; round++) { /* found, then known */
		expect(0x100, "stub_0@0");
		expect(0x13f, "stub_0@63");
		expect(0x140, "stub_1@0");
		expect(0x17f, "stub_1@63");
		expect(0xff, "StubRoutines (1)@255");
		expect(0x180, "StubRoutines (1)@384");
	}
}

static void return_address_belongs_to_the_call_before_it(void **state)
{
	sampled_store(SAMPLED_SP, code + 0x180);
	java_stack_expect("1000, stub_1@63, 2008, 3008");
}

static void stub_that_called_is_known_by_its_place_for_a_second(void **state)
{
	sampled_store(SAMPLED_SP, code + 0x180);
	java_stack_expect("1000, stub_1@63, 2008, 3008");
	put_list(0);
	set_bounds(1, 0, 0);
	java_stack_expect("1000, stub_1@63, 2008, 3008");
	bpf_host_pass(SECOND_NS);
	java_stack_expect("1000, StubRoutines (1)@383, 2008, 3008");
}

static void without_descriptions_the_blob_is_named(void **state)
{
	sampled.runtime.java.stubs = 0;
	sampled_install();
	expect(0x108, "StubRoutines (1)@264");
	assert_false(searches(0x108, "StubRoutines (1)@264"));
}

/* --- the search ------------------------------------------------------------------------------- */

static void search_goes_on_over_samples(void **state)
{
	const unsigned last = 2 * SEARCH; /* samples before it is found: 2 */

	put_list(last + 1);
	set_bounds(0, 0x100, 0x140);
	set_bounds(1, 0x140, 0x180);
	expect(0x108, "StubRoutines (1)@264");
	expect(0x148, "StubRoutines (1)@328"); /* another one does not begin it anew */
	expect(0x10c, "stub_0@12");
	assert_false(searches(0x108, "stub_0@8"));
	expect(0x148, "StubRoutines (1)@328");
	expect(0x148, "stub_1@8"); /* the one before the last in the list */
	assert_false(searches(0x108, "stub_0@8"));
}

static void stub_that_called_is_not_known_before_it_is_found(void **state)
{
	put_list(2 * SEARCH + 1);
	set_bounds(0, 0x140, 0x180);
	sampled_store(SAMPLED_SP, code + 0x180);
	for (unsigned i = 0; i < 2; i++)
		assert_string_equal(java_stack_text(sampled_once()),
				    "1000, StubRoutines (1)@383, 2008, 3008");
	java_stack_expect("1000, stub_0@63, 2008, 3008");
}

/* Each is known as long as there are places for it. */
static void many_stubs_are_known_at_once(void **state)
{
	char name[16];

	put_list(48);
	for (unsigned n = 0; n < 48; n++)
		set_bounds(n, 16 * n, 16 * n + 16);
	for (unsigned n = 0; n < 48; n++) {
		(void)snprintf(name, sizeof(name), "stub_%u@3", n);
		expect(16 * n + 3, name);
	}
	for (unsigned n = 16; n < 48; n++) {
		(void)snprintf(name, sizeof(name), "stub_%u@5", n);
		assert_false(searches(16 * n + 5, name));
	}
	put_list(0);
	expect(0x13, "StubRoutines (1)@19"); /* taken by another one */
}

static void code_of_no_stub_is_not_sought_for_a_second(void **state)
{
	put_list(50);
	set_bounds(0, 0x100, 0x140);
	assert_true(searches(0x200, "StubRoutines (1)@512"));
	assert_false(searches(0x200, "StubRoutines (1)@512"));
	assert_false(searches(0x240, "StubRoutines (1)@576")); /* of the same gap */
	assert_true(searches(0x108, "stub_0@8"));
	set_bounds(1, 0x200, 0x240);
	assert_false(searches(0x200, "StubRoutines (1)@512"));
	bpf_host_clock(SECOND_NS);
	assert_true(searches(0x200, "stub_1@0"));
}

/* --- lies ------------------------------------------------------------------------------------- */

static void description_that_was_freed_is_forgotten(void **state)
{
	expect(0x108, "stub_0@8");
	bpf_host_write(STUB(0), (const uint8_t[0x40]){0}, 0x40);
	expect(0x108, "StubRoutines (1)@264");
	make(state);
	expect(0x108, "stub_0@8");
	set_bounds(0, 0x100, 0x108);
	set_bounds(2, 0x108, 0x140);
	expect(0x108, "stub_2@0");
	expect(0x107, "stub_0@7");
}

static void another_name_is_another_stub(void **state)
{
	expect(0x108, "stub_0@8");
	bpf_host_write(NAME(0), "other", 6);
	expect(0x108, "other@8");
	sampled_store(STUB(0) + sampled.runtime.java.stub_name, NAME(1));
	expect(0x108, "stub_1@8");
}

static void list_in_a_circle_ends(void **state)
{
	put_list(50);
	sampled_store(STUB(0), STUB(49));
	for (unsigned i = 0; i <= SEARCH_MAX / SEARCH; i++)
		expect(0x108, "StubRoutines (1)@264");
	assert_false(searches(0x108, "StubRoutines (1)@264"));
	bpf_host_clock(SECOND_NS);
	assert_true(searches(0x108, "StubRoutines (1)@264"));
}

static void list_that_is_not_in_memory_ends(void **state)
{
	static const uint64_t addresses[] = {1, AWAY, ~0ull, SAMPLED_DATA + SAMPLED_BYTES - 8};

	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		make(state);
		sampled_store(STUB(1), addresses[i]);
		expect(0x108, "StubRoutines (1)@264");
		assert_false(searches(0x108, "StubRoutines (1)@264"));
		bpf_host_clock(SECOND_NS);
		expect(0x148, "stub_1@8");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define STUB_TEST(name) cmocka_unit_test_setup(name, make)
		STUB_TEST(stubs_of_a_blob_have_their_own_names),
		STUB_TEST(bounds_may_lie_elsewhere),
		STUB_TEST(bounds_are_exact),
		STUB_TEST(return_address_belongs_to_the_call_before_it),
		STUB_TEST(stub_that_called_is_known_by_its_place_for_a_second),
		STUB_TEST(without_descriptions_the_blob_is_named),
		STUB_TEST(search_goes_on_over_samples),
		STUB_TEST(stub_that_called_is_not_known_before_it_is_found),
		STUB_TEST(many_stubs_are_known_at_once),
		STUB_TEST(code_of_no_stub_is_not_sought_for_a_second),
		STUB_TEST(description_that_was_freed_is_forgotten),
		STUB_TEST(another_name_is_another_stub),
		STUB_TEST(list_in_a_circle_ends),
		STUB_TEST(list_that_is_not_in_memory_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
