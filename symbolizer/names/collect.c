/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collect - the names of sampled places, for a report or before a file's descriptor has to go
 */

#include "symbolizer/names/collect.h"

/* The parser has one thing to do at a time: its answers for names are waited for. */
static void settle_rows(struct session *session, int last)
{
	struct unwind_jobs *rows = &session->rows;

	unwind_jobs_settle(rows, session->options->control_fd, last);
	session->parser_lost = rows->parser < 0;
}

static void ask(struct session *session, struct name_table *names)
{
	(void)name_table_collect(names, &session->aggregate);
	name_table_ask(names, &session->files);
	session->parser_lost = names->parser < 0;
	if (session->parser_lost)
		unwind_jobs_lose_parser(&session->rows);
	session->parsers_failed += names->failed;
	session->parsers_abandoned += names->abandoned;
}

static void begin(const struct session *session, struct name_table *names, struct strings *strings)
{
	name_table_init(names, strings, session->parser_lost ? -1 : session->parser.socket,
			session->options->control_fd);
	names->ktime = session->feed.released;
}

void collect_names(struct session *session, struct name_table *names, int last)
{
	settle_rows(session, last);
	begin(session, names, &session->strings);
	names->goes_on = !last;
	ask(session, names);
}

void collect_pending(struct session *session)
{
	struct files *files = &session->files;
	uint64_t limit = session->budget.limit;
	struct name_table names;

	session->budget.limit += NAMES_BUDGET_BYTES;
	settle_rows(session, /* last= */ 0);
	begin(session, &names, &session->strings);
	names.goes_on = 1;
	names.pending_only = 1;
	ask(session, &names);
	name_table_deinit(&names);
	session->budget.limit = limit;
	/* What had no place in any stack, or no answer, gives its descriptor back all the same. */
	for (uint32_t i = 0; files->pending_names && i < files->count; i++)
		if (files->items[i].used && files_is_pending(&files->items[i]))
			files_close(files, i);
}
