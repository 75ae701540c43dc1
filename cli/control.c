/* SPDX-License-Identifier: Apache-2.0 */
/* control - what the two programs tell the command, message by message */

#include "cli/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit_code.h"
#include "cli/preflight.h"
#include "cli/progress.h"
#include "cli/terminal.h"

#define BATCH 64 /* messages between two looks at everything else */

static int outcome_of(int code)
{
	return code == TM_FAILURE_HOST ? EXIT_CODE_HOST : EXIT_CODE_FAILED;
}

/* The collector found no such process; what it can walk is the kernel's choice. */
static int take_hidden(const struct session *session, const struct tm_control *message)
{
	if (message->code != TM_FAILURE_NO_PROCESS || !preflight_holds_processes(session->options))
		return 0;
	say("%s among those that this kernel shows to BPF programs; it runs, but cannot be "
	    "selected here",
	    message->body.text);
	return 1;
}

static void take_failed(struct session *session, struct child *program,
			const struct tm_control *message)
{
	if (program->failed)
		return; /* once is enough */
	program->failed = 1;
	if (take_hidden(session, message)) {
		session->told = 1;
		session_lose(session, program, EXIT_CODE_HOST);
		return;
	}
	if (message->code == TM_FAILURE_PEER) {
		(void)snprintf(session->peer_text, sizeof(session->peer_text), "%s",
			       message->body.text);
	} else {
		say("%s", message->body.text[0] ? message->body.text : program->name);
		session->told = 1;
	}
	session_lose(session, program, outcome_of(message->code));
}

static void take_done(struct session *session, struct child *program, int code)
{
	if (code == 0) {
		program->done = 1;
		session->deadline_ns = 0;
		return;
	}
	program->failed = 1;
	say("%s failed: %s", program->name, strerror(code < 0 ? -code : EPROTO));
	session_lose(session, program, EXIT_CODE_FAILED);
}

static void take_counts(struct session *session, const struct tm_control *message)
{
	session->counts = message->body.counts;
	session->cost = message->body.cost;
	if (session->phase != SESSION_RECORDING)
		return;
	progress_show(session_now_ns() - session->started_ns, &session->counts,
		      session->series.ledger.reports);
	if (!session->command.ended)
		return;
	if (session->counts.selected == 0)
		session_stop(session);
	else if (++session->counts_after_command == 2)
		say("%s has ended; what it started is still recorded (Ctrl-C ends)",
		    session->command.name);
}

/* What either program may say. Return: 1 if that was it. */
static int take_either(struct session *session, struct child *program,
		       const struct tm_control *message)
{
	switch (message->kind) {
	case TM_CONTROL_READY:
		program->ready = 1;
		if (program == &session->symbolizer)
			intervals_resume(session);
		return 1;
	case TM_CONTROL_NOTE:
		child_note(program, message->body.text);
		return 1;
	case TM_CONTROL_DONE:
		child_measure(program);
		take_done(session, program, message->code);
		return 1;
	case TM_CONTROL_FAILED:
		take_failed(session, program, message);
		return 1;
	default:
		return 0;
	}
}

static void hear_collector(struct session *session, const struct tm_control *message)
{
	if (take_either(session, &session->collector, message))
		return;
	switch (message->kind) {
	case TM_CONTROL_STARTED:
		session_started(session);
		return;
	case TM_CONTROL_EMPTY:
		session_stop(session);
		return;
	case TM_CONTROL_COUNTS:
		take_counts(session, message);
		return;
	default:
		say_more("%s sent an unknown message, kind %u", session->collector.name,
			 message->kind);
	}
}

static void take_output(struct session *session, const struct tm_control *message)
{
	if (message->value >= session->options->output_count)
		return;
	session->output_codes[message->value] = message->code;
	session->outputs_told |= 1u << message->value;
}

static void hear_symbolizer(struct session *session, const struct tm_control *message)
{
	if (take_either(session, &session->symbolizer, message))
		return;
	switch (message->kind) {
	case TM_CONTROL_OUTPUT:
		take_output(session, message);
		return;
	case TM_CONTROL_TOP:
		if (session->top_count < TM_TOP_ROWS)
			session->top[session->top_count++] = message->body.top;
		return;
	case TM_CONTROL_COUNTS:
		session->last_counts = message->body.counts;
		session->last_counts_told = 1;
		return;
	case TM_CONTROL_RESULT:
		session->result = message->body.result;
		return;
	case TM_CONTROL_FLUSHED:
		intervals_flushed(session, message->value);
		return;
	default:
		say_more("%s sent an unknown message, kind %u", session->symbolizer.name,
			 message->kind);
	}
}

static void listen_to(struct session *session, struct child *program,
		      void (*hear)(struct session *, const struct tm_control *))
{
	struct tm_control message;
	int i;

	for (i = 0; i < BATCH; i++) {
		if (child_receive(program, &message) != 0)
			return;
		hear(session, &message);
	}
}

void control_collector(struct session *session)
{
	listen_to(session, &session->collector, hear_collector);
}

void control_symbolizer(struct session *session)
{
	listen_to(session, &session->symbolizer, hear_symbolizer);
}
