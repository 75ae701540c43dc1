/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control - what the symbolizer and the command say to each other
 */

#include "symbolizer/base/control.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>

#include "shared/control.h"
#include "shared/fdpass.h"

static void send_message(int socket, const struct tm_control *message)
{
	(void)tm_fdpass_send(socket, message, sizeof(*message), -1, 0);
}

int control_receive(int socket, struct tm_control *ret_message, int *ret_fd)
{
	int r = tm_fdpass_recv(socket, ret_message, sizeof(*ret_message), ret_fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return CONTROL_E_NONE;
	return r ? CONTROL_E_ENDED : 0;
}

int control_is_gone(int socket)
{
	struct pollfd end = {.fd = socket, .events = POLLRDHUP};

	return poll(&end, 1, 0) > 0 && end.revents;
}

void control_say(int socket, enum tm_control_kind kind, int code, uint64_t value)
{
	(void)tm_control_send(socket, kind, code, value);
}

void control_note(int socket, const char *text)
{
	(void)tm_control_note(socket, "%s", text);
}

void control_failed(int socket, enum tm_failure failure, const char *format, ...)
{
	struct tm_control message = {.kind = TM_CONTROL_FAILED, .code = (int32_t)failure};
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(message.body.text, sizeof(message.body.text), format, arguments);
	va_end(arguments);
	send_message(socket, &message);
}

void control_top(int socket, const struct tm_top *top)
{
	struct tm_control message = {.kind = TM_CONTROL_TOP, .body.top = *top};

	send_message(socket, &message);
}

void control_counts(int socket, const struct tm_counts *counts)
{
	(void)tm_control_counts(socket, counts, /* cost= */ NULL, /* may_skip= */ 0);
}

void control_result(int socket, const struct tm_result *result)
{
	struct tm_control message = {.kind = TM_CONTROL_RESULT, .body.result = *result};

	send_message(socket, &message);
}
