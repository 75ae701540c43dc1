/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harvest - the names of sampled places, for a report or before a file's descriptor has to go
 */

#include "symbolizer/harvest.h"

static void ask(struct session *session, struct names *names)
{
	(void)names_collect(names, &session->aggregate);
	names_ask(names, &session->files);
	session->parser_lost = names->parser < 0;
	session->parsers_failed += names->failed;
	session->parsers_abandoned += names->abandoned;
}

static void begin(const struct session *session, struct names *names, struct strings *strings)
{
	names_init(names, strings, session->parser_lost ? -1 : session->parser.socket,
		   session->options->control_fd);
	names->ktime = session->feed.released;
}

void harvest_names(struct session *session, struct names *names, int last)
{
	begin(session, names, &session->strings);
	names->goes_on = !last;
	ask(session, names);
}

void harvest_ripe(struct session *session)
{
	struct files *files = &session->files;
	uint64_t limit = session->budget.limit;
	struct names names;

	session->budget.limit += NAMES_BUDGET_BYTES;
	begin(session, &names, &session->strings);
	names.goes_on = 1;
	names.ripe_only = 1;
	ask(session, &names);
	names_deinit(&names);
	session->budget.limit = limit;
	/* What had no place in any stack, or no answer, gives its descriptor back all the same. */
	for (uint32_t i = 0; files->ripe && i < files->count; i++)
		if (files->items[i].used && files_is_ripe(&files->items[i]))
			files_close(files, i);
}
