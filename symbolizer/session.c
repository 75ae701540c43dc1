/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session - the state of one recording, and the sums that its reports contained so far
 */

#include "symbolizer/session.h"

#include <errno.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/clock.h"

static void close_outputs(struct session *session)
{
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++) {
		session->outputs[i].fd = tm_close(session->outputs[i].fd);
		session->flush_outputs[i].fd = tm_close(session->flush_outputs[i].fd);
	}
}

static void init_link(struct session *session)
{
	collector_link_init(&session->link, session->options->wire_fd, &session->files);
	session->link.reopened = line_jobs_reopened;
	session->link.context = &session->line_jobs;
	session->link.map = perf_maps_answer;
	session->link.map_context = &session->maps;
}

/* What the tables of caches take may be made again. */
static void reclaim(void *context, uint64_t bytes)
{
	struct session *session = context;

	symbol_store_reclaim(&session->store, bytes);
}

static void charge(struct session *session, struct budget *budget, enum tm_memory_share share)
{
	const uint64_t limit = budget_limit(&session->memory, share);

	budget->limit = budget->limit && budget->limit < limit ? budget->limit : limit;
	budget->total = &session->memory;
	budget->share = share;
}

static void divide_memory(struct session *session)
{
	session->memory = (struct budget_total)BUDGET_TOTAL_INIT(session->options->memory_bytes);
	budget_divide(&session->memory);
	charge(session, &session->order, TM_MEMORY_ORDER);
	charge(session, &session->tables, TM_MEMORY_PROFILE);
	session->tables.limit /= INTERVAL_TABLES_PART;
	charge(session, &session->method_bytes, TM_MEMORY_PROFILE);
	session->method_bytes.limit /= INTERVAL_METHODS_PART;
}

static bool is_symbol_table(const void *table, size_t bytes)
{
	struct symbol_table parsed;

	return symbol_table_parse(&parsed, table, bytes) == 0;
}

/* Return: 0, -errno. */
static int init_names(struct session *session, const struct options *options)
{
	int r = symbol_store_init(
		&session->store, budget_limit(&session->memory, TM_MEMORY_SYMBOLS), &session->seed);

	if (r < 0)
		return r;
	charge(session, &session->store.budget, TM_MEMORY_SYMBOLS);
	session->memory.reclaim = reclaim;
	session->memory.context = session;
	r = parser_requests_init(&session->requests);
	if (r < 0)
		return r;
	demangle_init(&session->demangle, &session->requests, &session->seed);
	charge(session, &session->demangle.cache.budget, TM_MEMORY_DEMANGLED);
	r = line_requests_init(&session->line_requests, &session->requests);
	if (r < 0)
		return r;
	line_names_init(&session->lines, &session->line_requests, &session->seed);
	charge(session, &session->lines.cache.budget, TM_MEMORY_LINES);
	return 0;
}

/* The context is a struct debug_files. */
static void on_opened(void *context, const struct tm_wire *message, int fd)
{
	debug_files_opened(context, message, fd);
}

static void init_debug(struct session *session)
{
	const struct options *options = session->options;

	debug_files_init(&session->debug, &session->files, &session->store, &session->parser,
			 options->wire_fd, options->debug_files);
	session->symbols.debug = &session->debug;
	debug_fetches_init(&session->fetches, &session->store, &session->parser,
			   &session->debuginfod);
	session->debug.fetches = &session->fetches;
	session->link.opened = on_opened;
	session->link.opened_context = &session->debug;
}

/* Off-CPU samples have a part that was reported before. */
static void init_threads(struct session *session)
{
	const struct options *options = session->options;

	threads_init(&session->threads, &session->seed);
	session->threads.methods = &session->methods;
	charge(session, &session->threads.budget, TM_MEMORY_PROFILE);
	session->threads.budget.limit /= INTERVAL_THREADS_PART;
	thread_request_init(&session->thread_request, options->off_cpu ? options->wire_fd : -1,
			    &session->threads, &session->interval);
	if (!options->off_cpu)
		return;
	session->link.threads = thread_request_answer;
	session->link.threads_context = &session->thread_request;
	session->reader.kernel = &session->kernel;
	session->reader.threads = &session->threads;
	session->reader.rows = &session->interval->threads;
}

static void init_outputs(struct session *session, const struct options *options)
{
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++) {
		session->outputs[i].fd = -1;
		session->flush_outputs[i].fd = -1;
	}
	for (int i = 0; i < options->output_count; i++)
		session->outputs[i] = options->outputs[i];
}

/* The first one. Return: 0, -ENOMEM. */
static int open_interval(struct session *session, const struct options *options)
{
	session->interval = interval_open(&session->memory, &session->seed, &session->processes,
					  &session->files, &session->methods);
	if (!session->interval || report_settings_new(&options->resource, &session->settings) < 0)
		return -ENOMEM;
	session->next_settings = report_settings_ref(session->settings);
	session->interval->aggregate.period_ns = TM_NS_PER_SECOND / options->hz;
	return 0;
}

int session_init(struct session *session, const struct options *options)
{
	int r;

	memset(session, 0, sizeof(*session)); /* too large for a compound literal */
	session->options = options;
	divide_memory(session);
	session->kernel = KSYMS_NULL;
	session->parser = PARSER_CLIENT_NULL;
	session->parser.control = options->control_fd;
	charge(session, &session->parser.memory, TM_MEMORY_WORKERS);
	debuginfod_client_init(&session->debuginfod, options->debuginfod_fd);
	/* One after another, if the first ones died: later ids are higher. */
	report_delivery_init(&session->delivery, options->exporter_fd, options->spool_fd,
			     tm_clock_ns());
	session->cache = TABLE_CACHE_NULL;
	session->cache_thread = TABLE_CACHE_THREAD_NULL;
	table_cache_set_check(&session->cache, TABLE_CACHE_SYMBOLS, is_symbol_table);
	charge(session, &session->cache.budget, TM_MEMORY_CACHE_QUEUE);
	session->reporter = REPORTER_NULL;
	session->requests = PARSER_REQUESTS_NULL;
	init_outputs(session, options);
	r = hash_seed_init(&session->seed);
	if (r < 0)
		return r;
	r = open_interval(session, options);
	if (r < 0)
		return r;
	governor_init(&session->governor, options->cpu_max_ppm, (unsigned)options->hz);
	process_table_init(&session->processes, &session->interval->strings, &session->tables,
			   &session->queue);
	files_init(&session->files, &session->interval->strings, &session->tables, &session->queue);
	methods_init(&session->methods, &session->processes, &session->method_bytes,
		     &session->queue);
	r = init_names(session, options);
	if (r < 0)
		return r;
	if (options->no_lines)
		line_requests_finish(&session->line_requests);
	symbol_jobs_init(&session->symbols, &session->files, &session->store, &session->parser,
			 options->wire_fd);
	session->symbols.cache = &session->cache;
	jit_files_init(&session->jit, &session->processes, &session->store, &session->parser);
	session->jit.map_mib = (uint32_t)options->perf_map_mib;
	perf_maps_init(&session->maps, &session->jit);
	session->symbols.jit = &session->jit;
	reader_init(&session->reader, &session->interval->aggregate, &session->queue);
	session->reader.order.budget = &session->order;
	init_link(session);
	init_threads(session);
	init_debug(session);
	line_jobs_init(&session->line_jobs, &session->debug, &session->line_requests);
	session->line_retire = (struct line_retire){&session->files, &session->store,
						    &session->line_requests, /* scanned_ns= */ 0};
	warm_start_init(&session->warm, &session->cache, options->wire_fd);
	return unwind_jobs_init(&session->jobs, &session->files, &session->cache, &session->parser,
				options->wire_fd);
}

void session_deinit(struct session *session)
{
	uint64_t cpu_ns, rss_bytes;

	parser_requests_stop(&session->requests);
	reporter_stop(&session->reporter);
	report_delivery_deinit(&session->delivery);
	demangle_deinit(&session->demangle);
	line_names_deinit(&session->lines);
	line_jobs_deinit(&session->line_jobs);
	line_requests_deinit(&session->line_requests);
	unwind_jobs_deinit(&session->jobs);
	warm_start_deinit(&session->warm);
	symbol_jobs_deinit(&session->symbols);
	perf_maps_deinit(&session->maps);
	jit_files_deinit(&session->jit);
	debug_files_deinit(&session->debug);
	debug_fetches_deinit(&session->fetches);
	parser_client_stop(&session->parser, &cpu_ns, &rss_bytes);
	parser_requests_deinit(&session->requests);
	debuginfod_client_deinit(&session->debuginfod);
	if (table_cache_thread_stop(&session->cache_thread))
		table_cache_close(&session->cache);
	reader_deinit(&session->reader);
	session->interval = interval_free(session->interval);
	session->settings = report_settings_unref(session->settings);
	session->next_settings = report_settings_unref(session->next_settings);
	thread_request_deinit(&session->thread_request);
	threads_deinit(&session->threads);
	process_table_deinit(&session->processes);
	files_deinit(&session->files);
	methods_deinit(&session->methods);
	symbol_store_deinit(&session->store);
	ksyms_deinit(&session->kernel);
	collector_link_deinit(&session->link);
	tm_retire_deinit(&session->queue);
	close_outputs(session);
}
