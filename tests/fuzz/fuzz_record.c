/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_record - records as they come out of the ring, through to the finished report
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/build.h"
#include "symbolizer/feed.h"
#include "symbolizer/top.h"
#include "tests/fuzz/fuzz.h"

static struct budget budget;
static struct hash_seed seed = {{4, 2}};
static struct strings strings;
static struct process_table processes;
static struct files files;
static struct aggregate aggregate;
static struct feed feed;
static struct tm_retire_queue queue;

static void begin(void)
{
	budget = (struct budget){.limit = 32 << 20};
	if (strings_init(&strings, &budget, &seed) || files_init(&files, &strings, &queue) < 0)
		abort();
	process_table_init(&processes, &strings, &queue);
	aggregate_init(&aggregate, &strings, &processes, &files);
	feed_init(&feed, &aggregate, &queue);
}

static void end(void)
{
	feed_deinit(&feed);
	aggregate_deinit(&aggregate);
	process_table_deinit(&processes);
	files_deinit(&files);
	strings_deinit(&strings);
	tm_retire_deinit(&queue);
	if (budget.used)
		abort(); /* a byte was charged and never given back */
}

static void report(void)
{
	struct kernel kernel = KERNEL_NULL;
	struct tm_top rows[TM_TOP_ROWS];
	struct names names;
	struct build build;

	names_init(&names, &strings, -1, -1);
	(void)names_collect(&names, &aggregate);
	names_ask(&names, &files);
	if (build_report(&build, &aggregate, &names, &kernel) == 0 &&
	    top_rows(&build.report, rows) < 0)
		abort();
	build_deinit(&build);
	names_deinit(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	size_t at = 0;

	begin();
	/* Each record under the length that it claims, as the ring's reader would pop it. */
	while (bytes - at >= sizeof(struct tm_event)) {
		uint32_t claimed;

		memcpy(&claimed, data + at, sizeof(claimed));
		if (claimed < 8 || claimed % 8 || claimed > TM_EVENT_MAX_BYTES ||
		    claimed > bytes - at)
			break;
		memcpy(feed.record, data + at, claimed);
		feed_record(&feed, claimed);
		at += claimed;
	}
	feed_release(&feed, UINT64_MAX);
	if (aggregate.exported + feed.memory > feed.samples)
		abort();
	report();
	end();
	return 0;
}
