/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare - compares one unwind rule with libdw's for the same place
 */

#include "tests/oracle/compare.h"

#define FP     6
#define SP     7
#define RA     16
#define STATES 3 /* machine states for each row */

static bool is_same(struct value a, struct value b)
{
	return a.kind == b.kind && a.number == b.number;
}

/* Where rbx was saved, if the rule says so; it need not. */
static enum difference compare_rbx(Dwarf_Frame *frame, const struct tm_rule *rule,
				   struct machine *machine)
{
	Dwarf_Op memory[3], *ops;
	size_t nops;
	struct value bx;

	if (!(rule->flags & TM_RULE_KEPT))
		return SAME;
	if (dwarf_frame_register(frame, TM_UNWIND_TABLE_KEPT, memory, &ops, &nops) < 0)
		return DIFFERENCE_ORACLE;
	bx = evaluate_operations(machine, ops, nops, false);
	return is_same(bx, evaluate_saved(machine, machine->cfa, TM_SAVED_CFA, -8 * rule->cfa_add))
		       ? SAME
		       : DIFFERENCE_FRAME_POINTER;
}

static enum difference compare_state(Dwarf_Frame *frame, const struct tm_rule *rule,
				     struct machine *machine)
{
	Dwarf_Op memory[3], *ops;
	size_t nops;
	struct value cfa, ra, fp;

	if (dwarf_frame_cfa(frame, &ops, &nops) < 0)
		return DIFFERENCE_NO_CFA;
	cfa = evaluate_operations(machine, ops, nops, true);
	if (cfa.kind == VALUE_UNKNOWN)
		return DIFFERENCE_ORACLE;
	machine->cfa = cfa.number;
	if (dwarf_frame_register(frame, RA, memory, &ops, &nops) < 0)
		return DIFFERENCE_ORACLE;
	ra = evaluate_operations(machine, ops, nops, false);
	if (dwarf_frame_register(frame, FP, memory, &ops, &nops) < 0)
		return DIFFERENCE_ORACLE;
	fp = evaluate_operations(machine, ops, nops, false);
	if (ra.kind == VALUE_UNDEFINED || rule->cfa == TM_CFA_END) {
		if (ra.kind == VALUE_UNDEFINED)
			return rule->cfa == TM_CFA_END ? SAME : DIFFERENCE_NO_END;
		return ra.number - machine->registers[SP] > UINT64_MAX / 2 ? DIFFERENCE_END_BELOW
									   : DIFFERENCE_END;
	}
	if (rule->cfa == TM_CFA_NONE)
		return DIFFERENCE_UNKNOWN;
	if (!is_same(cfa, evaluate_cfa(machine, rule)))
		return DIFFERENCE_CFA;
	if (!is_same(ra, evaluate_saved(machine, cfa.number, rule->ra, rule->ra_offset)))
		return DIFFERENCE_RETURN_ADDRESS;
	if (!is_same(fp, evaluate_saved(machine, cfa.number, rule->fp, rule->fp_offset)))
		return DIFFERENCE_FRAME_POINTER;
	return compare_rbx(frame, rule, machine);
}

/* Go's linker describes no frame pointer, no outermost frame and no switch of stacks. */
static enum difference compare_go(enum difference found, const struct tm_rule *rule)
{
	if (found == DIFFERENCE_FRAME_POINTER)
		return SAME;
	if (found == DIFFERENCE_END || rule->flags & TM_RULE_SIGNAL ||
	    (found == DIFFERENCE_CFA && rule->cfa == TM_CFA_FP))
		return ON_PURPOSE;
	return found;
}

enum difference compare_row(const struct tm_rule *rule, Dwarf_Frame *frame, uint64_t vaddr,
			    bool signal, bool is_go)
{
	enum difference found = SAME;
	struct machine machine;

	if (!rule)
		return DIFFERENCE_NO_RULE;
	for (uint64_t seed = 0; seed < STATES && found == SAME; seed++) {
		machine_fill(&machine, seed, vaddr);
		found = compare_state(frame, rule, &machine);
	}
	if (is_go)
		return compare_go(found, rule);
	if (found == SAME && rule->cfa != TM_CFA_END && signal != !!(rule->flags & TM_RULE_SIGNAL))
		return DIFFERENCE_SIGNAL;
	return found;
}
