/* SPDX-License-Identifier: Apache-2.0 */
/* command - sends and receives the fixed-size control messages */

#include "collector/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

#include "shared/err.h"
#include "shared/fdpass.h"

static int send_message(struct command *command, const struct tm_control *message, int flags)
{
	return tm_err_fold(tm_fdpass_send(command->fd, message, sizeof(*message), -1, flags));
}

int command_send(struct command *command, enum tm_control_kind kind, int code)
{
	const struct tm_control message = {.kind = kind, .code = code};

	return send_message(command, &message, 0);
}

int command_say(struct command *command, enum tm_control_kind kind, int code, const char *format,
		...)
{
	struct tm_control message = {.kind = kind, .code = code};
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(message.body.text, sizeof(message.body.text), format, arguments);
	va_end(arguments);
	return send_message(command, &message, 0);
}

int command_counts(struct command *command, const struct tm_counts *counts,
		   const struct tm_collector_cost *cost, int may_skip)
{
	struct tm_control message = {.kind = TM_CONTROL_COUNTS};
	int r;

	message.body.counts = *counts;
	message.body.cost = *cost;
	r = tm_fdpass_send(command->fd, &message, sizeof(message), -1, may_skip ? MSG_DONTWAIT : 0);
	return may_skip && r == TM_FDPASS_E_AGAIN ? 0 : tm_err_fold(r);
}

int command_receive(struct command *command, struct tm_control *ret_message)
{
	return tm_fdpass_recv(command->fd, ret_message, sizeof(*ret_message), NULL, MSG_DONTWAIT);
}

int fault_set(struct fault *fault, int code, const char *format, ...)
{
	va_list arguments;

	if (fault->code)
		return -ECANCELED;
	fault->code = code;
	va_start(arguments, format);
	(void)vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	return -ECANCELED;
}
