/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * summary - counts, completeness and cost of one report as a JSON object
 *
 * Units      seconds as decimal fractions, bytes as whole numbers; off-CPU in ns, so that its
 *            times add up exactly. null: not known or refused.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/accounting.h"

struct summary {
	struct accounting_balance balance;
	struct tm_counts counts;
	struct tm_result result;
	uint64_t duration_ns;
	uint64_t idle_ns; /* meanwhile, of all CPUs together; 0: none, or not known */
	unsigned cpus_not_sampled;
	unsigned parsers_started;                        /* since the recording began */
	unsigned report;                                 /* number by --every; 0: the only one */
	struct accounting_sum whole[ACCOUNTING_UNITS_N]; /* of all reports so far */
	uint64_t whole_ns;                               /* they span */
	unsigned hz;
	unsigned cpu_max_ppm;
	uint64_t command_cpu_ns, collector_cpu_ns, opener_cpu_ns, symbolizer_cpu_ns, parser_cpu_ns,
		debuginfod_cpu_ns, exporter_cpu_ns, spool_cpu_ns;
	uint64_t command_rss, collector_rss, opener_rss, symbolizer_rss, parser_rss, debuginfod_rss,
		exporter_rss, spool_rss;
	bool off_cpu;       /* it was recorded */
	bool otlp;          /* reports are sent, or kept in a spool */
	int command_status; /* -1: there was no COMMAND, or it was not seen to end */
};

/* @ret_text: heap, the caller's. Return: 0, -ENOMEM. */
int summary_text(const struct summary *summary, char **ret_text, size_t *ret_bytes);
