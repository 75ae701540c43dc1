/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_text - writes an unwind rule as text, so that a test reads like the table it expects
 */

#include "tests/unit/parser/rule_text.h"

#include <stdio.h>

static void write_cfa(const struct tm_rule *rule, char text[RULE_TEXT_BYTES])
{
	int offset = rule->cfa_offset, add = rule->cfa_add, base = rule->base;

	switch ((enum tm_rule_cfa)rule->cfa) {
	case TM_CFA_SP:
		(void)snprintf(text, RULE_TEXT_BYTES, "sp%+d", offset);
		break;
	case TM_CFA_FP:
		(void)snprintf(text, RULE_TEXT_BYTES, "fp%+d", offset);
		break;
	case TM_CFA_REGISTER:
		(void)snprintf(text, RULE_TEXT_BYTES, "r%d%+d", base, offset);
		break;
	case TM_CFA_DEREF_SP:
		(void)snprintf(text, RULE_TEXT_BYTES, "*(sp%+d)+%d", offset, add);
		break;
	case TM_CFA_DEREF_FP:
		(void)snprintf(text, RULE_TEXT_BYTES, "*(fp%+d)+%d", offset, add);
		break;
	case TM_CFA_DEREF_REGISTER:
		(void)snprintf(text, RULE_TEXT_BYTES, "*(r%d%+d)+%d", base, offset, add);
		break;
	case TM_CFA_DEREF_INDEXED:
		(void)snprintf(text, RULE_TEXT_BYTES, "*(sp+8*r%d%+d)+%d", base, offset, add);
		break;
	case TM_CFA_PLT:
		(void)snprintf(text, RULE_TEXT_BYTES, "plt sp%+d from %d", offset, add);
		break;
	default:
		(void)snprintf(text, RULE_TEXT_BYTES, "unknown");
		break;
	}
}

static void write_saved(enum tm_rule_saved saved, int offset, char text[RULE_TEXT_BYTES])
{
	switch (saved) {
	case TM_SAVED_SAME:
		(void)snprintf(text, RULE_TEXT_BYTES, "same");
		break;
	case TM_SAVED_CFA:
		(void)snprintf(text, RULE_TEXT_BYTES, "*(cfa%+d)", offset);
		break;
	case TM_SAVED_SP:
		(void)snprintf(text, RULE_TEXT_BYTES, "*(sp%+d)", offset);
		break;
	case TM_SAVED_FP:
		(void)snprintf(text, RULE_TEXT_BYTES, "*(fp%+d)", offset);
		break;
	case TM_SAVED_REGISTER:
		(void)snprintf(text, RULE_TEXT_BYTES, "r%d", offset);
		break;
	default:
		(void)snprintf(text, RULE_TEXT_BYTES, "lost");
		break;
	}
}

const char *rule_text(const struct tm_rule *rule, char text[RULE_TEXT_BYTES])
{
	char cfa[RULE_TEXT_BYTES], ra[RULE_TEXT_BYTES], fp[RULE_TEXT_BYTES];

	if (!rule)
		return "no row";
	if (rule->cfa == TM_CFA_NONE)
		return "none";
	if (rule->cfa == TM_CFA_END)
		return rule->flags & TM_RULE_SP_LOST ? "end after a call" : "end";
	write_cfa(rule, cfa);
	write_saved(rule->ra, rule->ra_offset, ra);
	write_saved(rule->fp, rule->fp_offset, fp);
	(void)snprintf(text, RULE_TEXT_BYTES, "%.30s ra=%.20s fp=%.20s%s%s%s", cfa, ra, fp,
		       rule->flags & TM_RULE_KEPT ? " rbx saved" : "",
		       rule->flags & TM_RULE_SIGNAL ? " signal" : "",
		       rule->flags & TM_RULE_SP_LOST ? " sp lost" : "");
	return text;
}
