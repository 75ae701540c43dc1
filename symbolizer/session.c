/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session - one recording, from the first record to the last output
 */

#include "symbolizer/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "symbolizer/base/control.h"
#include "symbolizer/names/collect.h"
#include "symbolizer/reporter.h"

#define CONTROL_BATCH \
	(2 * OPTIONS_OUTPUTS_MAX) /* words of the command between two looks at the ring */

static void close_outputs(struct session *session)
{
	for (int i = 0; i < session->options->output_count; i++)
		session->outputs[i].fd = tm_close(session->outputs[i].fd);
}

static int writable_regular(int fd)
{
	struct stat status;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY &&
	       fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* Return: 0, SESSION_E_ABANDONED (no such output, or no descriptor). Takes @fd. */
static int take_target(struct session *session, uint64_t index, int fd)
{
	_cleanup_(tm_closep) int taken = fd;

	if (index >= (uint64_t)session->options->output_count || taken < 0)
		return SESSION_E_ABANDONED;
	session->outputs[index].fd = tm_close(session->outputs[index].fd);
	if (writable_regular(taken))
		session->outputs[index].fd = TM_TAKE_FD(taken);
	return 0;
}

/*
 * The wire between two looks at the ring: a descriptor is here before the RETIRE that its sender wrote
 * after it, and not long before the FILE that it answers. Return: whether more is there to be read.
 */
static int read_round(struct session *session)
{
	int more = reader_round(&session->feed) == READER_E_MORE;

	if (!more)
		(void)reader_note(&session->feed);
	collector_link_receive(&session->peer);
	return more || reader_read(&session->feed) == READER_E_MORE;
}

static void flush(struct session *session)
{
	(void)read_round(session);
	reporter_interval(session);
	close_outputs(session);
	control_say(session->options->control_fd, TM_CONTROL_FLUSHED, 0,
		    session->reported.until_ktime);
}

/* What the reports of a dead one told, so that ours begin behind them. */
static void take_told(struct session *session, const struct tm_control *message)
{
	const struct tm_counts *counts = &message->body.counts;
	struct session_reported *reported = &session->reported;

	reported->counts = *counts;
	reported->until_ktime = message->value;
	reported->any = 1;
	reported->balance.taken = counts->taken;
	reported->balance.not_run = counts->owed > counts->hits ? counts->owed - counts->hits : 0;
	memcpy(reported->balance.drops, counts->drops, sizeof(counts->drops));
}

/* Return: 0, SESSION_E_ABANDONED. */
static int hear_command(struct session *session)
{
	for (int i = 0; i < CONTROL_BATCH; i++) {
		struct tm_control message;
		int fd = -1;
		int r = control_receive(session->options->control_fd, &message, &fd);

		if (r)
			return r == CONTROL_E_NONE ? 0 : SESSION_E_ABANDONED;
		if (message.kind == TM_CONTROL_OUTPUT_FILE) {
			r = take_target(session, message.value, fd);
		} else if (message.kind == TM_CONTROL_FLUSH && fd < 0) {
			flush(session);
		} else if (message.kind == TM_CONTROL_RESUME && fd < 0) {
			take_told(session, &message);
		} else if (message.kind == TM_CONTROL_PARSER && fd >= 0) {
			parser_client_attach(&session->parser, fd);
		} else {
			(void)tm_close(fd);
			r = SESSION_E_ABANDONED;
		}
		if (r)
			return r;
	}
	return 0;
}

int session_init(struct session *session, const struct options *options)
{
	int r;

	memset(session, 0, sizeof(*session)); /* too large for a second one on the stack */
	session->options = options;
	session->budget.limit = options->profile_bytes;
	session->kernel = KSYMS_NULL;
	session->parser = PARSER_CLIENT_NULL;
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
	aggregate_init(&session->aggregate, &session->strings, &session->processes,
		       &session->files);
	reader_init(&session->feed, &session->aggregate, &session->queue);
	collector_link_init(&session->peer, options->wire_fd, &session->files, &session->kernel);
	session->parser.control = options->control_fd;
	return unwind_jobs_init(&session->jobs, &session->files, &session->cache, &session->parser,
				options->wire_fd);
}

void session_deinit(struct session *session)
{
	unwind_jobs_deinit(&session->jobs);
	table_cache_close(&session->cache);
	reader_deinit(&session->feed);
	aggregate_deinit(&session->aggregate);
	process_table_deinit(&session->processes);
	files_deinit(&session->files);
	ksyms_deinit(&session->kernel);
	collector_link_deinit(&session->peer);
	strings_deinit(&session->strings);
	tm_retire_deinit(&session->queue);
	close_outputs(session);
}

/* Until there is something to do, or time to look into the ring. Return: whether the command spoke. */
static int wait_for_more(const struct session *session, int timeout_ms)
{
	struct pollfd ready[3] = {
		{.fd = session->options->wire_fd, .events = POLLIN},
		{.fd = session->options->control_fd, .events = POLLIN},
		{.fd = session->parser.socket, .events = POLLIN},
	};

	if (unwind_jobs_must_send(&session->jobs))
		ready[0].events |= POLLOUT;
	return poll(ready, 3, timeout_ms) > 0 && ready[1].revents;
}

int session_record(struct session *session)
{
	int fast = session->options->hz >= SESSION_FAST_HZ;
	int more = 0;

	while (session->peer.state == COLLECTOR_LINK_ATTACHED) {
		parser_client_round(&session->parser);
		unwind_jobs_round(&session->jobs);
		if (wait_for_more(session,
				  fast || more ? SESSION_ROUND_FAST_MS : SESSION_ROUND_MS) &&
		    hear_command(session))
			return SESSION_E_ABANDONED;
		more = read_round(session);
		/* Rows are kept under what was announced (table_cache.h): once more, rather than without. */
		if (unwind_queue_are_early(&session->files))
			more = read_round(session);
		if (files_are_pending(&session->files))
			collect_pending(session);
	}
	reader_drain(&session->feed);
	return 0;
}
