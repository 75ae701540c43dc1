/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_event - hostile records from the ring, up to the finished report
 *
 * A record whose cpu is REPORT_CPU is followed by an interval report, with the watermark at its
 * ktime.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/names/symbol_cache.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/profile/reader.h"
#include "tests/fuzz/fuzz.h"

#define REPORT_CPU 0xffffu
#define PASSED     1000000u /* the watermark when a RETIRE is read */

static struct budget budget;
static struct hash_seed seed = {{4, 2}};
static struct strings strings;
static struct process_table processes;
static struct files files;
static struct symbol_cache_store symbols;
static struct aggregate aggregate;
static struct reader reader;
static struct tm_retire_queue queue;
static uint64_t exported; /* in earlier reports */

static void begin(void)
{
	budget = (struct budget){.limit = 32 << 20};
	if (strings_init(&strings, &budget, &seed) || files_init(&files, &strings, &queue) < 0)
		abort();
	symbol_cache_store_init(&symbols, &files);
	process_table_init(&processes, &strings, &queue);
	aggregate_init(&aggregate, &strings, &processes, &files);
	reader_init(&reader, &aggregate, &queue);
	reader.ring.passed = PASSED;
}

static void end(void)
{
	reader_deinit(&reader);
	aggregate_deinit(&aggregate);
	process_table_deinit(&processes);
	files_deinit(&files);
	symbol_cache_store_deinit(&symbols);
	strings_deinit(&strings);
	tm_retire_deinit(&queue);
	if (budget.used)
		abort(); /* memory was charged to the budget and not released */
}

static void report(bool is_last)
{
	struct ksyms kernel = KSYMS_NULL;
	struct tm_top rows[TM_TOP_ROWS];
	struct name_table names;
	struct report_build build;
	struct parser_client parser = PARSER_CLIENT_NULL;

	name_table_init(&names, &strings, &parser);
	names.goes_on = !is_last;
	(void)name_table_collect(&names, &aggregate);
	name_table_ask(&names, &symbols);
	if (report_build_init(&build, &aggregate, &names, &kernel) == 0 &&
	    functions_top(&build.report, rows) < 0)
		abort();
	report_build_deinit(&build);
	name_table_deinit(&names);
}

static void interval_report(uint64_t watermark)
{
	struct strings fresh;

	reader_release(&reader, watermark);
	(void)tm_retire_run(&queue, watermark);
	budget.limit = 32 << 20; /* report_build_init raises it, as the session knows */
	report(false);
	exported += aggregate.exported;
	aggregate_deinit(&aggregate);
	if (strings_init(&fresh, &budget, &seed))
		abort();
	process_forget(&processes, &fresh);
	files_forget(&files, &fresh);
	strings_deinit(&strings);
	strings = fresh;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct tm_event *event = (const void *)reader.record;
	size_t at = 0;

	exported = 0;
	begin();
	/* Each record has the length that it claims, as the ring's reader would pop it. */
	while (bytes - at >= sizeof(struct tm_event)) {
		uint32_t claimed;

		memcpy(&claimed, data + at, sizeof(claimed));
		if (claimed < 8 || claimed % 8 || claimed > TM_EVENT_MAX_BYTES ||
		    claimed > bytes - at)
			break;
		memcpy(reader.record, data + at, claimed);
		reader_record(&reader, claimed);
		at += claimed;
		if (claimed >= sizeof(*event) && event->cpu == REPORT_CPU)
			interval_report(event->ktime);
	}
	reader_release(&reader, UINT64_MAX);
	if (exported + aggregate.exported + reader.memory_drops != reader.samples)
		abort();
	report(true);
	end();
	return 0;
}
