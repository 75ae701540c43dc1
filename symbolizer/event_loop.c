/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_loop - reads the ring periodically and handles messages of command, collector and parser
 */

#include "symbolizer/event_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "shared/cleanup.h"
#include "shared/control.h"
#include "symbolizer/reporter.h"

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
	if (link->kernel_table >= 0)
		session->kernel_refused =
			ksyms_open(&session->kernel, TM_TAKE_FD(link->kernel_table)) < 0;
	return more || reader_read(&session->reader) == READER_E_MORE;
}

static void flush(struct session *session)
{
	(void)read_round(session);
	reporter_interval(session);
	session_close_outputs(session);
	(void)tm_control_send(session->options->control_fd, TM_CONTROL_FLUSHED, 0,
			      session->reported.until_ktime);
}

/* Takes over what a symbolizer that died had reported, so that our reports continue after it. */
static void take_reported(struct session *session, const struct tm_control *message)
{
	const struct tm_counts *counts = &message->body.counts;
	struct session_reported *reported = &session->reported;
	struct accounting *accounting = &reported->accounting;

	reported->counts = *counts;
	reported->until_ktime = message->value;
	reported->any = true;
	accounting->taken = counts->taken;
	accounting->not_run = counts->owed > counts->hits ? counts->owed - counts->hits : 0;
	memcpy(accounting->drops, counts->drops, sizeof(counts->drops));
}

/* Takes @fd. Return: 0, EVENT_LOOP_E_ABANDONED (the message is invalid). */
static int handle_message(struct session *session, const struct tm_control *message, int fd)
{
	_cleanup_(tm_closep) int owned = fd;

	if (message->kind == TM_CONTROL_OUTPUT_FILE)
		return take_output(session, message->value, TM_TAKE_FD(owned));
	if (message->kind == TM_CONTROL_PARSER && owned >= 0) {
		parser_client_attach(&session->parser, TM_TAKE_FD(owned));
		return 0;
	}
	if (owned >= 0)
		return EVENT_LOOP_E_ABANDONED;
	if (message->kind == TM_CONTROL_FLUSH)
		flush(session);
	else if (message->kind == TM_CONTROL_RESUME)
		take_reported(session, message);
	else
		return EVENT_LOOP_E_ABANDONED;
	return 0;
}

/* Return: 0, EVENT_LOOP_E_ABANDONED. */
static int receive_from_command(struct session *session)
{
	for (int i = 0; i < CONTROL_BATCH; i++) {
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
	struct pollfd ready[3] = {
		{.fd = session->options->wire_fd, .events = POLLIN},
		{.fd = session->options->control_fd, .events = POLLIN},
		{.fd = session->parser.socket, .events = POLLIN},
	};

	if (unwind_jobs_must_send(&session->jobs))
		ready[0].events |= POLLOUT;
	return poll(ready, 3, timeout_ms) > 0 && ready[1].revents;
}

int event_loop_run(struct session *session)
{
	bool fast = session->options->hz >= EVENT_LOOP_FAST_HZ;
	bool more = false;

	while (session->link.state == COLLECTOR_LINK_ATTACHED) {
		parser_client_round(&session->parser);
		unwind_jobs_round(&session->jobs);
		if (wait_for_more(session,
				  fast || more ? EVENT_LOOP_ROUND_FAST_MS : EVENT_LOOP_ROUND_MS) &&
		    receive_from_command(session))
			return EVENT_LOOP_E_ABANDONED;
		more = read_round(session);
		/* Tables are cached by the announced identity (table_cache.h). Reading once more
		 * for it costs less than parsing the file again in the next recording. */
		if (file_queue_has_early(&session->files))
			more = read_round(session);
		if (files_have_many_pending(&session->files))
			collect_pending(&session->collect, session->reader.released);
	}
	reader_drain(&session->reader);
	return 0;
}
