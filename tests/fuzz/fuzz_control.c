/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_control - messages to the collector on its control socket; each command has what it needs
 *
 * Input: per message one byte of flags (1: a descriptor is attached, 2: too short), then the first
 * HEAD_BYTES of struct tm_control.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/control.h"
#include "shared/cleanup.h"
#include "shared/control.h"
#include "shared/fdpass.h"
#include "tests/fuzz/fuzz.h"

#define HEAD_BYTES   16 /* kind, code, value */
#define MESSAGES_MAX 32

static int next_free_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	(void)close(fd);
	return fd;
}

static void check(const struct control_command *command)
{
	switch (command->kind) {
	case TM_CONTROL_CPU:
	case TM_CONTROL_ATTACH:
	case TM_CONTROL_OPENER:
		if (command->fd < 0 || close(command->fd) < 0)
			abort();
		return;
	default: /* the caller ignores what it does not know */
		if (command->fd != -1)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct tm_control message;
	struct control_command command;
	int before = next_free_descriptor();
	int ends[2], r = CONTROL_E_NONE;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		abort();
	for (size_t i = 0; i < MESSAGES_MAX && bytes > HEAD_BYTES && r != CONTROL_E_CLOSED; i++) {
		memcpy(&message, data + 1, HEAD_BYTES);
		(void)tm_fdpass_send(ends[1], &message, data[0] & 2 ? 7 : sizeof(message),
				     data[0] & 1 ? STDIN_FILENO : -1, MSG_DONTWAIT);
		while ((r = control_receive(ends[0], &command)) == 0)
			check(&command);
		if (r != CONTROL_E_NONE && r != CONTROL_E_CLOSED)
			abort();
		data += 1 + HEAD_BYTES;
		bytes -= 1 + HEAD_BYTES;
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	if (next_free_descriptor() != before)
		abort(); /* a descriptor stayed open */
	return 0;
}
