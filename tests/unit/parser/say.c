/* SPDX-License-Identifier: Apache-2.0 */
/*
 * say - a rule in words, so that a test reads like the table it expects
 */

#include "tests/unit/parser/say.h"

#include <stdio.h>

static void say_cfa(const struct tm_rule *rule, char text[SAY_BYTES])
{
	int offset = rule->cfa_offset, add = rule->cfa_add, base = rule->base;

	switch ((enum tm_rule_cfa)rule->cfa) {
	case TM_CFA_SP:
		(void)snprintf(text, SAY_BYTES, "sp%+d", offset);
		break;
	case TM_CFA_FP:
		(void)snprintf(text, SAY_BYTES, "fp%+d", offset);
		break;
	case TM_CFA_REGISTER:
		(void)snprintf(text, SAY_BYTES, "r%d%+d", base, offset);
		break;
	case TM_CFA_DEREF_SP:
		(void)snprintf(text, SAY_BYTES, "*(sp%+d)+%d", offset, add);
		break;
	case TM_CFA_DEREF_FP:
		(void)snprintf(text, SAY_BYTES, "*(fp%+d)+%d", offset, add);
		break;
	case TM_CFA_DEREF_REGISTER:
		(void)snprintf(text, SAY_BYTES, "*(r%d%+d)+%d", base, offset, add);
		break;
	case TM_CFA_DEREF_INDEXED:
		(void)snprintf(text, SAY_BYTES, "*(sp+8*r%d%+d)+%d", base, offset, add);
		break;
	case TM_CFA_PLT:
		(void)snprintf(text, SAY_BYTES, "plt sp%+d from %d", offset, add);
		break;
	default:
		(void)snprintf(text, SAY_BYTES, "unknown");
		break;
	}
}

static void say_saved(enum tm_rule_saved saved, int offset, char text[SAY_BYTES])
{
	switch (saved) {
	case TM_SAVED_SAME:
		(void)snprintf(text, SAY_BYTES, "same");
		break;
	case TM_SAVED_CFA:
		(void)snprintf(text, SAY_BYTES, "*(cfa%+d)", offset);
		break;
	case TM_SAVED_SP:
		(void)snprintf(text, SAY_BYTES, "*(sp%+d)", offset);
		break;
	case TM_SAVED_FP:
		(void)snprintf(text, SAY_BYTES, "*(fp%+d)", offset);
		break;
	case TM_SAVED_REGISTER:
		(void)snprintf(text, SAY_BYTES, "r%d", offset);
		break;
	default:
		(void)snprintf(text, SAY_BYTES, "lost");
		break;
	}
}

const char *say_rule(const struct tm_rule *rule, char text[SAY_BYTES])
{
	char cfa[SAY_BYTES], ra[SAY_BYTES], fp[SAY_BYTES];

	if (!rule)
		return "no row";
	if (rule->cfa == TM_CFA_NONE)
		return "none";
	if (rule->cfa == TM_CFA_END)
		return rule->flags & TM_RULE_SP_LOST ? "end of what called" : "end";
	say_cfa(rule, cfa);
	say_saved(rule->ra, rule->ra_offset, ra);
	say_saved(rule->fp, rule->fp_offset, fp);
	(void)snprintf(text, SAY_BYTES, "%.30s ra=%.20s fp=%.20s%s%s%s", cfa, ra, fp,
		       rule->flags & TM_RULE_KEPT ? " rbx saved" : "",
		       rule->flags & TM_RULE_SIGNAL ? " signal" : "",
		       rule->flags & TM_RULE_SP_LOST ? " sp lost" : "");
	return text;
}
