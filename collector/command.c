/* SPDX-License-Identifier: Apache-2.0 */
/* command - sends and receives the fixed-size control messages */

#include "collector/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/err.h"
#include "shared/fdpass.h"

static int send_message(int socket, const struct tm_control *message)
{
	return tm_err_fold(tm_fdpass_send(socket, message, sizeof(*message), -1, 0));
}

int command_send(int socket, enum tm_control_kind kind)
{
	const struct tm_control message = {.kind = kind};

	return send_message(socket, &message);
}

int command_note(int socket, const char *format, ...)
{
	struct tm_control message = {.kind = TM_CONTROL_NOTE};
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(message.body.text, sizeof(message.body.text), format, arguments);
	va_end(arguments);
	return send_message(socket, &message);
}

int command_fail(int socket, const struct fault *fault)
{
	struct tm_control message = {.kind = TM_CONTROL_FAILED, .code = fault->code};

	memcpy(message.body.text, fault->text, sizeof(fault->text));
	return send_message(socket, &message);
}

int command_counts(int socket, const struct tm_counts *counts, const struct tm_collector_cost *cost,
		   bool may_skip)
{
	const struct tm_control message = {
		.kind = TM_CONTROL_COUNTS,
		.body = {.counts = *counts, .cost = *cost},
	};
	int r = tm_fdpass_send(socket, &message, sizeof(message), -1, may_skip ? MSG_DONTWAIT : 0);

	return may_skip && r == TM_FDPASS_E_AGAIN ? 0 : tm_err_fold(r);
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
