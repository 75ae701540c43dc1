/* SPDX-License-Identifier: Apache-2.0 */
/* control_receive - receives the command's messages, and notices its end, without waiting */

#include "shared/control_receive.h"

#include <poll.h>
#include <sys/socket.h>

#include "shared/fdpass.h"

int tm_control_receive(int socket, struct tm_control *ret_message, int *ret_fd)
{
	int r = tm_fdpass_recv(socket, ret_message, sizeof(*ret_message), ret_fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return TM_CONTROL_E_NONE;
	return r ? TM_CONTROL_E_CLOSED : 0;
}

bool tm_control_is_closed(int socket)
{
	struct pollfd end = {.fd = socket, .events = POLLRDHUP};

	return poll(&end, 1, 0) > 0 && end.revents;
}
