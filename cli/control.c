/* SPDX-License-Identifier: Apache-2.0 */
/* control - receives the messages of both programs and applies them to the session */

#include "cli/control.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit_code.h"
#include "cli/preflight.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "shared/clock.h"

#define BATCH 64 /* messages between two looks at everything else */

static int exit_code_of(int code)
{
	return code == TM_FAILURE_HOST ? EXIT_CODE_HOST : EXIT_CODE_FAILED;
}

/* The collector found no such process, but it runs: the kernel hides it from BPF programs. */
static bool print_hidden(const struct session *session, const struct tm_control *message)
{
	if (message->code != TM_FAILURE_NO_PROCESS || !preflight_finds_processes(session->options))
		return false;
	terminal_print("%s among those that this kernel shows to BPF programs; it runs, but cannot "
		       "be selected from here: record from the PID namespace it belongs to",
		       message->body.text);
	return true;
}

static void on_failed(struct session *session, struct child *program,
		      const struct tm_control *message)
{
	if (program->failed)
		return; /* only the first reason is printed */
	program->failed = true;
	if (print_hidden(session, message)) {
		session->cause_printed = true;
		session_lose(session, program, EXIT_CODE_HOST);
		return;
	}
	if (message->code == TM_FAILURE_PEER) {
		(void)snprintf(session->peer_text, sizeof(session->peer_text), "%s",
			       message->body.text);
	} else {
		terminal_print("%s", message->body.text[0] ? message->body.text : program->name);
		session->cause_printed = true;
	}
	session_lose(session, program, exit_code_of(message->code));
}

static void on_done(struct session *session, struct child *program, int code)
{
	if (code == 0) {
		program->done = true;
		if (program == &session->symbolizer)
			session->output_results.reported = true;
		session->deadline_ns = 0;
		return;
	}
	program->failed = true;
	terminal_print("%s failed: %s", program->name,
		       strerror(code < 0 && code > INT_MIN ? -code : EPROTO));
	session_lose(session, program, EXIT_CODE_FAILED);
}

static void on_counts(struct session *session, const struct tm_control *message)
{
	session->counts = message->body.counts;
	if (session->phase != SESSION_RECORDING)
		return;
	terminal_progress(tm_clock_ns() - session->started_ns, &session->counts,
			  session->intervals.accounting.reports);
	if (!session->workload.ended)
		return;
	if (session->counts.selected == 0)
		session_stop(session);
	else if (++session->counts_after_workload == 2)
		terminal_print(
			"%s has ended; the processes that it started are still recorded, until "
			"they end or you press Ctrl-C",
			session->workload.name);
}

/* Messages that either program may send. Return: whether it was one of them. */
static bool on_common_message(struct session *session, struct child *program,
			      const struct tm_control *message)
{
	switch (message->kind) {
	case TM_CONTROL_READY:
		program->ready = true;
		if (program == &session->symbolizer)
			intervals_resume(&session->intervals, program);
		return true;
	case TM_CONTROL_NOTE:
		child_note(program, message->body.text);
		return true;
	case TM_CONTROL_DONE:
		child_measure(program);
		on_done(session, program, message->code);
		return true;
	case TM_CONTROL_FAILED:
		on_failed(session, program, message);
		return true;
	default:
		return false;
	}
}

static void on_collector_message(struct session *session, const struct tm_control *message)
{
	if (on_common_message(session, &session->collector, message))
		return;
	switch (message->kind) {
	case TM_CONTROL_STARTED:
		session_started(session);
		return;
	case TM_CONTROL_EMPTY:
		session_stop(session);
		return;
	case TM_CONTROL_COUNTS:
		on_counts(session, message);
		return;
	case TM_CONTROL_OPENER_LOST:
		opener_kill(&session->opener, message->value);
		return;
	default:
		terminal_verbose("%s sent an unknown message, kind %u", session->collector.name,
				 message->kind);
	}
}

static void on_output(struct session *session, const struct tm_control *message)
{
	if (message->value >= session->options->output_count)
		return;
	session->output_results.codes[message->value] = message->code < 0 ? message->code : 0;
	session->output_results.has[message->value] = true;
}

static void replace_parser(struct session *session, uint64_t lost)
{
	if (session->starter)
		parser_restart_run(&session->parser, lost, session->starter, &session->symbolizer);
}

static void on_symbolizer_message(struct session *session, const struct tm_control *message)
{
	if (on_common_message(session, &session->symbolizer, message))
		return;
	switch (message->kind) {
	case TM_CONTROL_OUTPUT:
		on_output(session, message);
		return;
	case TM_CONTROL_TOP:
		if (session->top_count < TM_TOP_ROWS)
			memcpy(&session->top[session->top_count++], message->body.words,
			       sizeof(session->top[0]));
		return;
	case TM_CONTROL_COUNTS:
		session->last_counts = message->body.counts;
		session->has_last_counts = true;
		return;
	case TM_CONTROL_RESULT:
		memcpy(&session->result, message->body.words, sizeof(session->result));
		return;
	case TM_CONTROL_PARSER_LOST:
		replace_parser(session, message->value);
		return;
	case TM_CONTROL_FLUSHED:
		report_interval(session, message->value);
		return;
	default:
		terminal_verbose("%s sent an unknown message, kind %u", session->symbolizer.name,
				 message->kind);
	}
}

static void receive_all(struct session *session, struct child *program,
			void (*on_message)(struct session *, const struct tm_control *))
{
	struct tm_control message;
	int i;

	for (i = 0; i < BATCH; i++) {
		if (child_receive(program, &message) != 0)
			return;
		on_message(session, &message);
	}
}

void control_collector(struct session *session)
{
	receive_all(session, &session->collector, on_collector_message);
}

void control_symbolizer(struct session *session)
{
	receive_all(session, &session->symbolizer, on_symbolizer_message);
}
