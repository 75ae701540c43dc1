/* SPDX-License-Identifier: Apache-2.0 */
/* symbolizer_link - the collector's end of the wire to the symbolizer */

#include "collector/symbolizer_link.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/unwind_map.h"

void symbolizer_link_init(struct symbolizer_link *link, int fd)
{
	*link = (struct symbolizer_link){.fd = fd, .credit = TM_FILES_IN_FLIGHT};
}

void symbolizer_link_deinit(struct symbolizer_link *link)
{
	link->fd = tm_fdpass_close(link->fd);
}

void symbolizer_link_refuse(struct symbolizer_link *link)
{
	link->violations++;
	symbolizer_link_deinit(link);
}

static bool is_reported(int fd)
{
	size_t bytes;

	return tm_region_check(fd, TM_REGION_SEALS_BLOB, 1, TM_REPORTED_MAX_BYTES, &bytes) == 0;
}

/*
 * What the symbolizer may send, and when. @fd: -1: none came with it. Return: 0,
 * SYMBOLIZER_LINK_E_TABLE, SYMBOLIZER_LINK_E_FAILED, SYMBOLIZER_LINK_E_DEBUG,
 * SYMBOLIZER_LINK_E_THREADS, SYMBOLIZER_LINK_E_REPORTED, SYMBOLIZER_LINK_E_AHEAD, -EBADMSG.
 */
static int accept_message(struct symbolizer_link *link, const struct tm_wire *message, int fd)
{
	bool of_file = message->number < SYMBOLIZER_LINK_NUMBERS;

	if (message->kind == TM_WIRE_UNWIND_TABLE && fd >= 0 &&
	    (of_file || message->number == TM_UNWIND_MAP_VDSO))
		return SYMBOLIZER_LINK_E_TABLE;
	if (message->kind == TM_WIRE_REPORTED && fd >= 0 && is_reported(fd))
		return SYMBOLIZER_LINK_E_REPORTED;
	if (message->kind == TM_WIRE_AHEAD && !link->ahead_ended &&
	    message->text_bytes == (fd >= 0 ? sizeof(struct tm_identity) : 0)) {
		link->ahead_ended = fd < 0;
		return fd >= 0 ? SYMBOLIZER_LINK_E_AHEAD : 0;
	}
	if (fd >= 0)
		return -EBADMSG;
	if (of_file &&
	    (message->kind == TM_WIRE_UNWIND_FAILED || message->kind == TM_WIRE_FILE_AGAIN))
		return SYMBOLIZER_LINK_E_FAILED;
	if (of_file && message->kind == TM_WIRE_DEBUG_FILE)
		return SYMBOLIZER_LINK_E_DEBUG;
	if (message->kind == TM_WIRE_ASK_THREADS)
		return SYMBOLIZER_LINK_E_THREADS;
	if (message->kind == TM_WIRE_RATE && message->number < TM_WEIGHTS_N) {
		link->rate = *message;
		return 0;
	}
	if (message->kind == TM_WIRE_HELLO && !link->greeted && message->value == TM_WIRE_VERSION) {
		link->greeted = true;
		return 0;
	}
	if (message->kind == TM_WIRE_CREDIT && message->value > 0 &&
	    message->value <= TM_FILES_IN_FLIGHT) {
		link->credit += (uint32_t)message->value;
		if (link->credit > TM_FILES_IN_FLIGHT)
			link->credit = TM_FILES_IN_FLIGHT;
		return 0;
	}
	return -EBADMSG;
}

int symbolizer_link_receive(struct symbolizer_link *link, struct tm_wire *ret_message, int *ret_fd)
{
	_cleanup_(tm_closep) int fd = -1;
	int r;

	if (link->fd < 0)
		return SYMBOLIZER_LINK_E_CLOSED;
	r = tm_fdpass_recv(link->fd, ret_message, sizeof(*ret_message), &fd, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN)
		return 0;
	if (r == 0)
		r = accept_message(link, ret_message, fd);
	else if (r != -EBADMSG)
		r = SYMBOLIZER_LINK_E_CLOSED;
	link->violations += r == -EBADMSG;
	if (r < 0 || r == SYMBOLIZER_LINK_E_CLOSED) {
		symbolizer_link_deinit(link);
		return SYMBOLIZER_LINK_E_CLOSED;
	}
	if (r == SYMBOLIZER_LINK_E_TABLE || r == SYMBOLIZER_LINK_E_REPORTED ||
	    r == SYMBOLIZER_LINK_E_AHEAD)
		*ret_fd = TM_TAKE_FD(fd);
	return r;
}

int symbolizer_link_send(struct symbolizer_link *link, const struct tm_wire *message, int fd)
{
	bool hands_over =
		message->kind == TM_WIRE_FILE || (message->kind == TM_WIRE_REOPENED && fd >= 0);
	int r;

	if (link->fd < 0)
		return SYMBOLIZER_LINK_E_CLOSED;
	if (hands_over && link->credit == 0)
		return SYMBOLIZER_LINK_E_AGAIN;
	r = tm_fdpass_send(link->fd, message, sizeof(*message), fd, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN)
		return SYMBOLIZER_LINK_E_AGAIN;
	if (r != 0) {
		symbolizer_link_deinit(link);
		return SYMBOLIZER_LINK_E_CLOSED;
	}
	link->credit -= hands_over;
	return 0;
}
