/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect - the names of all sampled places, for a report or before a file's descriptor is closed
 */

#include "symbolizer/names/collect.h"

#include "symbolizer/profile/interval.h"

static void begin(struct collect *collect, struct name_table *names,
		  const struct aggregate *aggregate, uint64_t ktime)
{
	name_table_init(names, aggregate->strings, collect->parser);
	names->ktime = ktime;
}

static void ask(struct collect *collect, struct name_table *names,
		const struct aggregate *aggregate)
{
	/* Where the budget is spent, what was collected until then is named. */
	(void)name_table_collect(names, aggregate);
	name_table_ask(names, collect->symbols);
	collect->unnamed_files += names->failed;
}

void collect_names(struct collect *collect, struct name_table *names,
		   const struct aggregate *aggregate, uint64_t ktime, bool last)
{
	unwind_jobs_settle(collect->jobs, last);
	begin(collect, names, aggregate, ktime);
	names->goes_on = !last;
	ask(collect, names, aggregate);
}

void collect_pending(struct collect *collect, const struct aggregate *aggregate, uint64_t ktime)
{
	struct files *files = collect->symbols->files;
	struct budget *budget = aggregate->strings->budget;
	struct name_table names;

	budget->beyond = INTERVAL_REPORT_BYTES;
	unwind_jobs_settle(collect->jobs, /* last= */ false);
	begin(collect, &names, aggregate, ktime);
	names.goes_on = true;
	names.pending_only = true;
	ask(collect, &names, aggregate);
	name_table_deinit(&names);
	budget->beyond = 0;
	/* A file without a place in any stack, or without an answer, is closed all the same. */
	for (uint32_t i = 0; files->pending_names && i < files->count; i++)
		if (files->items[i].used && files_is_pending(&files->items[i]))
			files_close(files, i);
}
