/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collector_link - the connection to the collector: attach, descriptors, kernel symbols, end
 */

#include "symbolizer/profile/collector_link.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

#define COLLECTOR_LINK_MEMORY_MIN (1u << 20)
#define COLLECTOR_LINK_PAGE_MAX \
	(64u << 10) /* of the reader page, whose size the collector chooses */

/* Blocks until the collector sends a message. Return: 0, -EPIPE (the command exited), -errno. */
static int wait_for_message(const struct collector_link *link, int control)
{
	struct pollfd ready[2] = {
		{.fd = link->wire, .events = POLLIN},
		{.fd = control, .events = POLLRDHUP},
	};

	for (;;) {
		int r = poll(ready, 2, -1);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (r > 0 && ready[1].revents)
			return -EPIPE;
		if (r > 0 && ready[0].revents)
			return 0;
	}
}

static int receive_region(struct collector_link *link, int control, enum tm_wire_kind kind,
			  int *ret_fd)
{
	_cleanup_(tm_closep) int fd = -1;
	struct tm_wire message;
	int r;

	r = wait_for_message(link, control);
	if (r < 0)
		return r;
	r = tm_fdpass_recv(link->wire, &message, sizeof(message), &fd, 0);
	if (r == TM_FDPASS_E_CLOSED)
		return -EPIPE;
	if (r)
		return r < 0 ? r : -EPROTO;
	if (message.kind != kind || fd < 0)
		return -EBADMSG;
	if (kind == TM_WIRE_ATTACH) {
		link->goes_on = message.form & TM_WIRE_GOES_ON;
		link->begun = message.form & TM_WIRE_BEGUN;
	}
	*ret_fd = TM_TAKE_FD(fd);
	return 0;
}

static int attach_data(struct collector_link *link, int control)
{
	_cleanup_(tm_closep) int fd = -1;
	int r;

	r = receive_region(link, control, TM_WIRE_ATTACH, &fd);
	if (r)
		return r;
	r = tm_region_open(&link->data, fd, TM_RING_HEADER_BYTES + TM_RING_MIN_BYTES,
			   TM_RING_HEADER_BYTES + (size_t)TM_RING_MAX_BYTES);
	if (!r)
		(void)TM_TAKE_FD(fd);
	return r;
}

static int attach_page(struct collector_link *link, int control)
{
	_cleanup_(tm_closep) int fd = -1;
	struct stat status;
	int r;

	r = receive_region(link, control, TM_WIRE_READER, &fd);
	if (r)
		return r;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size < (off_t)sizeof(struct tm_ring_reader_page) ||
	    status.st_size > COLLECTOR_LINK_PAGE_MAX)
		return -EBADMSG;
	r = tm_region_open_writable(&link->page, fd, (size_t)status.st_size);
	if (!r)
		(void)TM_TAKE_FD(fd);
	return r;
}

static void send_credit(struct collector_link *link)
{
	uint64_t used = link->files->open + link->expected;
	uint64_t spare = link->files->max_open > used ? link->files->max_open - used : 0;
	struct tm_wire message = {
		.kind = TM_WIRE_CREDIT,
		.value = link->unsent_credit < spare ? link->unsent_credit : spare,
	};

	/* At the descriptor limit no credit is sent, and the collector sends no descriptor. */
	if (!message.value)
		return;
	if (tm_fdpass_send(link->wire, &message, sizeof(message), -1, MSG_DONTWAIT))
		return;
	link->unsent_credit -= message.value;
	link->expected += message.value;
}

static void take_file(struct collector_link *link, const struct tm_wire *message, int fd)
{
	files_opened(link->files, message->number, message->value, fd);
	link->unsent_credit++;
	link->expected -= link->expected > 0;
}

static void take_reopened(struct collector_link *link, const struct tm_wire *message, int fd)
{
	if (fd >= 0) {
		link->unsent_credit++;
		link->expected -= link->expected > 0;
	}
	if (link->reopened && link->reopened(link->context, message->number, message->value, fd))
		return;
	files_reopened(link->files, message->number, message->value, fd);
}

static void take_map(struct collector_link *link, const struct tm_wire *message, int fd)
{
	if (link->map)
		link->map(link->map_context, message, fd);
	else
		(void)tm_close(fd);
}

/* Return: 0, -EBADMSG. Takes @fd. */
static int handle_message(struct collector_link *link, const struct tm_wire *message, int fd)
{
	_cleanup_(tm_closep) int owned = fd;
	bool wants_fd = message->kind == TM_WIRE_KERNEL || message->kind == TM_WIRE_FILE ||
			message->kind == TM_WIRE_RESUME;

	if (message->kind == TM_WIRE_REOPENED) {
		take_reopened(link, message, TM_TAKE_FD(owned));
		return 0;
	}
	if (message->kind == TM_WIRE_PERF_MAP) {
		take_map(link, message, TM_TAKE_FD(owned));
		return 0;
	}
	if (message->kind == TM_WIRE_OPENED && link->opened) {
		link->opened(link->opened_context, message, TM_TAKE_FD(owned));
		return 0;
	}
	if (message->kind == TM_WIRE_THREADS && link->threads &&
	    link->state != COLLECTOR_LINK_ENDED) {
		link->threads(link->threads_context, message, TM_TAKE_FD(owned));
		return 0;
	}
	if (wants_fd != (owned >= 0) || link->state == COLLECTOR_LINK_ENDED)
		return -EBADMSG;
	switch (message->kind) {
	case TM_WIRE_KERNEL:
		(void)tm_close(link->kernel_table);
		link->kernel_table = TM_TAKE_FD(owned);
		return 0;
	case TM_WIRE_RESUME:
		(void)tm_close(link->reported);
		link->reported = TM_TAKE_FD(owned);
		return 0;
	case TM_WIRE_FILE:
		take_file(link, message, TM_TAKE_FD(owned));
		return 0;
	case TM_WIRE_NO_FILE:
		files_refused(link->files, message->number, message->value);
		return 0;
	case TM_WIRE_END:
		link->state = COLLECTOR_LINK_ENDED;
		return 0;
	default:
		return -EBADMSG;
	}
}

void collector_link_init(struct collector_link *link, int wire, struct files *files)
{
	*link = (struct collector_link){
		.wire = wire,
		.data = TM_REGION_NULL,
		.page = TM_REGION_NULL,
		.files = files,
		.kernel_table = -1,
		.reported = -1,
		.expected = TM_FILES_IN_FLIGHT,
	};
}

void collector_link_deinit(struct collector_link *link)
{
	tm_region_close(&link->data);
	tm_region_close(&link->page);
	link->kernel_table = tm_close(link->kernel_table);
	link->reported = tm_close(link->reported);
}

int collector_link_memory(int wire, int control, uint64_t most, uint64_t *ret_bytes)
{
	const struct collector_link link = {.wire = wire};
	_cleanup_(tm_closep) int fd = -1;
	struct tm_wire message;
	int r = wait_for_message(&link, control);

	if (r == 0)
		r = tm_fdpass_recv(wire, &message, sizeof(message), &fd, 0);
	if (r == TM_FDPASS_E_CLOSED)
		return -EPIPE;
	if (r)
		return r < 0 ? r : -EPROTO;
	if (message.kind != TM_WIRE_MEMORY || fd >= 0 ||
	    message.value < COLLECTOR_LINK_MEMORY_MIN || message.value > most)
		return -EBADMSG;
	*ret_bytes = message.value;
	return 0;
}

int collector_link_attach(struct collector_link *link, int control, struct tm_ring_reader *reader)
{
	struct tm_wire hello = {.kind = TM_WIRE_HELLO, .value = TM_WIRE_VERSION};
	int r;

	r = tm_fdpass_send(link->wire, &hello, sizeof(hello), -1, 0);
	if (r)
		return r < 0 ? r : -EPIPE;
	r = attach_data(link, control);
	if (r)
		return r;
	r = attach_page(link, control);
	if (r)
		return r;
	r = tm_ring_reader_init(reader, link->data.addr, link->data.bytes, link->page.addr);
	if (r)
		return r;
	link->state = COLLECTOR_LINK_ATTACHED;
	link->serves = true;
	return 0;
}

/* @r: of receiving. After END nothing is missing, whatever becomes of the connection. */
static void end_connection(struct collector_link *link, int r)
{
	bool gone = r == TM_FDPASS_E_CLOSED || r == -ECONNRESET;

	link->serves = false;
	if (link->state != COLLECTOR_LINK_ENDED)
		link->state = gone ? COLLECTOR_LINK_GONE : COLLECTOR_LINK_INVALID;
}

void collector_link_receive(struct collector_link *link)
{
	while (link->serves) {
		struct tm_wire message;
		int fd = -1;
		int r;

		r = tm_fdpass_recv(link->wire, &message, sizeof(message), &fd, MSG_DONTWAIT);
		if (r == TM_FDPASS_E_AGAIN)
			break;
		if (r || handle_message(link, &message, fd) < 0)
			end_connection(link, r);
	}
	if (link->serves)
		send_credit(link);
}

void collector_link_set_rate(struct collector_link *link, unsigned shift, uint64_t owner_ns)
{
	const struct tm_wire message = {.kind = TM_WIRE_RATE, .number = shift, .value = owner_ns};

	if (link->serves) /* a full socket: it is sent again */
		(void)tm_fdpass_send(link->wire, &message, sizeof(message), -1, MSG_DONTWAIT);
}

void collector_link_finish(struct collector_link *link)
{
	link->serves = false;
	(void)shutdown(link->wire, SHUT_RDWR);
}
