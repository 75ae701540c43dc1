/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session - the state of one recording, and the sums that its reports contained so far
 */

#include "symbolizer/session.h"

#include <errno.h>
#include <string.h>

#include "shared/cleanup.h"

void session_close_outputs(struct session *session)
{
	for (int i = 0; i < session->options->output_count; i++)
		session->outputs[i].fd = tm_close(session->outputs[i].fd);
}

int session_init(struct session *session, const struct options *options)
{
	int r;

	memset(session, 0, sizeof(*session)); /* too large for a compound literal */
	session->options = options;
	session->budget.limit = options->profile_bytes;
	session->kernel = KSYMS_NULL;
	session->parser = PARSER_CLIENT_NULL;
	session->parser.control = options->control_fd;
	session->cache = TABLE_CACHE_NULL;
	for (int i = 0; i < options->output_count; i++)
		session->outputs[i] = options->outputs[i];
	r = hash_seed_init(&session->seed);
	if (r < 0)
		return r;
	if (strings_init(&session->strings, &session->budget, &session->seed))
		return -ENOMEM;
	process_table_init(&session->processes, &session->strings, &session->queue);
	r = files_init(&session->files, &session->strings, &session->queue);
	if (r < 0)
		return r;
	symbol_cache_store_init(&session->symbols, &session->files);
	aggregate_init(&session->aggregate, &session->strings, &session->processes,
		       &session->files);
	reader_init(&session->reader, &session->aggregate, &session->queue);
	collector_link_init(&session->link, options->wire_fd, &session->files);
	session->collect = (struct collect){
		.aggregate = &session->aggregate,
		.strings = &session->strings,
		.symbols = &session->symbols,
		.jobs = &session->jobs,
		.parser = &session->parser,
	};
	return unwind_jobs_init(&session->jobs, &session->files, &session->cache, &session->parser,
				options->wire_fd);
}

void session_deinit(struct session *session)
{
	uint64_t cpu_ns, rss_bytes;

	unwind_jobs_deinit(&session->jobs);
	parser_client_stop(&session->parser, &cpu_ns, &rss_bytes);
	table_cache_close(&session->cache);
	reader_deinit(&session->reader);
	aggregate_deinit(&session->aggregate);
	process_table_deinit(&session->processes);
	files_deinit(&session->files);
	symbol_cache_store_deinit(&session->symbols);
	ksyms_deinit(&session->kernel);
	collector_link_deinit(&session->link);
	strings_deinit(&session->strings);
	tm_retire_deinit(&session->queue);
	session_close_outputs(session);
}
