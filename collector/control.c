/* SPDX-License-Identifier: Apache-2.0 */
/* control - receives the messages of the command `tidemark` */

#include "collector/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/control.h"
#include "shared/fdpass.h"

static const struct {
	uint32_t kind; /* enum tm_control_kind */
	enum control_kind command;
	bool with_fd;
} commands[] = {
	{TM_CONTROL_SELECT, CONTROL_SELECT, false}, {TM_CONTROL_START, CONTROL_START, false},
	{TM_CONTROL_STOP, CONTROL_STOP, false},     {TM_CONTROL_CPU, CONTROL_ADD_CPU, true},
	{TM_CONTROL_ATTACH, CONTROL_ATTACH, true},
};

/* Return: whether the message is one for the collector, with the descriptor that it needs. */
static bool parse(const struct tm_control *message, bool has_fd,
		  struct control_command *ret_command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (commands[i].kind == message->kind && (has_fd || !commands[i].with_fd)) {
			*ret_command = (struct control_command){
				.kind = commands[i].command, .value = message->value, .fd = -1};
			return true;
		}
	return false;
}

int control_receive(int socket, struct control_command *ret_command)
{
	for (;;) {
		_cleanup_(tm_closep) int fd = -1;
		struct tm_control message;
		int r = tm_fdpass_recv(socket, &message, sizeof(message), &fd, MSG_DONTWAIT);

		if (r != 0)
			return r == TM_FDPASS_E_AGAIN ? CONTROL_E_NONE : CONTROL_E_CLOSED;
		if (!parse(&message, fd >= 0, ret_command))
			continue;
		if (ret_command->kind == CONTROL_ADD_CPU || ret_command->kind == CONTROL_ATTACH)
			ret_command->fd = TM_TAKE_FD(fd);
		return 0;
	}
}
