/* SPDX-License-Identifier: Apache-2.0 */
/* control - receives the messages of the command `tidemark` */

#include "collector/control.h"

#include <stdbool.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

/* Whether the message is a command for the collector, with the descriptor that it needs. */
static bool is_command(const struct tm_control *message, bool has_fd)
{
	switch (message->kind) {
	case TM_CONTROL_SELECT:
	case TM_CONTROL_START:
	case TM_CONTROL_STOP:
		return true;
	case TM_CONTROL_CPU:
	case TM_CONTROL_ATTACH:
		return has_fd;
	default:
		return false;
	}
}

int control_receive(int socket, struct control_command *ret_command)
{
	for (;;) {
		_cleanup_(tm_closep) int fd = -1;
		struct tm_control message;
		int r = tm_fdpass_recv(socket, &message, sizeof(message), &fd, MSG_DONTWAIT);

		if (r != 0)
			return r == TM_FDPASS_E_AGAIN ? CONTROL_E_NONE : CONTROL_E_CLOSED;
		if (!is_command(&message, fd >= 0))
			continue;
		*ret_command = (struct control_command){message.kind, message.value, -1};
		if (message.kind == TM_CONTROL_CPU || message.kind == TM_CONTROL_ATTACH)
			ret_command->fd = TM_TAKE_FD(fd);
		return 0;
	}
}
