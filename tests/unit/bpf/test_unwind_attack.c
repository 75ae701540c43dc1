/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_unwind_attack - rows of a compromised symbolizer, of each kind, cannot make a walk read
 * anything but the stack and a few bytes of code
 */

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/sampled.h"

#define ROW_BYTES  4u
#define CODE_BYTES 9u
#define TARGET     (SAMPLED_DATA + 0x1000) /* to which each register and word of the stack leads */

static struct {
	unsigned elsewhere, reads;
	uint64_t first; /* address that was read elsewhere */
} attack;

static void note_read(uint64_t address, uint32_t bytes)
{
	bool stack =
		address >= SAMPLED_STACK && address + bytes <= SAMPLED_STACK + SAMPLED_STACK_BYTES;
	bool code = address >= SAMPLED_CODE && address < SAMPLED_CODE + SAMPLED_CODE_BYTES &&
		    bytes <= CODE_BYTES;

	attack.reads++;
	if (stack || code)
		return;
	if (!attack.elsewhere++)
		attack.first = address;
}

static bool is_allowed(struct tm_rule rule)
{
	return !(rule.flags & TM_RULE_KEPT) || rule.cfa == TM_CFA_SP || rule.cfa == TM_CFA_FP;
}

/* A frame record, and setcontext's structure, may be on another stack. */
static bool may_enter(struct tm_rule rule)
{
	if (rule.ra != TM_SAVED_CFA || rule.fp != TM_SAVED_CFA)
		return false;
	return (rule.cfa == TM_CFA_FP && rule.cfa_offset == 16 && rule.ra_offset == -8 &&
		rule.fp_offset == -16) ||
	       (rule.cfa == TM_CFA_REGISTER && rule.base == RDX && rule.cfa_offset == 0 &&
		rule.ra_offset == 168 && rule.fp_offset == 120 && rule.flags & TM_RULE_SP_LOST);
}

static const struct offsets {
	int32_t cfa, fp;
	int16_t ra;
	uint8_t add;
} offsets[] = {{16, -16, -8, 0}, {0, 120, 168, 0}, {160, 120, 168, 0},
	       {8, 8, 8, 8},     {0, 0, 0, 255},   {-0x40000000, 0x40000000, INT16_MAX, 3}};

/* Every kind of rule with each of the offsets, in each of @rows. Return: how many there are. */
static unsigned each_rule(unsigned row, uint8_t base, struct tm_rule *ret)
{
	unsigned at = row;

	*ret = (struct tm_rule){.cfa = (uint8_t)(TM_CFA_SP + at % (TM_CFA_N - TM_CFA_SP))};
	at /= TM_CFA_N - TM_CFA_SP;
	ret->ra = (uint8_t)(TM_SAVED_CFA + at % (TM_SAVED_N - TM_SAVED_CFA));
	at /= TM_SAVED_N - TM_SAVED_CFA;
	ret->fp = (uint8_t)(at % TM_SAVED_N);
	at /= TM_SAVED_N;
	ret->flags = (uint8_t)(at % (TM_RULE_FLAGS + 1));
	at /= TM_RULE_FLAGS + 1;
	ret->cfa_offset = offsets[at].cfa;
	ret->ra_offset = ret->ra == TM_SAVED_REGISTER ? base : offsets[at].ra;
	ret->fp_offset = ret->fp == TM_SAVED_REGISTER ? base : offsets[at].fp;
	ret->cfa_add = offsets[at].add;
	ret->base = base;
	return (TM_CFA_N - TM_CFA_SP) * (TM_SAVED_N - TM_SAVED_CFA) * TM_SAVED_N *
	       (TM_RULE_FLAGS + 1) * (unsigned)(sizeof(offsets) / sizeof(offsets[0]));
}

/* Registers and stack lead to @target. sp is of the stack, as the kernel has it. */
static void lead_to(uint64_t target)
{
	uint64_t sp = SAMPLED_SP, rip = sampled.registers.rip;

	sampled.registers = (struct pt_regs){.r15 = target,
					     .r14 = target,
					     .r13 = target,
					     .r12 = target,
					     .rbp = target,
					     .rbx = target,
					     .r11 = target,
					     .r10 = target,
					     .r9 = target,
					     .r8 = target,
					     .rax = target,
					     .rcx = target,
					     .rdx = target,
					     .rsi = target,
					     .rdi = target,
					     .rip = rip,
					     .cs = 0x33,
					     .ss = 0x2b,
					     .rsp = sp};
	for (uint64_t at = SAMPLED_STACK; at < SAMPLED_STACK + SAMPLED_STACK_BYTES; at += 8)
		sampled_store(at, target);
}

/* Takes a sample for each rule that may enter another stack, or for each that may not. Return: how
 * many of these @ret_tried read elsewhere; the first one is printed. */
static unsigned try_each(uint8_t base, uint64_t target, bool entering, unsigned *ret_tried)
{
	struct tm_rule rule;
	unsigned rows = each_rule(0, base, &rule), read = 0;

	for (unsigned row = 0; row < rows; row++) {
		(void)each_rule(row, base, &rule);
		sampled_row(LEAF + row * ROW_BYTES, is_allowed(rule) ? rule : RULE_NONE);
	}
	lead_to(target);
	sampled_install();
	*ret_tried = 0;
	attack.reads = 0;
	bpf_host_before_read(note_read);
	for (unsigned row = 0; row < rows; row++) {
		(void)each_rule(row, base, &rule);
		if (!is_allowed(rule) || may_enter(rule) != entering)
			continue;
		(*ret_tried)++;
		attack.elsewhere = 0;
		sampled.registers.rip = CODE(LEAF + row * ROW_BYTES);
		(void)sampled_once();
		if (attack.elsewhere && !read++)
			print_message(
				"cfa %u ra %u fp %u flags %u offsets %d %d %d: %llx is read\n",
				rule.cfa, rule.ra, rule.fp, rule.flags, rule.cfa_offset,
				rule.ra_offset, rule.fp_offset, (unsigned long long)attack.first);
	}
	bpf_host_before_read(NULL);
	return read;
}

static void memory_beside_the_stack_is_not_read(void **state)
{
	static const uint8_t bases[] = {RDX, RBX, R9};
	unsigned tried;

	for (unsigned i = 0; i < sizeof(bases); i++) {
		(void)sampled_make(state);
		assert_int_equal(try_each(bases[i], TARGET, /* entering= */ false, &tried), 0);
		assert_in_range(tried, 5000, 10000);
		assert_true(attack.reads > tried / 2); /* of the stack */
	}
}

static void memory_that_is_not_mapped_is_not_tried(void **state)
{
	unsigned tried;

	assert_int_equal(try_each(R9, 0x400000000ull, false, &tried), 0);
}

/* Not even by the rules that may enter another stack, unless it may be one. */
static void memory_that_is_no_stack_is_not_read(void **state)
{
	static const uint64_t flags[] = {0,
					 VM_READ,
					 VM_READ | VM_EXEC,
					 VM_READ | VM_WRITE | VM_EXEC,
					 VM_READ | VM_WRITE | VM_PFNMAP,
					 VM_READ | VM_WRITE | VM_IO};
	unsigned tried;

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		(void)sampled_make(state);
		sampled_map(SAMPLED_DATA, SAMPLED_BYTES, flags[i], SAMPLED_ANONYMOUS, 0);
		assert_int_equal(try_each(RDX, TARGET, /* entering= */ true, &tried), 0);
	}
	(void)sampled_make(state); /* as it may be here, each of them tries */
	assert_int_equal(try_each(RDX, TARGET, true, &tried), tried);
	assert_true(tried >= 8);
}

/* Nor by code without a rule: the return address that its prologue may have is no code. */
static void code_is_read_only_where_there_is_code(void **state)
{
	static const uint8_t first_bytes[][3] = {{0xc3}, {0x55}, {0x48, 0x89, 0xe5}};

	for (unsigned i = 0; i < sizeof(first_bytes) / sizeof(first_bytes[0]); i++) {
		(void)sampled_make(state);
		sampled_row(LEAF, RULE_NONE);
		sampled_row(START, RULE_END);
		bpf_host_write(CODE(LEAF), first_bytes[i], 3);
		lead_to(TARGET);
		sampled.registers.rip = CODE(LEAF);
		sampled_install();
		attack.elsewhere = attack.reads = 0;
		bpf_host_before_read(note_read);
		(void)sampled_once();
		assert_int_equal(attack.elsewhere, 0);
		assert_true(attack.reads >= 2);
		sampled.registers.rip = TARGET; /* where there is no code, none is read */
		(void)sampled_once();
		assert_int_equal(attack.elsewhere, 0);
		bpf_host_before_read(NULL);
	}
}

/* Code is looked for behind and before the leaf, which is the first of its mapping here. */
static void code_before_the_mapping_is_not_read(void **state)
{
	static const struct tm_rule rules[] = {RULE_SIGNAL, RULE(SP, 0x7fffff00)};

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		(void)sampled_make(state);
		sampled_row(0, rules[i]);
		sampled.registers.rip = CODE(0);
		sampled.registers.rax = 0;
		sampled_words(SAMPLED_SP + 160, SAMPLED_SP, CODE(0));
		sampled_install();
		attack.elsewhere = attack.reads = 0;
		bpf_host_before_read(note_read);
		(void)sampled_once();
		assert_int_equal(attack.elsewhere, 0);
		bpf_host_before_read(NULL);
	}
}

/* A row lets a signal frame begin below the stack, with its stack and return address on it. */
static void signal_frame_that_is_not_on_the_stack_as_a_whole_is_none(void **state)
{
	uint64_t sp = SAMPLED_STACK - 48; /* its first register is at sp + 40 */

	sampled_row(LEAF, (struct tm_rule){.cfa = TM_CFA_FP, .ra = TM_SAVED_SP});
	sampled_row(CALLER - 1, RULE_SIGNAL);
	sampled_row(SECOND, RULE(REGISTER, 16, .base = R8));
	sampled_row(START, RULE_END);
	sampled_sigreturn(CALLER);
	sampled.registers.rbp = sp;
	sampled_store(SAMPLED_SP, CODE(CALLER));
	sampled_words(sp + 160, SAMPLED_SP, CODE(SECOND));
	sampled_install();
	attack.elsewhere = 0;
	bpf_host_before_read(note_read);
	sampled_expect(TM_STOP_RETURN_ADDRESS, FRAME_EXACT(LEAF), FRAME_CALL(CALLER));
	assert_int_equal(attack.elsewhere, 0);
	bpf_host_before_read(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(memory_beside_the_stack_is_not_read),
		SAMPLED_TEST(memory_that_is_not_mapped_is_not_tried),
		SAMPLED_TEST(memory_that_is_no_stack_is_not_read),
		SAMPLED_TEST(code_is_read_only_where_there_is_code),
		SAMPLED_TEST(code_before_the_mapping_is_not_read),
		SAMPLED_TEST(signal_frame_that_is_not_on_the_stack_as_a_whole_is_none),
	};

	return SAMPLED_RUN(tests);
}
