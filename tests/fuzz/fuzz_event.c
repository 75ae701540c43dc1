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
static struct methods methods;
static struct threads threads;
static struct symbol_store store; /* the same for every input */
static struct reader reader;
static struct tm_retire_queue queue;
static uint64_t exported[TM_SAMPLE_KINDS_N]; /* in earlier reports */

/* Of a kernel whose symbols are what wakers are recognised by. */
static const struct {
	struct tm_kernel_table header;
	struct tm_kernel_module module;
	struct tm_kernel_symbol symbols[3];
	char names[64];
} kernel_table = {
	{TM_KERNEL_MAGIC, 1, 3, 64},
	{1, 0, 0x1000},
	{{0x0, 8, 0}, {0x10, 23, 0}, {0x20, 39, 0}},
	"\0kernel\0try_to_wake_up\0handle_softirqs\0asm_sysvec_timer",
};
static struct ksyms kernel;

/* The vDSO has symbols. */
static void make_store(void)
{
	const struct tm_identity vdso = SYMBOL_STORE_VDSO;
	const struct symbols symbols = make_symbols();

	kernel = KSYMS_NULL;
	if (ksyms_parse(&kernel, &kernel_table, sizeof(kernel_table)) < 0)
		abort();
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
	interval = interval_open(&total, &seed, &processes, &files, &methods);
	if (!interval)
		abort();
	files_init(&files, &interval->strings, &budget, &queue);
	methods_init(&methods, &processes, &budget, &queue);
	process_table_init(&processes, &interval->strings, &budget, &queue);
	threads_init(&threads, &seed);
	threads.budget = budget;
	threads.methods = &methods;
	reader_init(&reader, &interval->aggregate, &queue);
	reader.threads = &threads;
	reader.rows = &interval->threads;
	reader.kernel = &kernel;
	reader.ring.passed = PASSED;
}

static void end(void)
{
	reader_deinit(&reader);
	interval = interval_free(interval);
	threads_deinit(&threads);
	process_table_deinit(&processes);
	files_deinit(&files);
	methods_deinit(&methods);
	tm_retire_deinit(&queue);
	if (budget.used || threads.budget.used || threads.stack_bytes || total.used)
		abort(); /* memory was charged to the budget and not released */
}

static void report(struct interval *of)
{
	struct name_table names;
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

static void check_counts(void)
{
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++) {
		const struct sample_counts *counts = &reader.samples[kind];

		if (exported[kind] + interval->aggregate.exported[kind].count !=
			    counts->exported.count ||
		    counts->exported.count + counts->no_memory.count != counts->read.count ||
		    interval->aggregate.exported[kind].value > SAMPLE_VALUE_MAX)
			abort();
	}
}

static void interval_report(uint64_t watermark)
{
	struct interval *closed = interval;

	reader_release(&reader, watermark);
	(void)tm_retire_run(&queue, watermark);
	if (interval_close(closed, &interval))
		abort();
	reader.aggregate = &interval->aggregate;
	reader.rows = &interval->threads;
	threads.interval++;
	report(closed);
	for (unsigned kind = 0; kind < TM_SAMPLE_KINDS_N; kind++)
		exported[kind] += closed->aggregate.exported[kind].count;
	(void)interval_free(closed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct tm_event *event = (const void *)reader.record;
	size_t at = 0;

	memset(exported, 0, sizeof(exported));
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
	check_counts();
	report(interval);
	end();
	return 0;
}
