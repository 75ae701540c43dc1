/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reading - the reader of OTLP requests with what it needs, for one test at a time
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/viewer/merge_report.h"
#include "tests/interop/report_builder.h"
#include "tests/unit/viewer/request.h"

#define START_NS    (1763953800ull * 1000000000)
#define DURATION_NS (5ull * 1000000000)

static struct report_builder builder; /* large */
static struct request request;
static const struct selection everything;

static struct reading { /* large */
	struct budget budget;
	struct merge merge;
	struct otlp_reader reader;
	struct report report, base;
} reading;

static inline void begin(const struct selection *selection)
{
	reading = (struct reading){.budget.limit = UINT64_MAX};
	assert_int_equal(merge_init(&reading.merge, &reading.budget), 0);
	otlp_reader_init(&reading.reader, &reading.merge, selection);
}

static inline void end(void)
{
	merge_report_deinit(&reading.merge, &reading.report);
	otlp_reader_deinit(&reading.reader);
	merge_deinit(&reading.merge);
	assert_int_equal(reading.budget.used, 0);
}

static inline void read_part(size_t index)
{
	assert_int_equal(otlp_reader_read(&reading.reader, request.parts[index].bytes,
					  request.parts[index].count),
			 0);
}

static inline void finish(void)
{
	assert_int_equal(merge_report_make(&reading.reader, false, &reading.report, &reading.base),
			 0);
}

/* A built case as a report of an interval, with counts that are its own. */
static inline struct report *build(const char *name)
{
	struct report *report;

	report_builder_init(&builder);
	assert_int_equal(report_case(&builder, name), 0);
	(void)report_builder_report(&builder);
	report = &builder.report;
	report->start_unix_ns = START_NS;
	report->duration_ns = DURATION_NS;
	report->taken = 1000003;
	report->drops[TM_DROP_RING_FULL] = 5;
	report->not_run = 7;
	report->off_cpu.times_ns = 123456789012345;
	return report;
}
