/* SPDX-License-Identifier: Apache-2.0 */
/* control - sends the messages of a program to the command, and keeps the reason of its failure */

#include "shared/control.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/err.h"
#include "shared/fdpass.h"

int tm_control_failure_set(struct tm_control_failure *failure, int code, const char *format, ...)
{
	va_list arguments;

	if (failure->code)
		return -ECANCELED;
	failure->code = code;
	va_start(arguments, format);
	(void)vsnprintf(failure->text, sizeof(failure->text), format, arguments);
	va_end(arguments);
	return -ECANCELED;
}

int tm_control_failure_check(struct tm_control_failure *failure, int code, int r, const char *what)
{
	return r < 0 ? tm_control_failure_set(failure, code, "%s: %s", what, strerror(-r)) : 0;
}

/* What the user of a service reads in its journal. */
static void write_text(const char *text)
{
	char line[TM_CONTROL_TEXT + 1];
	int length = snprintf(line, sizeof(line), "%s\n", text);

	while (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0 && errno == EINTR)
		continue;
}

int tm_control_send_message(int socket, const struct tm_control *message)
{
	if (socket < 0) {
		if (message->kind == TM_CONTROL_NOTE || message->kind == TM_CONTROL_FAILED)
			write_text(message->body.text);
		return 0;
	}
	return tm_err_fold(tm_fdpass_send(socket, message, sizeof(*message), -1, 0));
}

int tm_control_send(int socket, enum tm_control_kind kind, int code, uint64_t value)
{
	const struct tm_control message = {.kind = kind, .code = code, .value = value};

	return tm_control_send_message(socket, &message);
}

int tm_control_note(int socket, const char *format, ...)
{
	struct tm_control message = {.kind = TM_CONTROL_NOTE};
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(message.body.text, sizeof(message.body.text), format, arguments);
	va_end(arguments);
	return tm_control_send_message(socket, &message);
}

int tm_control_counts(int socket, const struct tm_counts *counts, bool may_skip)
{
	struct tm_control message = {.kind = TM_CONTROL_COUNTS, .body.counts = *counts};
	int flags = may_skip ? MSG_DONTWAIT : 0;
	int r = socket < 0 ? 0 : tm_fdpass_send(socket, &message, sizeof(message), -1, flags);

	return may_skip && r == TM_FDPASS_E_AGAIN ? 0 : tm_err_fold(r);
}

int tm_control_failed(int socket, const struct tm_control_failure *failure)
{
	struct tm_control message = {.kind = TM_CONTROL_FAILED, .code = failure->code};

	memcpy(message.body.text, failure->text, sizeof(failure->text));
	return tm_control_send_message(socket, &message);
}
