/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_table - prints the ten functions with the most time, and the line of completeness
 */

#include <stddef.h>
#include <stdio.h>

#include "cli/summary.h"

/* @rows: cleaned. Nothing is printed for none. */
void report_table_print(FILE *out, const struct tm_top *rows, size_t count, uint64_t exported);
/* Return: how many sampled files were not opened. */
uint64_t report_table_unopened(const struct tm_result *result);
/*
 * One line: taken, exported, dropped, not run, truncated, unnamed; and what else was lost, files
 * that were not opened among it, if anything was.
 */
void report_table_print_completeness(FILE *out, const struct summary *summary);
/*
 * One line: stacks and the times that they stand for, taken, exported, dropped; the times that were
 * observed, and the sleeps that have not ended.
 */
void report_table_print_off_cpu(FILE *out, const struct summary *summary);
/* What became of the requests by OTLP. */
void report_table_print_export(FILE *out, const struct tm_export_result *result);
/* The same where there is no receiver, and the spool keeps them. */
void report_table_print_spool(FILE *out, const struct tm_export_result *result);
