/* SPDX-License-Identifier: Apache-2.0 */
/* session - the collector's main loop, the commands it handles, and its end */

#include "collector/session.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>

#include "collector/control.h"
#include "collector/debug_paths.h"
#include "collector/selection.h"
#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"

static int start(struct session *session)
{
	int r = selection_mark(&session->loader, &session->failure);

	/* Where the last collector left its programs, its hooks are attached. */
	if (r == 0 && session->options->off_cpu && !session->loader.kept->adopted)
		r = loader_start_off_cpu(&session->loader, &session->failure);
	if (r < 0)
		return r;
	r = percpu_ioctl(&session->loader.percpu, PERF_EVENT_IOC_ENABLE, 0);
	if (r < 0)
		return tm_control_failure_check(&session->failure, TM_FAILURE_HOST, r,
						"the perf events cannot be started");
	session->running = true;
	session_count_gap(session);
	if (!session->loader.kept->adopted)
		session->weighed_ns = tm_clock_ns();
	session_keep(session);
	return tm_control_send(session->command, TM_CONTROL_STARTED, 0, 0);
}

/* Takes the command's descriptor. Return: 0, -errno. */
static int handle_command(struct session *session, const struct control_command *command)
{
	const struct options *options = session->options;
	int r;

	switch (command->kind) {
	case TM_CONTROL_SELECT:
		if (!options->selecting)
			return 0;
		r = selection_add(&session->loader, command->value, &session->failure);
		return r == 0 && session->running
			       ? selection_mark(&session->loader, &session->failure)
			       : r;
	case TM_CONTROL_ANNOUNCE:
		if (!session->running && !session->loader.kept->adopted)
			loader_announce(&session->loader, (uint32_t)command->code, command->value);
		return 0;
	case TM_CONTROL_START:
		if (!session->running) /* where sampling goes on, nothing was announced */
			session->start_ms = tm_clock_ms() +
					    (session->loader.kept->adopted ? 0 : SESSION_AHEAD_MS);
		return 0;
	case TM_CONTROL_STOP:
		session->end = SESSION_STOPPED;
		return 0;
	case TM_CONTROL_CPU:
		session_add_cpu(session, command->value, command->fd);
		return 0;
	case TM_CONTROL_ATTACH:
		if (options->restart)
			return session_attach(session, command->fd);
		(void)tm_close(command->fd);
		return 0;
	case TM_CONTROL_OPENER:
		file_requests_take_opener(&session->files, command->fd);
		session->opener_number = command->value;
		session->opener_missed = false;
		return 0;
	default:
		return 0;
	}
}

/* Once every announced file and the vDSO was answered with its table, and the last one came of
 * those that the symbolizer knows, or will not be soon. */
static void start_if_due(struct session *session)
{
	const struct tm_install_counts *answers = &session->tables.counts;
	uint64_t sent = session->files.counts.opened + session->tables.vdso_answered;
	bool waits = !file_requests_idle(&session->files) ||
		     (session->link.fd >= 0 && !session->link.ahead_ended) ||
		     answers->installed + answers->failed + answers->refused < sent;

	if (!session->start_ms || (waits && tm_clock_ms() < session->start_ms))
		return;
	session->start_ms = 0;
	if (start(session) < 0)
		session->end = SESSION_FAILED;
}

static void receive_commands(struct session *session)
{
	struct control_command command;

	while (session->end == SESSION_CONTINUES) {
		int r = control_receive(session->command, &command);

		if (r == CONTROL_E_NONE)
			return;
		if (r != 0)
			session->end = SESSION_COMMAND_GONE;
		else if (handle_command(session, &command) < 0)
			session->end = SESSION_FAILED;
	}
}

/* Reads what costs a system call per CPU; reading a perf event interrupts its CPU. */
static void measure(struct session *session)
{
	session->counts.owed = percpu_owed(&session->loader.percpu);
	session->counts.measured_ns = tm_clock_ns();
	session->counts.cpu_ns = session->cpu_before_ns + tm_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* As the symbolizer wishes, but not below a hit a second. */
static void set_rate(struct session *session)
{
	struct percpu *percpu = &session->loader.percpu;
	unsigned shift = session->options->may_lower ? session->link.rate.number : 0;
	int r;

	while (shift > 0 && session->options->hz >> shift == 0)
		shift--;
	*session->loader.owner_time_most =
		session->options->may_lower ? session->link.rate.value : 0;
	if (!session->running || shift == percpu->shift)
		return;
	session_weigh(session);
	r = percpu_set_shift(percpu, shift, /* on= */ true);
	if (r < 0)
		(void)tm_control_note(session->command,
				      "the sampling rate could not be changed everywhere: %s",
				      strerror(-r));
}

static void report(struct session *session, bool may_skip)
{
	if (tm_control_counts(session->command, &session->counts, may_skip) < 0 &&
	    session->end == SESSION_CONTINUES)
		session->end = SESSION_COMMAND_GONE;
}

static void do_periodic(struct session *session, uint64_t now_ms)
{
	if (now_ms - session->counted_ms >= SESSION_COUNTS_MS) {
		session->counted_ms = now_ms;
		measure(session);
		set_rate(session);
		report(session, /* may_skip= */ true);
	}
	file_requests_retry(&session->files, now_ms);
	if (session->options->selecting && session->running && !session->empty_sent &&
	    *session->loader.selected_count == 0) {
		session->empty_sent = true;
		(void)tm_control_send(session->command, TM_CONTROL_EMPTY, 0, 0);
	}
	if (session->options->opener_fd >= 0 && session->opener.fd < 0 && !session->opener_missed) {
		session->opener_missed = true;
		(void)tm_control_send(session->command, TM_CONTROL_OPENER_LOST, 0,
				      session->opener_number);
	}
}

static int poll_ms(const struct session *session)
{
	if (session->drain.fullest_percent > SESSION_QUARTER_PERCENT || session->refresh.fd >= 0)
		return SESSION_POLL_FULL_MS;
	if (session->options->hz >> session->loader.percpu.shift >= SESSION_FAST_HZ)
		return SESSION_POLL_FAST_MS;
	return session->off_cpu.target ? SESSION_POLL_OFF_CPU_MS : SESSION_POLL_MS;
}

static void take_ahead(struct session *session, const struct tm_wire *message, int fd)
{
	uint64_t bytes = 0;

	if (unwind_install_ahead(&session->tables, message, fd, session_has_begun(session),
				 &bytes) < 0)
		symbolizer_link_refuse(&session->link);
	session->tokens -= (int64_t)bytes;
}

/* Receives one message. The tokens bound how much work the symbolizer can cause between two rounds.
 */
static void receive_from_symbolizer(struct session *session)
{
	_cleanup_(tm_closep) int fd = -1;
	struct tm_wire message;
	int r = symbolizer_link_receive(&session->link, &message, &fd);

	session->tokens -= SESSION_MESSAGE_TOKENS;
	if (r == SYMBOLIZER_LINK_E_TABLE && session->end == SESSION_CONTINUES)
		session->tokens -= (int64_t)unwind_install_take(&session->tables, &message, fd);
	if (r == SYMBOLIZER_LINK_E_AHEAD)
		take_ahead(session, &message, fd);
	if (r == SYMBOLIZER_LINK_E_DEBUG &&
	    debug_paths_ask(&session->files, session->options, &message) < 0)
		symbolizer_link_refuse(&session->link);
	if (r == SYMBOLIZER_LINK_E_THREADS)
		session_ask_threads(session);
	if (r == SYMBOLIZER_LINK_E_REPORTED) {
		(void)tm_close(session->reported);
		session->reported = TM_TAKE_FD(fd);
		kept_keep(session->loader.kept, KEPT_REPORTED, session->reported_index + 1,
			  session->reported);
		kept_drop(session->loader.kept, KEPT_REPORTED, session->reported_index++);
	}
	if (r != SYMBOLIZER_LINK_E_FAILED)
		return;
	session->tokens -= message.kind == TM_WIRE_FILE_AGAIN ? SESSION_AGAIN_TOKENS : 0;
	unwind_install_failed(&session->tables, &message, tm_clock_ms());
}

/* Waits for messages, at most @milliseconds, and handles them. Nothing is received from the
 * symbolizer while a table of its is pending. */
static void wait_and_receive(struct session *session, int milliseconds)
{
	struct pollfd fds[4 + FILE_QUEUE_LANES] = {
		{.fd = session->end == SESSION_CONTINUES ? session->command : -1, .events = POLLIN},
		{.fd = session->tokens > 0 && !session->tables.pending ? session->link.fd : -1,
		 .events = POLLIN},
		{.fd = session->opener.fd, .events = POLLIN},
		{.fd = session->loader.percpu.wake, .events = POLLIN},
	};

	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		fds[4 + i] = (struct pollfd){session->files.lanes[i].worker, POLLIN, 0};
	if (poll(fds, sizeof(fds) / sizeof(*fds), milliseconds) > 0) {
		if (fds[0].revents)
			receive_commands(session);
		if (fds[1].revents)
			receive_from_symbolizer(session);
		if (fds[3].revents)
			session->woken = percpu_clear_wake(&session->loader.percpu);
	}
	file_requests_advance(&session->files, tm_clock_ms());
	if (session->link.fd >= 0 || session->end != SESSION_CONTINUES || session->ring_waits)
		return;
	if (!session->options->restart)
		session->end = SESSION_SYMBOLIZER_GONE;
	else if (session_detach(session) < 0)
		session->end = SESSION_FAILED;
}

void session_run(struct session *session)
{
	uint64_t next_ms = tm_clock_ms(), soon_ms = next_ms;

	while (session->end == SESSION_CONTINUES) {
		uint64_t now_ms = tm_clock_ms();

		if (now_ms >= next_ms) {
			(void)session_round(session);
			file_requests_advance(&session->files, now_ms); /* before the wait */
			start_if_due(session);
			next_ms = now_ms + (uint64_t)poll_ms(session);
			soon_ms = now_ms + SESSION_POLL_WOKEN_MS;
			session->woken = false;
			do_periodic(session, now_ms);
		}
		wait_and_receive(session, (int)(next_ms > now_ms ? next_ms - now_ms : 0));
		(void)session_send_threads(session);
		if ((session->woken || session->start_ms || session->tables.pending ||
		     session->threads_asked) &&
		    soon_ms < next_ms)
			next_ms = soon_ms;
	}
}

/* Runs rounds until every sample is pushed or dropped and W has passed the end of sampling. */
static void drain_all(struct session *session)
{
	uint64_t from_ms = tm_clock_ms(), w;

	do {
		w = session_round(session);
		(void)poll(NULL, 0, 1);
	} while ((percpu_in_flight(&session->counts) > 0 || w / 1000000 <= from_ms) &&
		 tm_clock_ms() - from_ms < SESSION_QUIET_MS);
}

static bool files_are_done(struct session *session)
{
	return file_requests_idle(&session->files) || session->link.fd < 0;
}

static bool is_alone(struct session *session)
{
	return session->link.fd < 0;
}

static bool end_is_sent(struct session *session)
{
	const struct tm_wire message = {.kind = TM_WIRE_END};

	return session_send_symbols(session) &&
	       symbolizer_link_send(&session->link, &message, -1) != SYMBOLIZER_LINK_E_AGAIN;
}

/* Waits until @is_done, at most @milliseconds. */
static void wait_until(struct session *session, bool (*is_done)(struct session *session),
		       uint64_t milliseconds)
{
	uint64_t from_ms = tm_clock_ms();

	file_requests_advance(&session->files, from_ms);
	while (!is_done(session) && tm_clock_ms() - from_ms < milliseconds) {
		session->tokens = SESSION_TOKENS_MAX; /* no round refills them any more */
		wait_and_receive(session, SESSION_POLL_FULL_MS);
	}
}

static void stop_sampling(struct session *session)
{
	(void)percpu_ioctl(&session->loader.percpu, PERF_EVENT_IOC_DISABLE, 0);
	session_weigh(session);
	session->running = false;
	loader_detach(&session->loader);
	*session->loader.off_cpu_end = tm_clock_ns();
}

void session_finish(struct session *session)
{
	bool goes_on = session->options->keep && !session->failure.code;

	if (!goes_on)
		stop_sampling(session);
	session_ask_threads(session);
	(void)thread_reader_advance(&session->threads); /* the drain waits; threads end meanwhile */
	drain_all(session);
	wait_until(session, session_send_threads, SESSION_SETTLE_MS);
	unwind_install_drop(&session->tables);
	wait_until(session, files_are_done, SESSION_SETTLE_MS);
	measure(session);
	session->parting = goes_on;
	(void)session_round(session); /* the last one, which counts the files too */
	report(session, /* may_skip= */ false);
	if (*session->loader.selected_full)
		(void)tm_control_note(
			session->command,
			"%llu child processes were not sampled: the table of selected "
			"processes was full",
			(unsigned long long)*session->loader.selected_full);
	wait_until(session, end_is_sent, SESSION_SETTLE_MS);
	wait_until(session, is_alone, goes_on ? SESSION_PART_MS : SESSION_STAY_MS);
	if (session->end == SESSION_SYMBOLIZER_GONE)
		(void)tm_control_failure_set(
			&session->failure, TM_FAILURE_PEER,
			"tidemark-symbolizer exited before the recording ended");
	if (session->failure.code)
		(void)tm_control_failed(session->command, &session->failure);
	else
		(void)tm_control_send(session->command, TM_CONTROL_DONE, 0, 0);
}

void session_deinit(struct session *session)
{
	session->opener.fd = tm_close(session->opener.fd);
	drain_deinit(&session->drain);
	thread_reader_deinit(&session->threads);
	reclaim_deinit(&session->reclaim);
	file_requests_deinit(&session->files);
	kallsyms_refresh_deinit(&session->refresh);
	kallsyms_deinit(&session->symbols);
	loader_deinit(&session->loader);
	unwind_install_deinit(&session->tables);
	symbolizer_link_deinit(&session->link);
	session->command = tm_fdpass_close(session->command);
	tm_region_close(&session->ring);
	tm_region_close(&session->reader);
	session->reported = tm_close(session->reported);
}
