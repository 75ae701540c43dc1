/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_leaf - code of HotSpot's that was interrupted has its caller wherever that was: before
 * its frame is made, behind it, and where there never is one
 */

#include <string.h>

#include "tests/unit/bpf/java_stack.h"

#define LEAF_WORDS  8u
#define LEAF_SP     (SAMPLED_SP + 0x400)
#define COMPLETE    0x20  /* where the frame of the leaf is complete */
#define INSIDE      0x10  /* a place before */
#define BEHIND      0x60  /* a place behind */
#define FRAME_BYTES 0x80u /* from an interpreter's sp to its fp */

enum {
	NATIVE,
	INNER,
	MIDDLE,
	OUTER,
	RUN
};

enum frame {
	RETURN,  /* the return address alone */
	PUSHED,  /* and the caller's frame pointer */
	UNSAVED, /* all of the frame, but the caller's frame pointer is in its register */
	WHOLE,
};

static uint64_t leaf, compiled, interpreter, stub;

static int make(void **state)
{
	struct java_blob blob = {.title = "nmethod",
				 .words = LEAF_WORDS,
				 .complete = COMPLETE,
				 .bytes = 0x100,
				 .method = INNER};

	java_process_make(state);
	leaf = JAVA_CODE(java_process_blob(1, &blob));
	blob.words = JAVA_WORDS;
	blob.method = OUTER;
	compiled = JAVA_CODE(java_process_blob(1, &blob)) + 0x40;
	blob = (struct java_blob){.title = "Interpreter", .complete = -1, .bytes = 0x1000};
	interpreter = JAVA_CODE(java_process_blob(0, &blob)) + 0x40;
	stub = java_stack_stub();
	java_process_met();
	return 0;
}

/* --- prologue and epilogue -------------------------------------------------------------------- */

static void store_code(uint64_t at, const char *before, const char *code)
{
	for (unsigned i = 0; i < 16; i++)
		java_process_put(at - 8 + i, 0x90, 1);
	bpf_host_write(at - strlen(before), before, strlen(before));
	bpf_host_write(at, code, strlen(code));
}

/* What the leaf has on the stack so far. Return: the caller's sp. */
static uint64_t store_frame(enum frame frame, uint64_t fp, uint64_t ra)
{
	uint64_t end = LEAF_SP + 8 * (frame == RETURN ? 1u : frame == PUSHED ? 2u : LEAF_WORDS);

	for (unsigned i = 0; i < 32; i++)
		sampled_store(LEAF_SP + 8ull * i, 0x6660 + i);
	sampled_store(end - 8, ra);
	sampled.registers.rsp = LEAF_SP;
	sampled.registers.rbp = fp;
	if (frame == PUSHED || frame == WHOLE) {
		sampled_store(end - 16, fp);
		sampled.registers.rbp = 0x1111;
	}
	return end;
}

/* Of two callers, one shows that sp is right, and one that fp is. */
static void expect_callers(const char *by_sp, const char *by_fp, enum frame frame)
{
	uint64_t end = LEAF_SP + 8 * LEAF_WORDS, fp = end + FRAME_BYTES;

	java_stack_compiled(store_frame(frame, 0x1111, compiled), JAVA_STUB_FP, stub);
	java_stack_expect(by_sp);
	store_frame(frame, fp, interpreter);
	java_process_interpreted(fp, JAVA_STUB_FP, stub, fp + 0x20, RUN, 5);
	java_stack_expect(by_fp);
}

static void expect_frame(uint64_t place, enum frame frame)
{
	sampled.registers.rip = leaf + place;
	expect_callers("inner@?, outer@?, " JAVA_STACK_END, "inner@?, run@5, " JAVA_STACK_END,
		       frame);
}

struct position {
	enum frame frame;
	const char *before, *code;
};

static void expect_positions(uint64_t place, const struct position *positions, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		store_code(leaf + place, positions[i].before, positions[i].code);
		expect_frame(place, positions[i].frame);
	}
}
#define expect_all(place, positions) \
	expect_positions(place, positions, sizeof(positions) / sizeof(positions[0]))

#define PUSH_FP  "\x55"
#define SUB_8    "\x48\x83\xec\x30"             /* sub $0x30, %rsp */
#define SUB_32   "\x48\x81\xec\x30\x01\x01\x01" /* sub $0x1010130, %rsp */
#define MOV_FP   "\x48\x8b\xec"                 /* mov %rsp, %rbp */
#define MOV_FP_2 "\x48\x89\xe5"
#define POP_FP   "\x5d"
#define RET      "\xc3"

static void prologue_of_compiled_code(void **state)
{
	static const struct position positions[] = {
		{RETURN, "", "\x89\x84\x24\x01\xc0\xfe\xff"}, /* mov %eax, -81919(%rsp) */
		{RETURN, "\x89\x84\x24\x01\xc0\xfe\xff", PUSH_FP},
		{PUSHED, PUSH_FP, SUB_8},
		{PUSHED, PUSH_FP, SUB_32},
		{PUSHED, PUSH_FP, MOV_FP},
		{PUSHED, PUSH_FP, MOV_FP_2},
		{PUSHED, PUSH_FP MOV_FP, SUB_8},
		{PUSHED, PUSH_FP MOV_FP_2, SUB_32},
		{RETURN, "", SUB_8},
		{RETURN, "", SUB_32},
		{UNSAVED, SUB_8, "\x48\x89\x6c\x24\x20"}, /* mov %rbp, 0x20(%rsp) */
		{UNSAVED, SUB_32, "\x48\x89\xac\x24\x20\x01\x01\x01"},
	};

	expect_all(INSIDE, positions);
}

/* It asks whether it is still valid, as soon as it has its frame: cmp flag(%r15), je over a call.
 * The comparison is aligned. */
static void barrier_of_compiled_code_has_its_frame(void **state)
{
	static const struct position positions[] = {
		{WHOLE, SUB_8, "\x41\x81\x7f\x20\x01\x01\x01\x01"},
		{WHOLE, SUB_32, "\x0f\x1f\x40"},
		{WHOLE, PUSH_FP MOV_FP SUB_8, "\x66\x90\x41\x81"},
		{WHOLE, "\x66\x90", "\x41\x81\x7f\x20\x01\x01\x01\x01"},
		{WHOLE, "\x66\x90", "\x41\x81\xbf\x20\x01\x01\x01\x01"},
		{WHOLE, "\x41\x81\x7f\x20\x01\x01\x01\x01", "\x74\x05\xe8"},
	};
	const char *je = "\x0f\x84\x05\0\0\0";

	expect_all(INSIDE, positions);
	store_code(leaf + INSIDE, "\x41\x81\x7f\x20\x01\x01\x01\x01", je);
	bpf_host_write(leaf + INSIDE, je, 6);
	expect_frame(INSIDE, WHOLE);
}

static void start_of_compiled_code(void **state)
{
	bpf_host_write(leaf, "\x89\x84\x24\x01\xc0\xfe\xff", 7);
	expect_frame(0, RETURN);
}

static void epilogue_of_compiled_code(void **state)
{
	static const struct position positions[] = {
		{WHOLE, "", "\x48\x83\xc4\x30"}, /* add $0x30, %rsp */
		{PUSHED, "\x48\x83\xc4\x30", POP_FP},
		{RETURN, POP_FP, RET},
		/* cmp poll(%r15), %rsp; ja (16 on) */
		{RETURN, POP_FP, "\x49\x3b\x67\x28\x0f\x87"},
		{RETURN, POP_FP, "\x49\x3b\xa7\x28\x04\x01\x01\x0f"},
		{RETURN, "\x49\x3b\x67\x28", "\x0f\x87\x11\x01\x01\x01"},
		{RETURN, "\x49\x3b\xa7\x28\x04\x01\x01", "\x0f\x87\x11\x01\x01\x01"},
		/* test %eax, poll(%rip); ret (to 10) */
		{RETURN, POP_FP, "\x85\x05\x11\x22\x33\x44" RET},
		/* mov page(%r15), %r10; test %eax, (%r10); ret (11 to 15) */
		{RETURN, POP_FP, "\x4d\x8b\x97\x18\x01\x01\x01\x41"},
		{RETURN, POP_FP, "\x4d\x8b\x57\x18\x41\x85\x02" RET},
		{RETURN, "", "\x41\x85\x02" RET},
	};

	expect_all(BEHIND, positions);
}

static void code_between_has_its_frame(void **state)
{
	static const struct position positions[] = {
		{WHOLE, "", "\x48\x89\xd8"},
		{WHOLE, "", "\x85\x05\x11\x22\x33\x44\x48"}, /* a poll of a loop */
		{WHOLE, "", "\x41\x85\x02\x48"},
		{WHOLE, "", "\x4d\x8b\x97\x18\x01\x01\x01\x41"},
		{WHOLE, "", "\x0f\x87\x11\x01\x01\x01"}, /* ja behind another comparison */
		{WHOLE, "\x48\x83\xc0\x05", SUB_8},
		{WHOLE, "", MOV_FP},
	};

	expect_all(BEHIND, positions);
}

/* A frame that is never complete by what the blob says: -1. */
static void negative_place_of_completion_is_none(void **state)
{
	for (uint16_t scopes = TM_JAVA_ADDRESS; scopes <= TM_JAVA_IMMUTABLE; scopes++) {
		struct java_blob blob = {.title = "nmethod",
					 .words = LEAF_WORDS,
					 .complete = -1,
					 .bytes = 0x100,
					 .method = INNER};

		java_process_make_as(scopes);
		leaf = JAVA_CODE(java_process_blob(1, &blob));
		blob.method = OUTER;
		blob.words = JAVA_WORDS;
		compiled = JAVA_CODE(java_process_blob(1, &blob)) + 0x40;
		stub = java_stack_stub();
		java_process_met();
		store_code(leaf + INSIDE, "", "\x48\x89\xd8");
		java_stack_compiled(store_frame(WHOLE, 0x1111, compiled), JAVA_STUB_FP, stub);
		sampled.registers.rip = leaf + INSIDE;
		java_stack_expect("inner@?, outer@?, " JAVA_STACK_END);
	}
}

/* A callee has all of its frame, whatever its code is like. */
static void caller_is_in_no_prologue(void **state)
{
	store_code(leaf + INSIDE, PUSH_FP, SUB_8);
	sampled_store(SAMPLED_SP, leaf + INSIDE);
	sampled_words(JAVA_COMPILED + 8ull * (LEAF_WORDS - 2), JAVA_STUB_FP, stub);
	java_stack_expect("1000, inner@?, " JAVA_STACK_END);
}

/* --- the interpreter, stubs ------------------------------------------------------------------- */

/* A call, before a return address. */
static void store_call(uint64_t ra)
{
	static const uint8_t calls[] = {0xe8, 0x11, 0x22, 0x33, 0x44};

	bpf_host_write(ra - sizeof(calls), calls, sizeof(calls));
}

static void interpreter_that_enters_a_method_has_it_in_a_register(void **state)
{
	store_call(compiled);
	sampled.registers.rip = interpreter + 0x200;
	sampled.registers.rbx = JAVA_METHOD(MIDDLE);
	sampled.registers.r13 = LEAF_SP + 8;
	java_stack_compiled(store_frame(RETURN, 0x1111, compiled), JAVA_STUB_FP, stub);
	java_stack_expect("middle@?, outer@?, " JAVA_STACK_END);
}

/* The word at sp is a return address left there, and the register holds something else. */
static void interpreter_in_its_frame_goes_by_that(void **state)
{
	uint64_t fp = LEAF_SP + FRAME_BYTES;

	store_call(compiled);
	store_frame(RETURN, fp, compiled);
	java_process_interpreted(fp, JAVA_STUB_FP, stub, fp + 0x20, RUN, 5);
	sampled.registers.rip = interpreter + 0x200;
	sampled.registers.rbx = 0;
	java_stack_expect("run@5, " JAVA_STACK_END);
	sampled.registers.rbx = JAVA_METHOD(MIDDLE);
	java_process_put(compiled - 5, 0x90, 1); /* no call is before it */
	java_stack_expect("run@5, " JAVA_STACK_END);
}

/* r13 is where the interpreter is, as long as it is in the code of the method. */
static void interpreter_knows_its_bytecode_by_a_register(void **state)
{
	uint64_t fp = LEAF_SP + FRAME_BYTES;

	store_frame(WHOLE, fp, compiled);
	sampled.registers.rbp = fp;
	java_process_interpreted(fp, JAVA_STUB_FP, stub, fp + 0x20, RUN, 5);
	sampled.registers.rip = interpreter + 0x200;
	sampled.registers.r13 = JAVA_BYTECODE(RUN) + 9;
	java_stack_expect("run@9, " JAVA_STACK_END);
	sampled.registers.r13 = JAVA_BYTECODE(RUN) + JAVA_BYTECODES;
	java_stack_expect("run@5, " JAVA_STACK_END);
	sampled.registers.r13 = JAVA_BYTECODE(MIDDLE);
	java_stack_expect("run@5, " JAVA_STACK_END);
	sampled_store(fp + 8ull * (uint64_t)JAVA_FRAME_CODE, 0x1234);
	java_stack_expect("run@?, " JAVA_STACK_END);
}

static void stub_without_a_frame_has_its_return_address(void **state)
{
	struct java_blob blob = {.title = "StubRoutines (2)", .complete = -1, .bytes = 0x100};

	sampled.registers.rip = JAVA_CODE(java_process_blob(0, &blob)) + 0x80;
	store_call(compiled);
	store_call(interpreter);
	expect_callers("StubRoutines (2)@128, outer@?, " JAVA_STACK_END,
		       "StubRoutines (2)@128, run@5, " JAVA_STACK_END, RETURN);
}

static void stub_with_a_frame_pointer_goes_by_that(void **state)
{
	struct java_blob blob = {.title = "StubRoutines (2)", .complete = -1, .bytes = 0x100};

	sampled.registers.rip = JAVA_CODE(java_process_blob(0, &blob)) + 0x80;
	java_stack_compiled(store_frame(WHOLE, 0x1111, compiled), JAVA_STUB_FP, stub);
	sampled.registers.rbp = LEAF_SP + 8 * (LEAF_WORDS - 2);
	java_stack_expect("StubRoutines (2)@128, outer@?, " JAVA_STACK_END);
	java_process_put(sampled.registers.rip, 0xc3, 1);
	java_stack_compiled(store_frame(RETURN, 0x1111, compiled), JAVA_STUB_FP, stub);
	java_stack_expect("StubRoutines (2)@128, outer@?, " JAVA_STACK_END);
	java_process_put(sampled.registers.rip, 0x5d, 1);
	java_stack_compiled(store_frame(PUSHED, 0x1111, compiled), JAVA_STUB_FP, stub);
	java_stack_expect("StubRoutines (2)@128, outer@?, " JAVA_STACK_END);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define JAVA_TEST(name) cmocka_unit_test_setup(name, make)
		JAVA_TEST(prologue_of_compiled_code),
		JAVA_TEST(barrier_of_compiled_code_has_its_frame),
		JAVA_TEST(start_of_compiled_code),
		JAVA_TEST(epilogue_of_compiled_code),
		JAVA_TEST(code_between_has_its_frame),
		JAVA_TEST(negative_place_of_completion_is_none),
		JAVA_TEST(caller_is_in_no_prologue),
		JAVA_TEST(interpreter_that_enters_a_method_has_it_in_a_register),
		JAVA_TEST(interpreter_in_its_frame_goes_by_that),
		JAVA_TEST(interpreter_knows_its_bytecode_by_a_register),
		JAVA_TEST(stub_without_a_frame_has_its_return_address),
		JAVA_TEST(stub_with_a_frame_pointer_goes_by_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
