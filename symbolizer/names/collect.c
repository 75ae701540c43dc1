/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect - the names of sampled places, for a report or before a file's descriptor has to go
 */

#include "symbolizer/names/collect.h"

static void ask(struct session *session, struct name_table *names)
{
	(void)name_table_collect(names, &session->aggregate);
	name_table_ask(names, &session->files);
	session->unnamed_files += names->failed;
}

static void begin(struct session *session, struct name_table *names)
{
	name_table_init(names, &session->strings, &session->parser);
	names->ktime = session->feed.released;
}

void collect_names(struct session *session, struct name_table *names, bool last)
{
	unwind_jobs_settle(&session->jobs, last);
	begin(session, names);
	names->goes_on = !last;
	ask(session, names);
}

void collect_pending(struct session *session)
{
	struct files *files = &session->files;
	uint64_t limit = session->budget.limit;
	struct name_table names;

	session->budget.limit += NAMES_BUDGET_BYTES;
	unwind_jobs_settle(&session->jobs, /* last= */ false);
	begin(session, &names);
	names.goes_on = true;
	names.pending_only = true;
	ask(session, &names);
	name_table_deinit(&names);
	session->budget.limit = limit;
	/* What had no place in any stack, or no answer, gives its descriptor back all the same. */
	for (uint32_t i = 0; files->pending_names && i < files->count; i++)
		if (files->items[i].used && files_is_pending(&files->items[i]))
			files_close(files, i);
}
