/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report - what the command says of a recording that ran: gathered, printed, checked
 */

#include "cli/outputs.h"
#include "cli/session.h"
#include "cli/summary.h"

enum report_kind {
	REPORT_LAST,
	REPORT_BETWEEN, /* by --every; the recording goes on */
};

void report_make(struct summary *ret_summary, const struct session *session, enum report_kind kind);
/* The table, the statement, what was written and COMMAND's status, on stdout. */
void report_print(const struct session *session, const struct summary *summary,
		  const struct outputs *targets);
/* One line for a report in between. */
void report_print_line(const struct summary *summary, const struct outputs *targets);
/* Says loudly if the accounts do not balance. Return: @outcome, or EXIT_CODE_FAILED. */
int report_check(const struct summary *summary, int outcome);
