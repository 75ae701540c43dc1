/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report - the statement about one report: gathered, printed and checked
 */

#include "cli/session.h"
#include "cli/summary.h"

enum report_kind {
	REPORT_LAST,
	REPORT_BETWEEN, /* with --every; the recording goes on */
};

void report_make(struct summary *ret_summary, const struct session *session, enum report_kind kind);
/* The table, the statement, what was written and COMMAND's status, on stdout. */
void report_print(const struct session *session, const struct summary *summary);
/* Prints an error if the counts do not balance. Return: @exit_code, or EXIT_CODE_FAILED. */
int report_check(const struct summary *summary, int exit_code);
/* @others: there are other outputs. Return: @exit_code, or EXIT_CODE_SOME or EXIT_CODE_FAILED if it
 * was 0 and not everything was delivered by OTLP. */
int report_check_export(const struct summary *summary, bool others, int exit_code);
/* The symbolizer has sent FLUSHED: stores and prints a report before the last. */
void report_interval(struct session *session, uint64_t watermark);
