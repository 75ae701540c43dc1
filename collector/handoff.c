/* SPDX-License-Identifier: Apache-2.0 */
/* handoff - fixed-size messages and read-only descriptors for the symbolizer */

#include "collector/handoff.h"

#include <errno.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

#define UNREAD_MAX 4096 /* messages; no socket buffer holds as many */

int handoff_part(int socket)
{
	char first_byte; /* of each message; the rest of it goes with it */

	if (socket < 0)
		return -1;
	if (shutdown(socket, SHUT_RD) == 0)
		for (int i = 0; i < UNREAD_MAX; i++)
			if (recv(socket, &first_byte, sizeof(first_byte), MSG_DONTWAIT) <= 0)
				break;
	return tm_close(socket);
}

void handoff_init(struct handoff *handoff, int fd)
{
	*handoff = (struct handoff){.fd = fd, .credit = TM_FILES_IN_FLIGHT};
}

void handoff_deinit(struct handoff *handoff)
{
	handoff->fd = handoff_part(handoff->fd);
}

int handoff_accept(struct handoff *handoff, const struct tm_wire *message)
{
	if (message->kind == TM_WIRE_HELLO && !handoff->greeted &&
	    message->value == TM_WIRE_VERSION) {
		handoff->greeted = true;
		return 0;
	}
	if (message->kind == TM_WIRE_CREDIT && message->value > 0 &&
	    message->value <= TM_FILES_IN_FLIGHT) {
		handoff->credit += (uint32_t)message->value;
		if (handoff->credit > TM_FILES_IN_FLIGHT)
			handoff->credit = TM_FILES_IN_FLIGHT;
		return 0;
	}
	handoff->violations++;
	return -EBADMSG;
}

int handoff_receive(struct handoff *handoff)
{
	while (handoff->fd >= 0) {
		struct tm_wire message;
		int r = tm_fdpass_recv(handoff->fd, &message, sizeof(message), NULL, MSG_DONTWAIT);

		if (r == TM_FDPASS_E_AGAIN)
			return 0;
		if (r == -EBADMSG)
			handoff->violations++;
		if (r != 0 || handoff_accept(handoff, &message) < 0)
			handoff_deinit(handoff);
	}
	return HANDOFF_E_CLOSED;
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
