/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_command - what a compromised collector or symbolizer sends to the command, and its report
 *
 * Input: one byte for the state of the recording (enum state), then per message one byte of flags
 * (enum flags), the HEAD_BYTES before the body of struct tm_control, the number of bytes of its
 * body, divided by 4, and these bytes.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/control.h"
#include "cli/report.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "tests/fuzz/fuzz.h"

#define HEAD_BYTES   16 /* kind, code, value */
#define MESSAGES_MAX 32
#define OUTPUTS      2

enum state {
	STATE_STARTING = 1,       /* START was sent */
	STATE_FLUSH_PENDING = 2,  /* with --every: a report was requested */
	STATE_WORKLOAD_ENDED = 4, /* COMMAND has ended */
	STATE_COLLECTOR_DIED = 8,
};

enum flags {
	FLAG_FD = 1, /* a descriptor is attached */
	FLAG_SHORT = 2,
	FLAG_SYMBOLIZER = 4, /* sends it, not the collector */
	FLAG_FILL = 8,       /* the rest of the body is 0xff, not 0 */
};

struct input {
	const uint8_t *data;
	size_t bytes;
};

static struct session session;
static int peers[2]; /* of the collector, of the symbolizer */

static int next_free_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	(void)close(fd);
	return fd;
}

static int connect_program(struct child *program, const char *name)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		abort();
	program->name = name;
	program->control = ends[0];
	return ends[1];
}

static void begin(const struct options *options, unsigned state)
{
	session_init(&session, options, /* signals= */ -1);
	peers[0] = connect_program(&session.collector, "collector");
	peers[1] = connect_program(&session.symbolizer, "symbolizer");
	session.start_requested = (state & STATE_STARTING) != 0;
	session.intervals.flush_pending = (state & STATE_FLUSH_PENDING) != 0;
	session.workload.name = "workload";
	session.workload.ended = (state & STATE_WORKLOAD_ENDED) != 0;
	if (state & STATE_COLLECTOR_DIED)
		session.death = ACCOUNTING_COLLECTOR_DIED;
}

/* Return: whether there was one more message. */
static bool take_message(struct input *input, struct tm_control *ret_message, unsigned *ret_flags)
{
	size_t body;

	if (input->bytes < 1 + HEAD_BYTES + 1)
		return false;
	*ret_flags = input->data[0];
	memset(ret_message, *ret_flags & FLAG_FILL ? 0xff : 0, sizeof(*ret_message));
	memcpy(ret_message, input->data + 1, HEAD_BYTES);
	body = 4u * input->data[1 + HEAD_BYTES];
	input->data += 1 + HEAD_BYTES + 1;
	input->bytes -= 1 + HEAD_BYTES + 1;
	if (body > input->bytes)
		body = input->bytes;
	if (body > sizeof(ret_message->body))
		body = sizeof(ret_message->body);
	memcpy(&ret_message->body, input->data, body);
	input->data += body;
	input->bytes -= body;
	return true;
}

/* As the event loop does: a message arrives, its program's handler runs, then the phases move. */
static void deliver(const struct tm_control *message, unsigned flags)
{
	struct tm_control answer;
	int peer = peers[(flags & FLAG_SYMBOLIZER) != 0];

	(void)tm_fdpass_send(peer, message, flags & FLAG_SHORT ? 7 : sizeof(*message),
			     flags & FLAG_FD ? STDIN_FILENO : -1, MSG_DONTWAIT);
	if (flags & FLAG_SYMBOLIZER)
		control_symbolizer(&session);
	else
		control_collector(&session);
	session_advance(&session);
	for (int i = 0; i < 2; i++) /* a program that does not read would only delay the command */
		while (tm_fdpass_recv(peers[i], &answer, sizeof(answer), NULL, MSG_DONTWAIT) == 0)
			continue;
}

static void check_text(const char *text, size_t bytes)
{
	size_t length = strnlen(text, bytes);

	if (length == bytes)
		abort(); /* not terminated */
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			abort(); /* a terminal would act on it */
}

static void check_session(void)
{
	const struct outputs_results *results = &session.output_results;

	if (session.phase > SESSION_OVER || session.top_count > TM_TOP_ROWS)
		abort();
	for (size_t i = 0; i < session.top_count; i++) {
		check_text(session.top[i].name, sizeof(session.top[i].name));
		check_text(session.top[i].file, sizeof(session.top[i].file));
	}
	check_text(session.peer_text, sizeof(session.peer_text));
	for (size_t i = 0; i < OPTIONS_OUTPUTS_MAX; i++)
		if (results->codes[i] > 0 || (results->has[i] && i >= OUTPUTS))
			abort();
}

static void make_report(void)
{
	struct summary summary;
	char *text = NULL;
	size_t bytes;

	report_make(&summary, &session, REPORT_LAST);
	report_print(&session, &summary);
	(void)report_check(&summary, 0);
	if (summary_text(&summary, &text, &bytes) < 0)
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static FILE *sink;
	FILE *const out = stdout, *const err = stderr;
	struct options options = {.hz = 99, .output_count = OUTPUTS};
	struct input input = {data + 1, bytes - 1};
	struct tm_control message;
	unsigned flags;
	int before;

	if (!sink)
		sink = fopen("/dev/null", "we");
	if (!sink || bytes == 0)
		return 0;
	before = next_free_descriptor();
	stdout = stderr = sink;
	begin(&options, data[0]);
	for (int i = 0; i < MESSAGES_MAX && take_message(&input, &message, &flags); i++)
		deliver(&message, flags);
	check_session();
	make_report();
	session_deinit(&session);
	(void)close(peers[0]);
	(void)close(peers[1]);
	stdout = out;
	stderr = err;
	if (next_free_descriptor() != before)
		abort(); /* a descriptor stayed open */
	return 0;
}
