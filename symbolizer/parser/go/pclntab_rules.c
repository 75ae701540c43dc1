/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_rules - writes the unwind rules of a function that a pclntab describes
 */

#include "symbolizer/parser/go/pclntab_rules.h"

#include <string.h>

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86_64.h"

/* funcFlag, since Go 1.17 */
#define FLAG_TOP_FRAME 1u
#define FLAG_SP_WRITE  2u
#define FLAG_ASSEMBLY  4u

/* From its _func. */
struct func_info {
	uint32_t pcsp; /* offset in pctab */
	uint32_t flags;
	const char *name;
};

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

/* The flags of functions of Go before 1.17, whose linker wrote none. */
static uint32_t flags_by_name(const char *name)
{
	static const char *const top[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go",
					  NULL};
	static const char *const writes[] = {"runtime.asmcgocall", "runtime.cgocallback_gofunc",
					     "runtime.gogo",       "runtime.mcall",
					     "runtime.morestack",  "runtime.nanotime",
					     "runtime.nanotime1",  "runtime.systemstack",
					     "runtime.walltime",   "runtime.walltime1",
					     "time.now",           NULL};

	return (is_one_of(name, top) ? FLAG_TOP_FRAME : 0) |
	       (is_one_of(name, writes) ? FLAG_SP_WRITE : 0);
}

static int read_func(const struct pclntab *pclntab, uint32_t number, struct func_info *func)
{
	uint64_t at = pclntab_func(pclntab, number);
	uint64_t fields =
		pclntab->version >= PCLNTAB_1_18 ? 0 : 4; /* an entry point of 8 bytes, not 4 */
	uint64_t flags;

	func->name = pclntab_name(pclntab, number);
	if (!func->name || at > pclntab->table.size)
		return -1;
	func->pcsp = (uint32_t)pclntab_number(pclntab, at + fields + 16, 4);
	if (pclntab->version == PCLNTAB_1_2) {
		func->flags = flags_by_name(func->name);
		return 0;
	}
	/* Behind cuOffset, funcID, and since 1.20 startLine. */
	flags = at + fields + (pclntab->version == PCLNTAB_1_20 ? 41 : 37);
	func->flags = (uint32_t)pclntab_number(pclntab, flags, 1);
	if (pclntab->version == PCLNTAB_1_16) /* 1.16 itself has a zero there */
		func->flags |= flags_by_name(func->name);
	return 0;
}

/* A compiled function saves the frame pointer below its return address; assembly need not. */
static struct tm_rule rule_of(const struct func_info *func, int64_t pushed)
{
	struct tm_rule rule = {.cfa = TM_CFA_SP,
			       .cfa_offset = (int32_t)(pushed + X86_64_WORD),
			       .ra = TM_SAVED_CFA,
			       .ra_offset = X86_64_CALL_RA,
			       .fp = TM_SAVED_SAME};

	/* One word below zero: the return address was popped, and is still there. */
	if (pushed < -X86_64_WORD || pushed > INT32_MAX - X86_64_WORD)
		return (struct tm_rule){.cfa = TM_CFA_NONE};
	if (pushed >= X86_64_WORD && !(func->flags & FLAG_ASSEMBLY)) {
		rule.fp = TM_SAVED_CFA;
		rule.fp_offset = X86_64_RECORD_FP;
	}
	return rule;
}

static int64_t zigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* A list of pairs (change of the bytes pushed, distance for which it holds), which a zero ends.
 * Return: 0, PCSP_E_INVALID: the list makes no sense, PARSER_FAILED (memory). */
#define PCSP_E_INVALID PARSER_STATUS_N
static int write_pcsp(const struct pclntab *pclntab, struct table_writer *writer,
		      const struct code_range *range, uint64_t limit, const struct func_info *func)
{
	struct cursor cursor = cursor_of(pclntab->table.bytes, pclntab->table.size);
	int64_t pushed = -1;
	uint64_t at = 0;
	int r = 0;

	cursor_skip(&cursor, pclntab->pctab);
	cursor_skip(&cursor, func->pcsp);
	while (!r && at < limit) {
		uint64_t change = (uint32_t)cursor_unsigned(&cursor);
		struct tm_rule rule;

		if (!change && at) /* the end; what follows is padding */
			return cursor.is_past_end ? PCSP_E_INVALID : 0;
		if (cursor.is_past_end)
			return PCSP_E_INVALID;
		pushed += zigzag(change);
		rule = rule_of(func, pushed);
		r = table_writer_put(writer, range->start + at, &rule);
		at += (uint32_t)cursor_unsigned(&cursor) * (uint64_t)pclntab->quantum;
	}
	return r;
}

static int write_one(struct table_writer *writer, uint64_t offset, struct tm_rule rule)
{
	return table_writer_put(writer, offset, &rule);
}

int pclntab_rules_write(const struct pclntab *pclntab, struct table_writer *writer,
			const struct code_range *range, uint64_t limit, bool *ret_refused)
{
	static const char *const trampolines[] = {"runtime.sigreturn__sigaction",
						  "runtime.sigreturn", NULL};
	/* They switch to g0's stack, where they have no caller (Go's topofstack()). */
	static const char *const switching[] = {"runtime.mcall", "runtime.morestack", NULL};
	struct func_info func;
	int r;

	*ret_refused = false;
	if (read_func(pclntab, range->index, &func) < 0) {
		*ret_refused = true;
		return write_one(writer, range->start, (struct tm_rule){.cfa = TM_CFA_NONE});
	}
	/* A handler returns to the first byte; a return address is looked up one byte before. */
	if (is_one_of(func.name, trampolines))
		return write_one(writer, range->start - 1, x86_64_signal_rule());
	if (strncmp(func.name, "_rt0_", 5) == 0)
		return write_one(writer, range->start, (struct tm_rule){.cfa = TM_CFA_END});
	/* Go's own unwinder ends at the signal handler; we go on to the interrupted code. */
	if (func.flags & FLAG_TOP_FRAME && strcmp(func.name, "runtime.sigtramp") != 0)
		return write_one(writer, range->start, (struct tm_rule){.cfa = TM_CFA_END});
	if (is_one_of(func.name, switching))
		return write_one(writer, range->start,
				 (struct tm_rule){.cfa = TM_CFA_END, .flags = TM_RULE_SP_LOST});
	if (func.flags & FLAG_SP_WRITE)
		return write_one(writer, range->start, x86_64_frame_pointer_rule());
	r = write_pcsp(pclntab, writer, range, limit, &func);
	if (r != PCSP_E_INVALID)
		return r;
	*ret_refused = true;
	return write_one(writer, range->start, x86_64_frame_pointer_rule());
}
