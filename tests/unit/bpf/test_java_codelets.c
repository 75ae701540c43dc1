/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_codelets - where the interpreter has no method the frame has the name of the codelet
 * whose code it is, which is found in a bounded number of reads a sample; else that of the blob
 */

#include <stdio.h>
#include <string.h>

#include "tests/unit/bpf/java_stack.h"

#define QUEUE      (SAMPLED_DATA + 0x20000) /* StubQueue, and where its address is */
#define NAME(n)    (QUEUE + 0x100 + 0x20ull * (n))
#define AWAY       0x7000000000ull /* no memory, at first */
#define BYTES      0x40u           /* of a codelet */
#define CODELET(n) (code + BYTES * (uint64_t)(n))
#define PLACE      0x20u /* in it */
#define COUNT      282u
#define SECOND_NS  (1ull << 30)
#define SEARCH     64u /* codelets that a sample looks at */
#define SEARCH_MAX 1024u
#define READS      25u /* of a sample without a search */
#define READS_MAX  95u /* of the first one, beside the search */
#define CALLERS    "outer@?, " JAVA_STACK_END

static uint64_t code, stubs; /* of the blobs "Interpreter" and "StubRoutines (1)" */

static void put_codelet(unsigned n, uint32_t bytes, uint64_t name)
{
	sampled_store(CODELET(n) + sampled.runtime.java.codelet_name, name);
	java_process_put(CODELET(n) + sampled.runtime.java.codelet_bytes, bytes, 4);
}

/* It has just left its frame: jmp *%r13. */
static void put_code(unsigned n)
{
	for (unsigned i = 0; i < 16; i++)
		java_process_put(CODELET(n) + PLACE - 8 + i, 0x90, 1);
	bpf_host_write(CODELET(n) + PLACE, "\x41\xff\xe5", 3);
}

static void put_queue(unsigned count)
{
	char name[32];

	sampled_store(QUEUE, QUEUE + 8);
	sampled_store(QUEUE + 8 + sampled.runtime.java.queue_codelets, code);
	for (unsigned n = 0; n < count; n++) {
		(void)snprintf(name, sizeof(name), "bytecode_%u", n);
		bpf_host_write(NAME(n), name, strlen(name) + 1);
		put_codelet(n, BYTES, NAME(n));
		put_code(n);
	}
}

static int make(void **state)
{
	struct java_blob blob = {.title = "nmethod",
				 .words = JAVA_WORDS,
				 .complete = 0x20,
				 .bytes = 0x100,
				 .method = 3};

	java_process_make(state);
	sampled.runtime.java.codelets = (int64_t)(QUEUE - SAMPLED_CODE);
	sampled.runtime.java.queue_codelets = 8;
	sampled.runtime.java.codelet_bytes = 8;
	sampled.runtime.java.codelet_name = 0;
	sampled.registers.r13 = JAVA_CODE(java_process_blob(1, &blob)) + 0x40;
	blob = (struct java_blob){.title = "Interpreter", .complete = -1, .bytes = 0x9000};
	code = JAVA_CODE(java_process_blob(0, &blob));
	stubs = java_stack_stub();
	java_stack_compiled(SAMPLED_SP, JAVA_STUB_FP, stubs);
	java_process_met();
	put_queue(COUNT);
	return 0;
}

static void expect_text(const char *file, int line, const char *name, unsigned place)
{
	unsigned reads = bpf_host_reads();
	char wanted[192];
	const char *got = java_stack_text(sampled_once());

	(void)snprintf(wanted, sizeof(wanted), "%s@%u, %s", name, place, CALLERS);
	if (strcmp(got, wanted) != 0) {
		print_error("expected %s\n     got %s\n", wanted, got);
		_fail(file, line);
	}
	if (bpf_host_reads() - reads > SEARCH + READS_MAX)
		_fail(file, line);
}

static void expect_at(const char *file, int line, unsigned n, const char *name)
{
	sampled.registers.rip = CODELET(n) + PLACE;
	expect_text(file, line, name, PLACE);
}

static void expect_none_at(const char *file, int line, unsigned n)
{
	sampled.registers.rip = CODELET(n) + PLACE;
	expect_text(file, line, "Interpreter", BYTES * n + PLACE);
}
#define expect(n, name) expect_at(__FILE__, __LINE__, n, name)
#define expect_none(n)  expect_none_at(__FILE__, __LINE__, n)

/* Whether the next sample looks for a codelet that there is not. */
static bool searches(unsigned n)
{
	unsigned reads = bpf_host_reads();

	expect_none(n);
	return bpf_host_reads() - reads > READS;
}

/* --- found ------------------------------------------------------------------------------------ */

static void codelet_is_found_and_known_from_then_on(void **state)
{
	expect(0, "Interpreter: bytecode_0");
	expect(63, "Interpreter: bytecode_63");
	put_queue(0);
	java_process_put(CODELET(0) + 8, 0, 4); /* no search would find it */
	expect(63, "Interpreter: bytecode_63");
}

/* The last one is that of deoptimization. Another search begins behind one that is known. */
static void search_goes_on_over_samples(void **state)
{
	for (unsigned i = 0; i < COUNT / SEARCH; i++)
		expect_none(COUNT - 1);
	expect(COUNT - 1, "Interpreter: bytecode_281");
	expect(60, "Interpreter: bytecode_60");
	expect(120, "Interpreter: bytecode_120");
	expect(180, "Interpreter: bytecode_180");
}

static void record_has_its_name_alone(void **state)
{
	const struct tm_method *method;

	expect(3, "Interpreter: bytecode_3");
	method = bpf_maps_method_of(java_stack_number());
	assert_non_null(method);
	assert_int_equal(method->runtime, TM_RUNTIME_JAVA);
	assert_int_equal(method->flags, TM_METHOD_STUB);
	assert_int_equal(method->name_bytes, strlen("Interpreter: bytecode_3"));
	assert_int_equal(method->class_bytes + method->signature_bytes + method->file_bytes +
				 method->lines_bytes,
			 0);
	assert_int_equal(method->event.bytes % 8, 0);
}

/* A search in one list does not go on in the other. */
static void stubs_are_sought_beside_them(void **state)
{
	const struct tm_java *java = &sampled.runtime.java;
	uint64_t description = QUEUE + 0x8000;

	sampled.runtime.java.stubs = (int64_t)(description - 8 - SAMPLED_CODE);
	sampled.runtime.java.stub_next = 0;
	sampled.runtime.java.stub_name = 16;
	sampled.runtime.java.stub_begin = 24;
	sampled.runtime.java.stub_end = 32;
	sampled_install();
	sampled_store(description - 8, description);
	sampled_store(description + java->stub_name, NAME(7));
	sampled_store(description + java->stub_begin, stubs - 64);
	sampled_store(description + java->stub_end, stubs + 64);
	sampled.registers.rip = CODELET(COUNT - 1) + PLACE;
	for (unsigned i = 0; i < COUNT / SEARCH; i++)
		(void)sampled_once();
	assert_string_equal(java_stack_text(sampled_once()),
			    "Interpreter: bytecode_281@32, outer@?, bytecode_7@63, 2008, 3008");
}

static void without_a_queue_the_blob_is_named(void **state)
{
	sampled.runtime.java.codelets = 0;
	sampled_install();
	expect_none(1);
	assert_false(searches(1));
}

/* Nothing is sought for it. */
static void frame_with_a_method_is_that(void **state)
{
	uint64_t fp = SAMPLED_SP + 0x80;
	unsigned reads;

	java_process_interpreted(fp, JAVA_STUB_FP, stubs, fp + 0x20, 4, 5);
	java_process_put(CODELET(1) + PLACE, 0x90, 3);
	sampled.registers.rip = CODELET(1) + PLACE;
	sampled.registers.r13 = 0;
	sampled.registers.rbp = fp;
	java_stack_expect("run@5, " JAVA_STACK_END);
	reads = bpf_host_reads();
	(void)sampled_once();
	assert_true(bpf_host_reads() - reads < SEARCH);
}

/* --- lies ------------------------------------------------------------------------------------- */

static void codelet_of_no_bytes_ends_the_search(void **state)
{
	static const uint32_t bytes[] = {0, 1, ~0u}; /* a circle, heads within heads, all memory */

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		make(state);
		put_codelet(5, bytes[i], NAME(5));
		if (bytes[i] == ~0u) { /* has what follows, too */
			sampled.registers.rip = CODELET(6) + PLACE;
			expect_text(__FILE__, __LINE__, "Interpreter: bytecode_5", BYTES + PLACE);
			continue;
		}
		for (unsigned round = 0; round <= SEARCH_MAX / SEARCH; round++)
			expect_none(6);
		assert_false(searches(6));
		bpf_host_clock(SECOND_NS);
		assert_true(searches(6));
	}
}

static void queue_that_is_not_in_memory_has_none(void **state)
{
	static const uint64_t addresses[] = {0, 1, AWAY, ~0ull};

	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		make(state);
		sampled_store(i % 2 ? QUEUE : QUEUE + 16, addresses[i]);
		expect_none(2);
		assert_false(searches(2));
	}
}

/* Until it is in memory. */
static void name_that_is_not_in_memory_is_that_of_the_blob(void **state)
{
	put_codelet(2, BYTES, AWAY);
	expect_none(2);
	bpf_host_memory(AWAY, 0x1000);
	bpf_host_write(AWAY, "areturn", 8);
	expect(2, "Interpreter: areturn");
	bpf_host_write(AWAY, "ireturn", 8);
	expect(2, "Interpreter: ireturn");
	put_codelet(2, BYTES, NAME(3));
	expect(2, "Interpreter: bytecode_3");
}

static void long_name_keeps_its_beginning(void **state)
{
	const struct tm_method *method;

	bpf_host_memory(AWAY, 0x20000);
	for (unsigned i = 0; i < 0x10000; i += 8)
		sampled_store(AWAY + i, 0x6161616161616161);
	put_codelet(2, BYTES, AWAY);
	sampled.registers.rip = CODELET(2) + PLACE;
	(void)sampled_once();
	method = bpf_maps_method_of(java_stack_number());
	assert_non_null(method);
	assert_int_equal(method->name_bytes, strlen("Interpreter: ") + 127);
	assert_memory_equal(method->text, "Interpreter: aaaa", 17);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define CODELET_TEST(name) cmocka_unit_test_setup(name, make)
		CODELET_TEST(codelet_is_found_and_known_from_then_on),
		CODELET_TEST(search_goes_on_over_samples),
		CODELET_TEST(record_has_its_name_alone),
		CODELET_TEST(stubs_are_sought_beside_them),
		CODELET_TEST(without_a_queue_the_blob_is_named),
		CODELET_TEST(frame_with_a_method_is_that),
		CODELET_TEST(codelet_of_no_bytes_ends_the_search),
		CODELET_TEST(queue_that_is_not_in_memory_has_none),
		CODELET_TEST(name_that_is_not_in_memory_is_that_of_the_blob),
		CODELET_TEST(long_name_keeps_its_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
