/* SPDX-License-Identifier: Apache-2.0 */
/* control - receives the messages of the command `tidemark` */

#include "collector/control.h"

#include <stdbool.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

static bool has_fd(enum tm_control_kind kind)
{
	return kind == TM_CONTROL_CPU || kind == TM_CONTROL_ATTACH || kind == TM_CONTROL_OPENER;
}

int control_receive(int socket, struct control_command *ret_command)
{
	for (;;) {
		_cleanup_(tm_closep) int fd = -1;
		struct tm_control message;
		int r = tm_fdpass_recv(socket, &message, sizeof(message), &fd, MSG_DONTWAIT);

		if (r != 0)
			return r == TM_FDPASS_E_AGAIN ? CONTROL_E_NONE : CONTROL_E_CLOSED;
		if (has_fd(message.kind) && fd < 0)
			continue;
		*ret_command = (struct control_command){message.kind, message.code, message.value,
							has_fd(message.kind) ? TM_TAKE_FD(fd) : -1};
		return 0;
	}
}
