/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_java_entry - a leaf between two frames of HotSpot's has its caller: in adapters, where the
 * interpreter makes its frame or has left it, and in stubs that have pushed something
 */

#include <string.h>

#include "tests/unit/bpf/java_stack.h"

#define LEAF_SP  (SAMPLED_SP + 0x400)
#define SENDER   (LEAF_SP + 0x40) /* where the caller goes on */
#define OTHER_FP 0x1111u
#define PLACE    0x180u

enum {
	NATIVE,
	INNER,
	MIDDLE,
	OUTER,
	RUN
};

#define CALLERS        "outer@?, " JAVA_STACK_END
#define AND_SP         "\x48\x83\xe4\xf0"
#define SUB_SP         "\x48\x83\xec\x20"
#define MOV_R13        "\x4c\x8b\xec"
#define LEA_R13_POP    "\x4c\x8d\x6c\x24\x08\x58"
#define PUSH_RAX       "\x50"
#define STORE_RAX      "\x48\x89\x04\x24"
#define POP_R13        "\x41\x5d"
#define MOV_SP         "\x48\x8b\xe3"
#define JMP_R13        "\x41\xff\xe5"
#define MOV_FP         "\x48\x8b\xec"
#define STORE_ARGUMENT "\x48\x89\x74\x24\x10"
#define LEAVE          "\xc9"
#define CLEAR_BYTE     "\x41\xc6\x87\xbe\x03"
#define PUSH_TWO       "\x41\x50\x51"
#define CALL           "\xe8\x10\x20\x30\x40"
#define POP_TWO        "\x41\x58\x59"

static uint64_t compiled, interpreter, stub;

static int make(void **state)
{
	struct java_blob blob = {.title = "nmethod",
				 .words = JAVA_WORDS,
				 .complete = 0x20,
				 .bytes = 0x100,
				 .method = OUTER};

	java_process_make(state);
	compiled = JAVA_CODE(java_process_blob(1, &blob)) + 0x40;
	blob = (struct java_blob){.title = "Interpreter", .complete = -1, .bytes = 0x1000};
	interpreter = JAVA_CODE(java_process_blob(0, &blob));
	stub = java_stack_stub();
	java_process_met();
	return 0;
}

/* The leaf is there: what it has behind and before it, nothing of use on its stack, and a caller
 * that goes on at this sp. */
static void put_leaf(uint64_t at, const char *before, const char *code, uint64_t caller_sp)
{
	for (unsigned i = 0; i < 16; i++)
		java_process_put(at - 8 + i, 0x90, 1);
	bpf_host_write(at - strlen(before), before, strlen(before));
	bpf_host_write(at, code, strlen(code));
	for (unsigned i = 0; i < 64; i++)
		sampled_store(LEAF_SP + 8ull * i, 0x6660 + i);
	java_stack_compiled(caller_sp, JAVA_STUB_FP, stub);
	sampled.registers.rax = sampled.registers.rbx = sampled.registers.r13 = 0;
	sampled.registers.rip = at;
	sampled.registers.rsp = LEAF_SP;
	sampled.registers.rbp = OTHER_FP;
}

/* A call, before a return address, of this code. */
static void put_call(uint64_t ra, uint64_t target)
{
	java_process_put(ra - 5, 0xe8, 1);
	java_process_put(ra - 4, (uint32_t)(target - ra), 4);
}

/* --- the interpreter -------------------------------------------------------------------------- */

static void put_entering(const char *code)
{
	put_leaf(interpreter + PLACE, "", code, SENDER);
	sampled.registers.rbx = JAVA_METHOD(MIDDLE);
	sampled.registers.r13 = SENDER;
}

static void interpreter_that_makes_its_frame_has_its_caller(void **state)
{
	put_entering("");
	sampled_store(LEAF_SP, compiled);
	java_stack_expect("middle@?, " CALLERS);
	put_entering("");
	sampled.registers.rax = compiled;
	java_stack_expect("middle@?, " CALLERS);
	put_entering(MOV_FP);
	sampled_store(LEAF_SP, OTHER_FP);
	sampled_store(LEAF_SP + 8, compiled);
	java_stack_expect("middle@?, " CALLERS);
	for (unsigned made = 0; made < 3; made++) {
		put_entering("");
		sampled.registers.rbp = LEAF_SP + 8ull * made;
		sampled_store(sampled.registers.rbp, OTHER_FP);
		sampled_store(sampled.registers.rbp + 8, compiled);
		if (made) {
			sampled_store(sampled.registers.rbp - 8, SENDER);
			sampled.registers.r13 = JAVA_BYTECODE(MIDDLE);
		}
		java_stack_expect("middle@?, " CALLERS);
	}
}

/* A register that is not where the caller goes on is no reason to take the word at sp. */
static void interpreter_with_another_register_makes_no_frame(void **state)
{
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t others[] = {0, LEAF_SP, SAMPLED_CODE};
		uint64_t fp = LEAF_SP + 0x80;

		put_entering("");
		sampled_store(LEAF_SP, compiled);
		sampled.registers.rbp = fp;
		sampled.registers.r13 = others[i];
		java_process_interpreted(fp, JAVA_STUB_FP, stub, fp + 0x20, RUN, 5);
		java_stack_expect("run@5, " JAVA_STACK_END);
	}
}

static void interpreter_that_has_left_its_frame_has_its_caller(void **state)
{
	static const struct {
		const char *before, *code;
		bool left, popped; /* else sp is set, too */
	} positions[] = {
		{LEAVE, CLEAR_BYTE, true, false}, {"", POP_R13 MOV_SP, true, false},
		{POP_R13, MOV_SP, false, true},   {MOV_SP, "", false, false},
		{"", JMP_R13, false, false},
	};

	for (unsigned i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
		bool is_set = !positions[i].left && !positions[i].popped;

		put_leaf(interpreter + PLACE, positions[i].before, positions[i].code,
			 is_set ? LEAF_SP : SENDER);
		sampled.registers.rbx = SENDER;
		sampled.registers.r13 = compiled;
		if (positions[i].left) {
			sampled_store(LEAF_SP, compiled);
			sampled.registers.r13 = 0;
		}
		java_stack_expect("Interpreter@384, " CALLERS);
	}
}

/* --- adapters --------------------------------------------------------------------------------- */

static uint64_t make_adapter(void)
{
	struct java_blob blob = {.title = "I2C/C2I adapters", .complete = -1, .bytes = 0x400};

	return JAVA_CODE(java_process_blob(0, &blob));
}

#define ADAPTER "I2C/C2I adapters@384, "

static void adapter_into_the_interpreter_has_its_caller(void **state)
{
	static const struct {
		const char *before, *code;
		uint64_t caller_sp, r13;
		bool is_in_rax;
	} positions[] = {
		/* A register left over may lie in the stack, too. */
		{"", "", LEAF_SP + 8, LEAF_SP + 0x30, false},
		{"", MOV_R13 SUB_SP, LEAF_SP, LEAF_SP + 0x30, true},
		{MOV_R13, SUB_SP, LEAF_SP, LEAF_SP, true},
		{MOV_R13 SUB_SP, STORE_RAX, SENDER, SENDER, true},
		{MOV_R13 SUB_SP STORE_RAX, STORE_ARGUMENT, SENDER, SENDER, false},
		{"", LEA_R13_POP SUB_SP, LEAF_SP + 8, LEAF_SP + 0x30, false},
		{LEA_R13_POP, SUB_SP, LEAF_SP, LEAF_SP, true},
		{LEA_R13_POP SUB_SP, PUSH_RAX, SENDER, SENDER, true},
		{LEA_R13_POP SUB_SP PUSH_RAX, STORE_ARGUMENT, SENDER, SENDER, false},
	};
	uint64_t adapter = make_adapter();
	bool is_undecided;

	for (unsigned i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
		put_leaf(adapter + PLACE, positions[i].before, positions[i].code,
			 positions[i].caller_sp);
		put_call(compiled, adapter);
		sampled.registers.r13 = positions[i].r13;
		if (positions[i].is_in_rax)
			sampled.registers.rax = compiled;
		else
			sampled_store(LEAF_SP, compiled);
		/* Not all of the code before was looked at. */
		is_undecided = positions[i].caller_sp == LEAF_SP + 8;
		java_stack_expect(is_undecided ? "I2C/C2I adapters@384, stop 10" : ADAPTER CALLERS);
	}
	put_leaf(adapter + 0x80, "", "", LEAF_SP + 8);
	sampled.registers.r13 = LEAF_SP + 0x30;
	sampled_store(LEAF_SP, compiled);
	java_stack_expect("I2C/C2I adapters@128, " CALLERS);
}

static void adapter_into_compiled_code_has_its_caller(void **state)
{
	uint64_t adapter = make_adapter(), fp = SENDER + 0x80;

	for (unsigned i = 0; i < 3; i++) {
		static const char *const before[] = {"", "", AND_SP};
		static const char *const code[] = {"", AND_SP, PUSH_RAX};

		put_leaf(adapter + PLACE, before[i], code[i], SENDER);
		sampled.registers.r13 = SENDER;
		sampled.registers.rbp = fp;
		if (i)
			sampled.registers.rax = interpreter + 0x40;
		sampled_store(LEAF_SP, i ? compiled : interpreter + 0x40); /* left over */
		java_process_interpreted(fp, JAVA_STUB_FP, stub, fp + 0x20, RUN, 5);
		java_stack_expect(ADAPTER "run@5, " JAVA_STACK_END);
	}
}

/* --- stubs ------------------------------------------------------------------------------------ */

static uint64_t make_stub(const char *title, uint32_t words)
{
	struct java_blob blob = {.title = title, .words = words, .complete = -1, .bytes = 0x200};

	return JAVA_CODE(java_process_blob(0, &blob));
}

/* Whatever it has pushed: its return address is behind a call of it. */
static void leaf_in_a_stub_is_found_by_its_call(void **state)
{
	uint64_t code = make_stub("some stub", 8);

	put_call(compiled, code + 0x100);
	for (unsigned pushed = 0; pushed < 20; pushed++) {
		put_leaf(code + PLACE, "", "", LEAF_SP + 8 * (pushed + 1ull));
		sampled_store(LEAF_SP + 8ull * pushed, compiled);
		java_stack_expect("some stub@384, " CALLERS);
	}
	put_leaf(code + PLACE, "", "", LEAF_SP + 8 * 3); /* with two words for it */
	sampled_store(LEAF_SP, compiled);
	java_stack_compiled(LEAF_SP + 8 + 16, JAVA_STUB_FP, stub);
	java_stack_expect("some stub@384, " CALLERS);
}

static void barrier_of_entry_has_a_word_before_its_frame(void **state)
{
	put_leaf(make_stub("StubRoutines (2)", 0) + PLACE, "", "", SENDER);
	sampled.registers.rbp = SENDER - 24;
	sampled_store(SENDER - 24, OTHER_FP);
	sampled_store(SENDER - 16, ~0ull);
	sampled_store(SENDER - 8, compiled);
	java_stack_expect("StubRoutines (2)@384, " CALLERS);
}

static void stub_with_an_aligned_sp_goes_by_its_frame_pointer(void **state)
{
	static const char *const titles[] = {"DeoptimizationBlob", "UncommonTrapBlob"};

	for (unsigned i = 0; i < 2; i++) {
		put_leaf(make_stub(titles[i], 8) + PLACE, "", "", LEAF_SP + 72);
		sampled.registers.rbp = LEAF_SP + 56;
		sampled_store(LEAF_SP + 56, OTHER_FP);
		sampled_store(LEAF_SP + 64, compiled);
		java_stack_expect(i ? "UncommonTrapBlob@384, " CALLERS
				    : "DeoptimizationBlob@384, " CALLERS);
	}
}

/* The word at sp is the return address, but once more. */
static void stub_that_has_copied_its_return_address_has_its_frame(void **state)
{
	put_leaf(make_stub("_rethrow_Java", 4) + PLACE, "", "", LEAF_SP + 32);
	put_call(compiled, interpreter);
	sampled_store(LEAF_SP, compiled);
	sampled_store(LEAF_SP + 24, compiled);
	java_stack_expect("_rethrow_Java@384, " CALLERS);
}

static void stub_without_a_size_has_its_return_address(void **state)
{
	uint64_t code = make_stub("C1 Runtime unwind", ~0u);

	put_call(compiled, interpreter);
	put_leaf(code + PLACE, "", "", LEAF_SP + 8);
	sampled_store(LEAF_SP, compiled);
	java_stack_expect("C1 Runtime unwind@384, " CALLERS);
	put_leaf(code + PLACE, "", "\x48\x83\xc4\x08", LEAF_SP + 16);
	sampled_store(LEAF_SP + 8, compiled);
	java_stack_expect("C1 Runtime unwind@384, " CALLERS);
	java_process_put(code, 0xec8b4855, 4);
	put_leaf(code + PLACE, "", "", SENDER);
	sampled.registers.rbp = SENDER - 16;
	sampled_store(SENDER - 16, OTHER_FP);
	sampled_store(SENDER - 8, compiled);
	java_stack_expect("C1 Runtime unwind@384, " CALLERS);
}

/* --- compiled code ---------------------------------------------------------------------------- */

static void compiled_code_that_checks_a_type_has_pushed_arguments(void **state)
{
	static const struct {
		const char *before, *code;
		unsigned words;
	} positions[] = {
		{"", "\x41\x50\x51" CALL, 0}, {"\x41\x50", "\x51" CALL, 1}, {PUSH_TWO, CALL, 2},
		{CALL, POP_TWO, 2},           {CALL "\x41\x58", "\x59", 1}, {CALL POP_TWO, "", 0},
	};

	for (unsigned i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
		uint64_t end = LEAF_SP + 8 * (JAVA_WORDS + positions[i].words);

		put_leaf(compiled + 0x20, positions[i].before, positions[i].code, end);
		sampled_store(end - 8, compiled);
		java_stack_expect("outer@?, " CALLERS);
	}
}

/* Wherever it is while it does so. */
static void compiled_code_that_compares_strings_has_pushed_a_word(void **state)
{
	put_leaf(compiled + 0x20, "", "", LEAF_SP + 8 * (JAVA_WORDS + 1));
	sampled_store(LEAF_SP + 8 * JAVA_WORDS, compiled);
	java_stack_expect("outer@?, " CALLERS);
	sampled_store(LEAF_SP + 8 * JAVA_WORDS, OTHER_FP);
	sampled_store(LEAF_SP + 8 * (JAVA_WORDS + 1), OTHER_FP);
	java_stack_expect("outer@?, stop 10"); /* TM_STOP_RETURN_ADDRESS */
}

/* A call of code behind an nmethod, which sets a register and jumps to an adapter. */
static void stub_behind_compiled_code_has_its_return_address(void **state)
{
	for (unsigned at = 0; at <= 11; at++) {
		put_leaf(compiled + 0x60 + at, "", "", LEAF_SP + 8);
		put_call(compiled, compiled + 0x60);
		sampled_store(LEAF_SP, compiled);
		if (at <= 10) {
			java_stack_expect("outer@?, " CALLERS);
			continue;
		}
		java_stack_compiled(LEAF_SP, JAVA_STUB_FP, stub); /* of the next instruction */
		sampled_store(LEAF_SP, compiled);
		java_stack_expect("outer@?, " JAVA_STACK_END);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define JAVA_TEST(name) cmocka_unit_test_setup(name, make)
		JAVA_TEST(interpreter_that_makes_its_frame_has_its_caller),
		JAVA_TEST(interpreter_with_another_register_makes_no_frame),
		JAVA_TEST(interpreter_that_has_left_its_frame_has_its_caller),
		JAVA_TEST(adapter_into_the_interpreter_has_its_caller),
		JAVA_TEST(adapter_into_compiled_code_has_its_caller),
		JAVA_TEST(leaf_in_a_stub_is_found_by_its_call),
		JAVA_TEST(barrier_of_entry_has_a_word_before_its_frame),
		JAVA_TEST(stub_with_an_aligned_sp_goes_by_its_frame_pointer),
		JAVA_TEST(stub_that_has_copied_its_return_address_has_its_frame),
		JAVA_TEST(stub_without_a_size_has_its_return_address),
		JAVA_TEST(compiled_code_that_checks_a_type_has_pushed_arguments),
		JAVA_TEST(compiled_code_that_compares_strings_has_pushed_a_word),
		JAVA_TEST(stub_behind_compiled_code_has_its_return_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
