/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_peers - a fake collector and a fake command around the real symbolizer
 */

#include "tests/unit/symbolizer/fake_peers.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "shared/fdpass.h"
#include "shared/unwind_table.h"

static const char *const formats[FAKE_FORMATS] = {"folded", "html", "pprof", "speedscope"};

static _Noreturn void become(const struct fake *fake, int control, int wire, const char *program,
			     int parser)
{
	char options[8 + FAKE_FORMATS][64];
	char *arguments[9 + FAKE_FORMATS] = {0};
	const struct rlimit limit = {fake->descriptors, fake->descriptors};
	int count = 0;

	(void)snprintf(options[count++], 64, "tidemark-symbolizer");
	(void)snprintf(options[count++], 64, "--control-fd=%d", control);
	(void)snprintf(options[count++], 64, "--wire-fd=%d", wire);
	(void)snprintf(options[count++], 64, "--parser-fd=%d", parser);
	(void)snprintf(options[count++], 64, "--hz=99");
	for (int i = 0; i < FAKE_FORMATS; i++) {
		(void)fcntl(fake->outputs[i], F_SETFD, 0);
		(void)snprintf(options[count++], 64, "--output=%s:%d", formats[i],
			       fake->outputs[i]);
	}
	if (fake->off_cpu)
		(void)snprintf(options[count++], 64, "--off-cpu");
	if (fake->cache) {
		(void)fcntl(fake->cache, F_SETFD, 0);
		(void)snprintf(options[count++], 64, "--cache-fd=%d", fake->cache);
		(void)snprintf(options[count++], 64, "--boot-id=this boot");
	}
	for (int i = 0; i < count; i++)
		arguments[i] = options[i];
	if (fake->descriptors)
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	(void)fcntl(control, F_SETFD, 0);
	(void)fcntl(wire, F_SETFD, 0);
	(void)fcntl(parser, F_SETFD, 0);
	(void)execv(program, arguments);
	_exit(126);
}

void fake_start(struct fake *fake, const char *program, const char *parser)
{
	struct tm_wire hello;
	int control[2], wire[2];
	int parser_fd = open(parser, O_PATH | O_CLOEXEC);

	fake->data = TM_REGION_NULL;
	fake->page = TM_REGION_NULL;
	assert_true(parser_fd >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, wire), 0);
	for (int i = 0; i < FAKE_FORMATS; i++) {
		fake->outputs[i] =
			i == 1 && fake->html ? fake->html : memfd_create(formats[i], MFD_CLOEXEC);
		assert_true(fake->outputs[i] >= 0);
	}
	fake->pid = fork();
	assert_true(fake->pid >= 0);
	if (fake->pid == 0)
		become(fake, control[1], wire[1], program, parser_fd);
	(void)close(control[1]);
	(void)close(wire[1]);
	(void)close(parser_fd);
	fake->control = control[0];
	fake->wire = wire[0];
	assert_int_equal(tm_fdpass_recv(fake->wire, &hello, sizeof(hello), NULL, 0), 0);
	assert_int_equal(hello.kind, TM_WIRE_HELLO);
	assert_int_equal(hello.value, TM_WIRE_VERSION);
}

void fake_wire(struct fake *fake, enum tm_wire_kind kind, uint32_t number, uint64_t value, int fd)
{
	struct tm_wire message = {.kind = kind, .number = number, .value = value};

	assert_int_equal(tm_fdpass_send(fake->wire, &message, sizeof(message), fd, 0), 0);
}

void fake_receive_wire(struct fake *fake, struct tm_wire *message)
{
	int fd;

	do {
		assert_int_equal(tm_fdpass_recv(fake->wire, message, sizeof(*message), &fd, 0), 0);
		assert_int_equal(fd >= 0, message->kind == TM_WIRE_UNWIND_TABLE);
		if (fd >= 0)
			(void)close(fd);
	} while (message->kind == TM_WIRE_UNWIND_TABLE || message->kind == TM_WIRE_AHEAD);
}

uint32_t fake_rows(struct fake *fake, uint32_t number, uint64_t value)
{
	struct tm_region region = TM_REGION_NULL;
	struct tm_unwind_table_view view;
	struct tm_wire message;
	uint32_t pages;
	int fd;

	do
		assert_int_equal(tm_fdpass_recv(fake->wire, &message, sizeof(message), &fd, 0), 0);
	while (message.kind != TM_WIRE_UNWIND_TABLE);
	assert_int_equal(message.number, number);
	assert_int_equal(message.value, value);
	assert_int_equal(tm_region_open_blob(&region, fd, TM_UNWIND_TABLE_BYTES_MAX), 0);
	assert_int_equal(tm_unwind_table_check(&view, region.addr, region.bytes), 0);
	pages = view.header->pages;
	tm_region_close(&region);
	return pages;
}

void fake_attach(struct fake *fake)
{
	struct tm_control message;

	assert_int_equal(
		tm_region_create(&fake->data, "ring", TM_RING_HEADER_BYTES + FAKE_RING_BYTES), 0);
	assert_int_equal(
		tm_region_create_for_peer(&fake->page, "page", sizeof(struct tm_ring_reader_page)),
		0);
	assert_int_equal(tm_ring_writer_init(&fake->writer, fake->data.addr, fake->data.bytes,
					     fake->page.addr, 4711),
			 0);
	fake_wire(fake, TM_WIRE_ATTACH, 0, 4711, fake->data.fd);
	fake_wire(fake, TM_WIRE_READER, 0, 0, fake->page.fd);
	assert_int_equal(tm_fdpass_recv(fake->control, &message, sizeof(message), NULL, 0), 0);
	assert_int_equal(message.kind, TM_CONTROL_READY);
}

void fake_push(struct fake *fake, const void *record)
{
	const struct tm_event *event = record;

	assert_int_equal(tm_ring_push(&fake->writer, record, event->bytes, 1), 0);
	if (event->type == TM_EVENT_SAMPLE) {
		fake->counts.taken++;
		fake->counts.pushed++;
		fake->counts.hits++;
	}
}

void fake_publish(struct fake *fake, uint64_t watermark)
{
	tm_ring_publish_counts(&fake->writer, &fake->counts);
	tm_ring_publish(&fake->writer, watermark);
}

static void note(struct fake_end *end, const char *text)
{
	size_t used = strlen(end->notes);

	(void)snprintf(end->notes + used, sizeof(end->notes) - used, "%s\n", text);
}

/* Return: whether that was the last message of a report. */
static int take_message(struct fake_end *end, const struct tm_control *message)
{
	switch (message->kind) {
	case TM_CONTROL_RESULT:
		memcpy(&end->result, message->body.words, sizeof(end->result));
		break;
	case TM_CONTROL_COUNTS:
		end->counts = message->body.counts;
		break;
	case TM_CONTROL_TOP:
		if (end->top_count < TM_TOP_ROWS)
			memcpy(&end->top[end->top_count++], message->body.words,
			       sizeof(end->top[0]));
		break;
	case TM_CONTROL_OUTPUT:
		end->outputs += message->code == 0;
		end->refused += message->code == -EBADF;
		break;
	case TM_CONTROL_DONE:
		end->done = message->code == 0;
		break;
	case TM_CONTROL_NOTE:
	case TM_CONTROL_FAILED:
		note(end, message->body.text);
		break;
	case TM_CONTROL_FLUSHED:
		end->flushed = message->value;
		return 1;
	default:
		break;
	}
	return 0;
}

static void send_control(struct fake *fake, enum tm_control_kind kind, uint64_t value, int fd)
{
	struct tm_control message = {.kind = kind, .value = value};

	assert_int_equal(tm_fdpass_send(fake->control, &message, sizeof(message), fd, 0), 0);
}

void fake_target(struct fake *fake, uint64_t index, int fd)
{
	send_control(fake, TM_CONTROL_OUTPUT_FILE, index, fd);
}

void fake_begin_flush(struct fake *fake)
{
	for (int i = 0; i < FAKE_FORMATS; i++) {
		(void)close(fake->outputs[i]);
		fake->outputs[i] = memfd_create(formats[i], MFD_CLOEXEC);
		assert_true(fake->outputs[i] >= 0);
		fake_target(fake, (uint64_t)i, fake->outputs[i]);
	}
	send_control(fake, TM_CONTROL_FLUSH, 0, -1);
}

void fake_end_flush(struct fake *fake, struct fake_end *end)
{
	struct tm_control message = {0};
	int over = 0;

	*end = (struct fake_end){0};
	while (!over) {
		assert_int_equal(tm_fdpass_recv(fake->control, &message, sizeof(message), NULL, 0),
				 0);
		over = take_message(end, &message);
	}
}

void fake_flush(struct fake *fake, struct fake_end *end)
{
	fake_begin_flush(fake);
	fake_end_flush(fake, end);
}

void fake_resume(struct fake *fake, uint64_t ktime)
{
	send_control(fake, TM_CONTROL_RESUME, ktime, -1);
}

void fake_end(struct fake *fake, struct fake_end *end)
{
	struct tm_control message;

	*end = (struct fake_end){0};
	while (tm_fdpass_recv(fake->control, &message, sizeof(message), NULL, 0) == 0)
		(void)take_message(end, &message);
	assert_int_equal(waitpid(fake->pid, &end->status, 0), fake->pid);
	(void)close(fake->control);
	(void)close(fake->wire);
	tm_region_close(&fake->data);
	tm_region_close(&fake->page);
}

char *fake_folded(struct fake *fake)
{
	off_t bytes = lseek(fake->outputs[0], 0, SEEK_END);
	char *text = calloc(1, (size_t)bytes + 1);

	assert_non_null(text);
	assert_int_equal(pread(fake->outputs[0], text, (size_t)bytes, 0), bytes);
	for (int i = 0; i < FAKE_FORMATS; i++) {
		(void)close(fake->outputs[i]);
		fake->outputs[i] = -1;
	}
	return text;
}
