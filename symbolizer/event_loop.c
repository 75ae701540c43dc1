/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_loop - reads the ring periodically and handles messages of command, collector and parser
 */

#include "symbolizer/event_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/control_receive.h"
#include "symbolizer/interval_end.h"
#include "symbolizer/profile/reported.h"
#include "symbolizer/service.h"
#include "symbolizer/unwind/table_cache_write.h"

/* Messages of the command that are handled between two reads of the ring. */
#define CONTROL_BATCH (2 * OPTIONS_OUTPUTS_MAX)

static bool is_writable_regular(int fd)
{
	struct stat status;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY &&
	       fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* Return: 0, EVENT_LOOP_E_ABANDONED (no such output, or no descriptor). Takes @fd. */
static int take_output(struct session *session, uint64_t index, int fd)
{
	_cleanup_(tm_closep) int owned = fd;

	if (index >= (uint64_t)session->options->output_count || owned < 0)
		return EVENT_LOOP_E_ABANDONED;
	session->outputs[index].fd = tm_close(session->outputs[index].fd);
	if (is_writable_regular(owned))
		session->outputs[index].fd = TM_TAKE_FD(owned);
	return 0;
}

/* A report that is being made reads the old one; of those that come meanwhile, the newest is kept.
 * Return: whether none is waiting. */
static bool take_kernel_table(struct session *session)
{
	int *table = &session->link.kernel_table;

	if (*table >= 0 && reporter_is_idle(&session->reporter))
		session->kernel_refused = ksyms_open(&session->kernel, TM_TAKE_FD(*table)) < 0;
	return *table < 0;
}

/* Takes over what a symbolizer that died had reported, so that our reports continue after it. */
static void take_reported(struct session *session, const struct tm_counts *counts,
			  uint64_t until_ktime)
{
	struct session_reported *reported = &session->reported;

	reported->counts = reported->resumed = *counts;
	reported->until_ktime = until_ktime;
	reported->any = true;
	thread_request_resume(&session->thread_request, until_ktime);
	accounting_resume(&reported->accounting, counts);
}

/* The same, kept by systemd. */
static void take_stored(struct session *session)
{
	struct reported reported;

	if (service_reported_take(&session->service->reported,
				  session->reader.ring.header->generation, &reported))
		take_reported(session, &reported.counts, reported.until_ktime);
}

/* The same, kept by the collector, if that is newer: what does not check was never reported. */
static void take_resume(struct session *session)
{
	_cleanup_(tm_closep) int fd = TM_TAKE_FD(session->link.reported);
	struct reported reported;

	if (fd >= 0 && session->service && reported_read(fd, &reported) == 0 &&
	    reported.until_ktime > session->reported.until_ktime)
		take_reported(session, &reported.counts, reported.until_ktime);
}

/*
 * Messages of the collector are received after the content of the ring was determined and before it
 * is read. So a descriptor that was sent before a RETIRE was written is received before that RETIRE
 * is read, and only shortly before the FILE record that it answers. Return: whether more is to be
 * read.
 */
static bool read_round(struct session *session)
{
	struct collector_link *link = &session->link;
	bool more = reader_round(&session->reader) == READER_E_MORE;

	if (!more)
		(void)reader_note(&session->reader);
	collector_link_receive(link);
	take_resume(session);
	(void)take_kernel_table(session);
	return more || reader_read(&session->reader) == READER_E_MORE;
}

/* The ring is not read while the end of an interval waits for what threads do. */
static bool read_unless_held(struct session *session)
{
	if (!session->thread_request.waits)
		return read_round(session);
	collector_link_receive(&session->link);
	return false;
}

/* Return: 0, EVENT_LOOP_E_ABANDONED (one is under way already). */
static int take_flush(struct session *session)
{
	if (session->flush_pending)
		return EVENT_LOOP_E_ABANDONED;
	session->flush_pending = true;
	for (int i = 0; i < OPTIONS_OUTPUTS_MAX; i++) {
		session->flush_outputs[i] = session->outputs[i];
		session->outputs[i].fd = -1;
	}
	return 0;
}

/* The report that is made next waits for what is read then. */
static void end_jit_files(struct session *session, uint64_t released)
{
	perf_maps_round(&session->maps);
	jit_files_end_interval(&session->jit, released);
}

/* The open interval ends, unless the reporter has no room for it: then it goes on until it has.
 * After the last one there is none. */
static void flush(struct session *session)
{
	struct report_job *job;

	if (!session->flush_pending || !session->interval || reporter_is_full(&session->reporter))
		return;
	if (!session->thread_request.waits)
		(void)read_round(session);
	if (!thread_request_round(&session->thread_request, session->reader.released))
		return;
	end_jit_files(session, session->reader.released);
	job = interval_end(session, /* last= */ false);
	if (!job)
		return;
	session->flush_pending = false;
	reporter_submit(&session->reporter, job);
}

/* What failed while the last report waited for symbols. */
static void add_failures(const struct session *session, struct tm_result *result)
{
	result->parsers_lost += session->parser.counts.lost;
	for (unsigned i = 0; i < TM_PARSE_N; i++)
		result->parse_failures[i] += session->parser.counts.failures[i];
}

static void send_result(struct session *session, const struct report_job *job)
{
	struct tm_control result = {.kind = TM_CONTROL_RESULT};

	*tm_result_body(&result) = job->result;
	budget_fill_result(&session->memory, tm_result_body(&result));
	(void)tm_control_counts(session->options->control_fd, &job->counts, /* may_skip= */ false);
	(void)tm_control_send_message(session->options->control_fd, &result);
}

/* A symbol_store_stays_fn. */
static bool has_number(void *context, const struct tm_identity *identity)
{
	return files_of_identity(context, identity) != FILES_NONE;
}

/* Reports that are made: their results go to the command, the last one with the parser's cost. */
static void take_reports(struct session *session)
{
	struct report_job *job;

	while ((job = reporter_done(&session->reporter))) {
		session->finished = job->last;
		session->code = job->code;
		if (job->last)
			add_failures(session, &job->result);
		if (job->last)
			parser_client_stop(&session->parser, &job->result.child_cpu_ns,
					   &job->result.child_rss_bytes);
		send_result(session, job);
		if (session->service)
			service_reported(session, job);
		if (!session->finished)
			(void)tm_control_send(session->options->control_fd, TM_CONTROL_FLUSHED, 0,
					      job->until_ktime);
		symbol_store_end_report(&session->store, has_number, &session->files);
		reporter_remove(&session->reporter);
	}
}

/* Takes @fd. Return: 0, EVENT_LOOP_E_ABANDONED (the message is invalid). */
static int handle_message(struct session *session, const struct tm_control *message, int fd)
{
	_cleanup_(tm_closep) int owned = fd;

	if (message->kind == TM_CONTROL_OUTPUT_FILE)
		return take_output(session, message->value, TM_TAKE_FD(owned));
	if (message->kind == TM_CONTROL_PARSER && owned >= 0) {
		parser_client_attach(&session->parser, TM_TAKE_FD(owned), message->value);
		return 0;
	}
	if (owned >= 0)
		return EVENT_LOOP_E_ABANDONED;
	if (message->kind == TM_CONTROL_FLUSH)
		return take_flush(session);
	if (message->kind != TM_CONTROL_RESUME)
		return EVENT_LOOP_E_ABANDONED;
	take_reported(session, &message->body.counts, message->value);
	return 0;
}

/* Return: 0, EVENT_LOOP_E_ABANDONED. */
static int receive_from_command(struct session *session)
{
	for (int i = 0; i < CONTROL_BATCH && !session->service; i++) {
		struct tm_control message;
		int fd = -1;
		int r = tm_control_receive(session->options->control_fd, &message, &fd);

		if (r)
			return r == TM_CONTROL_E_NONE ? 0 : EVENT_LOOP_E_ABANDONED;
		if (handle_message(session, &message, fd))
			return EVENT_LOOP_E_ABANDONED;
	}
	return 0;
}

/*
 * Sleeps until a message arrives or it is time to read the ring. Return: whether the command sent
 * something or exited.
 */
static bool wait_for_more(const struct session *session, int timeout_ms)
{
	struct pollfd ready[] = {
		{.fd = session->link.serves ? session->options->wire_fd : -1, .events = POLLIN},
		{.fd = session->service ? session->service->manager.signals
					: session->options->control_fd,
		 .events = POLLIN},
		{.fd = session->parser.socket, .events = POLLIN},
		{.fd = session->reporter.ready[0], .events = POLLIN},
		{.fd = session->requests.wake[0], .events = POLLIN},
		{.fd = session->debuginfod.socket, .events = POLLIN},
		{.fd = session->cache_thread.ready[0], .events = POLLIN},
		{.fd = session->service && session->parser.socket < 0
			       ? session->service->parser_listener
			       : -1,
		 .events = POLLIN},
		{.fd = session->service ? session->service->status_listener : -1, .events = POLLIN},
		{.fd = session->service && !session->service->stopping
			       ? reload_fd(&session->service->reload)
			       : -1,
		 .events = POLLIN},
	};

	if (unwind_jobs_must_send(&session->jobs) || warm_start_must_send(&session->warm))
		ready[0].events |= POLLOUT;
	return poll(ready, sizeof(ready) / sizeof(ready[0]), timeout_ms) > 0 && ready[1].revents;
}

/* After END the collector stays until the last report's lines were read. */
static void serve_after_end(struct session *session)
{
	if (session->link.state != COLLECTOR_LINK_ENDED || !session->link.serves)
		return;
	collector_link_receive(&session->link);
	if (line_requests_is_finished(&session->line_requests))
		collector_link_finish(&session->link);
}

/* Serves parser, reporter and command once. Return: 0, EVENT_LOOP_E_ABANDONED, _STOPPED. */
static int serve(struct session *session, int timeout_ms)
{
	parser_client_round(&session->parser);
	debuginfod_client_round(&session->debuginfod);
	debug_fetches_round(&session->fetches);
	serve_after_end(session);
	table_cache_thread_round(&session->cache_thread);
	if (session->link.state == COLLECTOR_LINK_ATTACHED) {
		unwind_jobs_round(&session->jobs);
		warm_start_round(&session->warm, session->link.begun, tm_clock_ms());
	}
	parser_requests_round(&session->requests, &session->parser); /* a report waits for them */
	perf_maps_round(&session->maps);
	jitdumps_round(&session->jit, &session->files, session->options->wire_fd);
	jit_files_round(&session->jit, session->reader.released);
	symbol_jobs_round(&session->symbols, session->link.state == COLLECTOR_LINK_ATTACHED);
	line_jobs_round(&session->line_jobs, session->link.serves);
	debug_files_round(&session->debug, session->link.serves);
	take_reports(session);
	if (session->service && service_round(session))
		return EVENT_LOOP_E_STOPPED;
	return wait_for_more(session, timeout_ms) ? receive_from_command(session) : 0;
}

/* Each decision is sent, whether it changes anything or not: a full socket takes none. */
static void govern(struct session *session)
{
	struct tm_counts counts;

	if (!session->governor.governs || tm_ring_counts(&session->reader.ring, &counts))
		return;
	if (governor_decide(&session->governor, &counts, tm_clock_read(CLOCK_PROCESS_CPUTIME_ID),
			    parser_client_cpu_ns(&session->parser)))
		collector_link_set_rate(&session->link, session->governor.shift,
					session->governor.owner_ns);
}

int event_loop_run(struct session *session)
{
	bool more = false;

	if (session->service)
		take_stored(session);
	while (session->link.state == COLLECTOR_LINK_ATTACHED) {
		bool fast = session->options->hz >> session->governor.shift >= EVENT_LOOP_FAST_HZ;
		int r = serve(session,
			      fast || more ? EVENT_LOOP_ROUND_FAST_MS : EVENT_LOOP_ROUND_MS);

		if (r)
			return r;
		more = read_unless_held(session);
		/* Tables are cached by the announced identity (table_cache.h). Reading once more
		 * for it costs less than parsing the file again in the next recording. */
		if (file_queue_has_early(&session->files))
			more = read_unless_held(session);
		line_retire_round(&session->line_retire, &session->interval->aggregate,
				  tm_clock_ns());
		flush(session);
		govern(session);
	}
	reader_drain(&session->reader);
	thread_request_finish(&session->thread_request);
	return 0;
}

/* The last report is made by then. Return: 0, EVENT_LOOP_E_ABANDONED. */
static int finish_cache(struct session *session)
{
	uint64_t end_ms = tm_clock_ms() + EVENT_LOOP_CACHE_MS;

	while (table_cache_write_is_pending(&session->cache) && tm_clock_ms() < end_ms)
		if (serve(session, EVENT_LOOP_ROUND_MS))
			return EVENT_LOOP_E_ABANDONED;
	return 0;
}

int event_loop_finish(struct session *session)
{
	struct report_job *job = NULL;

	while (!session->finished) {
		flush(session);
		if (!job && !session->flush_pending && !reporter_is_full(&session->reporter) &&
		    take_kernel_table(session)) {
			end_jit_files(session, UINT64_MAX);
			job = interval_end(session, /* last= */ true);
			if (job)
				reporter_submit(&session->reporter, job);
			else if (reporter_is_idle(&session->reporter))
				return -ENOMEM; /* nothing will be freed */
		}
		if (session->flush_pending && session->interval &&
		    reporter_is_idle(&session->reporter))
			return -ENOMEM; /* nothing will be freed */
		if (serve(session, EVENT_LOOP_ROUND_MS))
			return EVENT_LOOP_E_ABANDONED;
	}
	return finish_cache(session) ? EVENT_LOOP_E_ABANDONED : session->code;
}
