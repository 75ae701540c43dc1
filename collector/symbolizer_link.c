/* SPDX-License-Identifier: Apache-2.0 */
/* symbolizer_link - fixed-size messages and read-only descriptors for the symbolizer */

#include "collector/symbolizer_link.h"

#include <errno.h>
#include <sys/socket.h>

#include "collector/file_requests.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/unwind_map.h"

void handoff_init(struct handoff *handoff, int fd)
{
	*handoff = (struct handoff){.fd = fd, .credit = TM_FILES_IN_FLIGHT};
}

void handoff_deinit(struct handoff *handoff)
{
	handoff->fd = tm_fdpass_part(handoff->fd);
}

/* The state rule of what the symbolizer may say. Return: 0, HANDOFF_E_ROWS, -EBADMSG. */
static int accept_message(struct handoff *handoff, const struct tm_wire *message, bool has_fd)
{
	if (message->kind == TM_WIRE_ROWS && has_fd &&
	    (message->number < FILES_MAX || message->number == TM_TABLE_VDSO))
		return HANDOFF_E_ROWS;
	if (message->kind == TM_WIRE_HELLO && !has_fd && !handoff->greeted &&
	    message->value == TM_WIRE_VERSION) {
		handoff->greeted = true;
		return 0;
	}
	if (message->kind == TM_WIRE_CREDIT && !has_fd && message->value > 0 &&
	    message->value <= TM_FILES_IN_FLIGHT) {
		handoff->credit += (uint32_t)message->value;
		if (handoff->credit > TM_FILES_IN_FLIGHT)
			handoff->credit = TM_FILES_IN_FLIGHT;
		return 0;
	}
	return -EBADMSG;
}

int handoff_receive(struct handoff *handoff, struct tm_wire *ret_rows, int *ret_fd)
{
	_cleanup_(tm_closep) int fd = -1;
	int r;

	if (handoff->fd < 0)
		return HANDOFF_E_CLOSED;
	r = tm_fdpass_recv(handoff->fd, ret_rows, sizeof(*ret_rows), &fd, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN)
		return 0;
	if (r == 0)
		r = accept_message(handoff, ret_rows, fd >= 0);
	else if (r != -EBADMSG)
		r = HANDOFF_E_CLOSED;
	handoff->violations += r == -EBADMSG;
	if (r < 0 || r == HANDOFF_E_CLOSED) {
		handoff_deinit(handoff);
		return HANDOFF_E_CLOSED;
	}
	if (r == HANDOFF_E_ROWS)
		*ret_fd = TM_TAKE_FD(fd);
	return r;
}

int handoff_send(struct handoff *handoff, const struct tm_wire *message, int fd)
{
	int r;

	if (handoff->fd < 0)
		return HANDOFF_E_CLOSED;
	if (message->kind == TM_WIRE_FILE && handoff->credit == 0)
		return HANDOFF_E_AGAIN;
	r = tm_fdpass_send(handoff->fd, message, sizeof(*message), fd, MSG_DONTWAIT);
	if (r == TM_FDPASS_E_AGAIN || r == -ETOOMANYREFS)
		return HANDOFF_E_AGAIN;
	if (r != 0) {
		handoff_deinit(handoff);
		return HANDOFF_E_CLOSED;
	}
	if (message->kind == TM_WIRE_FILE)
		handoff->credit--;
	return 0;
}
