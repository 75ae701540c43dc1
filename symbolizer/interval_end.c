/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval_end - ends an interval: closes its accounts and makes the reporter's job of it
 */

#include "symbolizer/interval_end.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shared/cleanup.h"
#include "symbolizer/profile/accounting.h"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* Where the interval of this report begins, by ktime; 0: nothing was sampled. */
static uint64_t start_ktime(const struct session *session)
{
	uint64_t until = session->reported.until_ktime;

	return until ? until : session->reader.first_ktime;
}

/* The same as Unix time. */
static uint64_t start_unix_ns(const struct session *session)
{
	uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
	uint64_t start = start_ktime(session);
	uint64_t ago = start && monotonic > start ? monotonic - start : 0;

	return clock_ns(CLOCK_REALTIME) - ago;
}

static uint64_t duration_ns(const struct session *session, bool last)
{
	const struct reader *reader = &session->reader;
	uint64_t start = start_ktime(session);
	uint64_t end = reader->released;

	if (last && reader->watermark > end)
		end = reader->watermark;
	if (last && reader->last_ktime > end)
		end = reader->last_ktime;
	return start && end > start ? end - start : 0;
}

/* One in which nothing was sampled has no length, and lies where it ends. */
static void take_times(const struct session *session, struct report_job *job)
{
	uint64_t monotonic = clock_ns(CLOCK_MONOTONIC);
	uint64_t start = start_ktime(session);

	job->start_unix_ns = start_unix_ns(session);
	job->duration_ns = duration_ns(session, job->last);
	job->times = (struct report_times){
		.start_ktime = start ? start : monotonic,
		.end_ktime = (start ? start : monotonic) + job->duration_ns,
		.boottime_offset = (int64_t)(clock_ns(CLOCK_BOOTTIME) - monotonic),
		.realtime_offset = (int64_t)(clock_ns(CLOCK_REALTIME) - monotonic),
	};
}

/* Of the interval of @job; session->counts becomes that too. */
static void close_accounting(struct session *session, struct report_job *job)
{
	const struct reader *reader = &session->reader;
	struct session_reported *reported = &session->reported;
	struct accounting_read read = {
		.bad_records = reader->bad_records,
		.broken = reader->broken,
		.collector_died = session->link.state != COLLECTOR_LINK_ENDED,
	};

	memcpy(read.samples, reader->samples, sizeof(read.samples));
	(void)tm_ring_counts(&reader->ring, &session->counts);
	job->counts = session->counts;
	if (job->last && !(read.collector_died && session->link.goes_on))
		accounting_close(&job->accounting, &job->counts, &read);
	else
		accounting_so_far(&job->accounting, &job->counts, &read);
	if (job->last && !reported->any) { /* of the whole */
		accounting_baseline(&job->accounting, &session->counts, &job->baseline);
		return;
	}
	accounting_since(&job->accounting, &reported->accounting);
	accounting_counts_since(&job->counts, &reported->counts, &job->accounting);
	reported->counts = session->counts;
	accounting_baseline(&reported->accounting, &session->counts, &job->baseline);
}

static void note(struct report_job *job, bool condition, const char *text)
{
	if (condition && job->note_count < REPORT_JOB_NOTES_MAX)
		job->notes[job->note_count++] = text;
}

static void note_collector(const struct session *session, struct report_job *job)
{
	note(job, session->link.state == COLLECTOR_LINK_GONE,
	     "the collector ended early; what it had handed over is kept");
	note(job, session->link.state == COLLECTOR_LINK_INVALID,
	     "the collector sent a message that does not check; "
	     "what it had handed over until then is kept");
	note(job, session->reader.broken,
	     "the shared ring became unreadable; what was read until then is kept");
	note(job, session->kernel_refused, "the table of kernel symbols did not check");
	job->conflicts = session->files.conflicts;
}

/* Where the collector is gone, another note says so. */
static void take_threads(struct session *session, struct report_job *job)
{
	job->threads_missing = thread_request_end_interval(&session->thread_request);
	job->threads_lost = session->threads.lost;
	session->threads.lost = (struct threads_lost){0};
	note(job, job->threads_missing && session->link.state <= COLLECTOR_LINK_ENDED,
	     "the collector did not say in time what the threads do: time without a CPU that has "
	     "not ended is missing, and so is the view of threads");
}

static void take_off_cpu_counts(const struct accounting *accounting,
				struct tm_off_cpu_result *result)
{
	result->exported = accounting->off_cpu.exported;
	result->exported_ns = accounting->off_cpu_ns.exported;
	memcpy(result->drops, accounting->off_cpu.own, sizeof(result->drops));
	memcpy(result->drops_ns, accounting->off_cpu_ns.own, sizeof(result->drops_ns));
}

static void take_counts(struct session *session, struct report_job *job)
{
	const struct table_cache_counts cache = table_cache_take_counts(&session->cache);
	struct tm_result *result = &job->result;

	memcpy(result->drops, job->accounting.on_cpu.own, sizeof(result->drops));
	take_off_cpu_counts(&job->accounting, &result->off_cpu);
	result->off_cpu.in_progress = job->interval->in_progress.count;
	result->off_cpu.in_progress_ns = job->interval->in_progress.value;
	result->off_cpu.wakers_lost = job->threads_lost.wakers;
	result->parsers_lost = session->parser.counts.lost;
	memcpy(result->parse_failures, session->parser.counts.failures,
	       sizeof(result->parse_failures));
	memcpy(result->debuginfod, session->debuginfod.counts, sizeof(result->debuginfod));
	memset(session->debuginfod.counts, 0, sizeof(session->debuginfod.counts));
	result->tables_made = session->jobs.counts.made;
	result->tables_empty = session->jobs.counts.empty;
	result->tables_cached = session->jobs.counts.cached;
	result->symbols_cached = session->symbols.cached;
	session->symbols.cached = 0;
	result->cache_refused = cache.refused;
	result->cache_dropped = cache.dropped;
	result->cache_late = cache.late;
	result->cache_unwritten = cache.unwritten;
	note(job, cache.unwritten,
	     "tables were not written into the cache: its disk is full or failing");
	job->methods_full = session->methods.full + job->interval->methods.full;
	job->method_conflicts = session->methods.conflicts;
	session->methods.full = session->methods.conflicts = 0;
	session->parser.counts = (struct parser_client_counts){0};
	session->jobs.counts = (struct unwind_jobs_counts){0};
}

static void take_outputs(struct session *session, struct report_job *job)
{
	struct options_output *outputs = job->last ? session->outputs : session->flush_outputs;

	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++) {
		job->outputs[i] = outputs[i];
		outputs[i].fd = -1;
	}
}

/* A reload counts from the next interval on. */
static void take_settings(struct session *session, struct report_job *job)
{
	job->settings = session->settings;
	session->settings = report_settings_ref(session->next_settings);
}

/* Everything that the report says of this interval, and where the next one begins. */
static void fill(struct session *session, struct report_job *job)
{
	const struct reader *reader = &session->reader;
	struct session_reported *reported = &session->reported;

	close_accounting(session, job);
	take_times(session, job);
	job->late_records = reader->late - reported->late;
	job->until_ktime = reader->released;
	if (job->last)
		note_collector(session, job);
	take_threads(session, job);
	take_counts(session, job);
	take_outputs(session, job);
	take_settings(session, job);
	reported->late = reader->late;
	reported->until_ktime = reader->released;
	reported->any = true;
}

struct report_job *report_job_free(struct report_job *job)
{
	if (!job)
		return NULL;
	name_table_deinit(&job->names);
	job->interval = interval_free(job->interval);
	job->settings = report_settings_unref(job->settings);
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++)
		job->outputs[i].fd = tm_close(job->outputs[i].fd);
	free(job);
	return NULL;
}

/* Return: 0, BUDGET_E_SPENT: the interval stays open. */
static int close_interval(struct session *session, struct report_job *job)
{
	struct interval *closed = session->interval, *next = NULL;

	if (job->last ? interval_close_last(closed) : interval_close(closed, &next))
		return BUDGET_E_SPENT;
	if (next) {
		session->reader.aggregate = &next->aggregate;
		session->reader.rows = &next->threads;
	}
	job->interval = closed;
	session->interval = next;
	return 0;
}

struct report_job *interval_end(struct session *session, bool last)
{
	struct report_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++)
		job->outputs[i].fd = -1;
	job->options = session->options;
	job->kernel = &session->kernel;
	job->demangle = session->options->no_demangle ? NULL : &session->demangle;
	job->lines = session->options->no_lines ? NULL : &session->lines;
	job->delivery = report_delivery_is_on(&session->delivery) ? &session->delivery : NULL;
	job->last = last;
	name_table_init(&job->names, &session->interval->strings, &session->store);
	job->names.runtime_internals = session->options->runtime_internals;
	if (close_interval(session, job))
		return report_job_free(job);
	fill(session, job);
	return job;
}
