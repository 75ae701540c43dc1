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

#include "symbolizer/names/name_table.h"
#include "symbolizer/output/functions.h"
#include "symbolizer/output/report_build.h"
#include "symbolizer/profile/interval.h"
#include "symbolizer/profile/reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/symbolizer/make_symbols.h"

#define REPORT_CPU 0xffffu
#define PASSED     1000000u /* the watermark when a RETIRE is read */

static struct budget_total total = BUDGET_TOTAL_INIT(32 << 20);
static struct budget budget;
static struct hash_seed seed = {{4, 2}};
static struct interval *interval;
static struct process_table processes;
static struct files files;
static struct symbol_store store; /* the same for every input */
static struct reader reader;
static struct tm_retire_queue queue;
static uint64_t exported; /* in earlier reports */

/* The vDSO has symbols. */
static void make_store(void)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	const struct symbols symbols = make_symbols();

	if (symbol_store_init(&store, 1 << 20, &seed) < 0 ||
	    symbol_store_begin(&store, &vdso, 0) != 0)
		abort();
	symbol_store_put(&store, &vdso, tm_region_seal_blob("symbols", &symbols, sizeof(symbols)),
			 0);
}

static void begin(void)
{
	if (!store.seed)
		make_store();
	budget = (struct budget){.limit = UINT64_MAX, .total = &total};
	interval = interval_open(&total, &seed, &processes, &files);
	if (!interval || files_init(&files, &interval->strings, &budget, &queue) < 0)
		abort();
	process_table_init(&processes, &interval->strings, &budget, &queue);
	reader_init(&reader, &interval->aggregate, &queue);
	reader.ring.passed = PASSED;
}

static void end(void)
{
	reader_deinit(&reader);
	interval = interval_free(interval);
	process_table_deinit(&processes);
	files_deinit(&files);
	tm_retire_deinit(&queue);
	if (budget.used || total.used)
		abort(); /* memory was charged to the budget and not released */
}

static void report(struct interval *of)
{
	struct name_table names;
	struct ksyms kernel = KSYMS_NULL;
	struct tm_top rows[TM_TOP_ROWS];
	struct report_build build;

	name_table_init(&names, &of->strings, &store);
	(void)name_table_collect(&names, &of->aggregate);
	name_table_resolve(&names, of->aggregate.files);
	if (report_build_init(&build, &of->aggregate, &names, &kernel) == 0 &&
	    functions_top(&build.report, rows) < 0)
		abort();
	report_build_deinit(&build);
	name_table_deinit(&names);
}

static void interval_report(uint64_t watermark)
{
	struct interval *closed = interval;

	reader_release(&reader, watermark);
	(void)tm_retire_run(&queue, watermark);
	if (interval_close(closed, &interval))
		abort();
	reader.aggregate = &interval->aggregate;
	report(closed);
	exported += closed->aggregate.exported;
	(void)interval_free(closed);
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
	if (exported + interval->aggregate.exported + reader.memory_drops != reader.samples)
		abort();
	report(interval);
	end();
	return 0;
}
