/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_rules - the rows of a function that a pclntab describes
 */

#include "symbolizer/parser/go/pclntab_rules.h"

#include <string.h>

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/x86/known_code.h"
#include "symbolizer/parser/x86/x86_64.h"

/* funcFlag, since 1.17 */
#define FLAG_TOP_FRAME 1u /* funcFlag, since 1.17 */
#define FLAG_SP_WRITE  2u
#define FLAG_ASSEMBLY  4u

/* What a function's entry says of it. */
struct function {
	uint32_t steps;
	uint32_t flags;
	const char *name;
};

static int is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return 1;
	return 0;
}

/* What tables without flags say by name; since 1.17 the linker does. */
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

static int read_function(const struct pclntab *golang, uint32_t number, struct function *function)
{
	uint64_t at = pclntab_described(golang, number);
	uint64_t fields = golang->version >= PCLNTAB_1_18 ? 0 : 4; /* their entry has 8 bytes */
	uint64_t flags;

	function->name = pclntab_name(golang, number);
	if (!function->name || at > golang->table.size)
		return -1;
	function->steps = (uint32_t)pclntab_number(golang, at + fields + 16, 4);
	if (golang->version == PCLNTAB_1_2) {
		function->flags = flags_by_name(function->name);
		return 0;
	}
	/* after cuOffset, since 1.20 also startLine: funcID, flags */
	flags = at + fields + (golang->version == PCLNTAB_1_20 ? 41 : 37);
	function->flags = (uint32_t)pclntab_number(golang, flags, 1);
	if (golang->version == PCLNTAB_1_16) /* 1.16 itself has a zero there */
		function->flags |= flags_by_name(function->name);
	return 0;
}

/* A frame of a compiled function ends in the saved frame pointer; one of assembly need not. */
static struct tm_rule rule_of(const struct function *function, int64_t pushed)
{
	struct tm_rule rule = {.cfa = TM_CFA_SP,
			       .cfa_offset = (int32_t)(pushed + X86_64_WORD),
			       .ra = TM_SAVED_CFA,
			       .ra_offset = X86_64_CALL_RA,
			       .fp = TM_SAVED_SAME};

	/* One word less than nothing: the return address was popped, and still lies there. */
	if (pushed < -X86_64_WORD || pushed > INT32_MAX - X86_64_WORD)
		return (struct tm_rule){.cfa = TM_CFA_NONE};
	if (pushed >= X86_64_WORD && !(function->flags & FLAG_ASSEMBLY)) {
		rule.fp = TM_SAVED_CFA;
		rule.fp_offset = X86_64_RECORD_FP;
	}
	return rule;
}

static int64_t zigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* A list of (change of what was pushed, how far that holds), which a zero ends. */
static int put_steps(const struct pclntab *golang, struct table_writer *make,
		     const struct span *span, uint64_t limit, const struct function *function)
{
	struct cursor cursor = cursor_of(golang->table.bytes, golang->table.size);
	int64_t pushed = -1;
	uint64_t at = 0;
	int r = 0;

	cursor_skip(&cursor, golang->steps);
	cursor_skip(&cursor, function->steps);
	while (!r && at < limit) {
		uint64_t change = (uint32_t)cursor_unsigned(&cursor);
		struct tm_rule rule;

		if (!change && at) /* what follows is padding */
			return cursor.bad ? -1 : 0;
		if (cursor.bad)
			return -1;
		pushed += zigzag(change);
		rule = rule_of(function, pushed);
		r = table_writer_put(make, span->start + at, &rule);
		at += (uint32_t)cursor_unsigned(&cursor) * (uint64_t)golang->quantum;
	}
	return r;
}

static int put_one(struct table_writer *make, uint64_t offset, struct tm_rule rule)
{
	return table_writer_put(make, offset, &rule);
}

int pclntab_rules_put(const struct pclntab *golang, struct table_writer *make,
		      const struct span *span, uint64_t limit, int *ret_refused)
{
	static const char *const trampolines[] = {"runtime.sigreturn__sigaction",
						  "runtime.sigreturn", NULL};
	const struct tm_rule by_record = {.cfa = TM_CFA_FP,
					  .cfa_offset = X86_64_RECORD_CFA,
					  .ra = TM_SAVED_CFA,
					  .ra_offset = X86_64_CALL_RA,
					  .fp = TM_SAVED_CFA,
					  .fp_offset = X86_64_RECORD_FP};
	/* They leave their goroutine's stack for g0's, where nobody called them (Go's topofstack()). */
	static const char *const leaving[] = {"runtime.mcall", "runtime.morestack", NULL};
	struct function function;
	int r;

	*ret_refused = 0;
	if (read_function(golang, span->cie, &function) < 0) {
		*ret_refused = 1;
		return put_one(make, span->start, (struct tm_rule){.cfa = TM_CFA_NONE});
	}
	if (is_one_of(function.name, trampolines)) /* looked up one byte before it begins */
		return put_one(make, span->start - 1, known_code_signal_rule());
	if (strncmp(function.name, "_rt0_", 5) == 0)
		return put_one(make, span->start, (struct tm_rule){.cfa = TM_CFA_END});
	/* Go ends at its signal handler; but what it interrupted goes on. */
	if (function.flags & FLAG_TOP_FRAME && strcmp(function.name, "runtime.sigtramp") != 0)
		return put_one(make, span->start, (struct tm_rule){.cfa = TM_CFA_END});
	if (is_one_of(function.name, leaving))
		return put_one(make, span->start,
			       (struct tm_rule){.cfa = TM_CFA_END, .flags = TM_RULE_SP_LOST});
	if (function.flags & FLAG_SP_WRITE)
		return put_one(make, span->start, by_record);
	r = put_steps(golang, make, span, limit, &function);
	if (r >= 0)
		return r;
	*ret_refused = 1;
	return put_one(make, span->start, by_record);
}
