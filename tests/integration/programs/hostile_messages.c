/* SPDX-License-Identifier: Apache-2.0 */
/* hostile_messages - malformed messages and floods of them */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/unwind_map.h"
#include "tests/integration/programs/hostile_symbolizer.h"

#define FLOOD    20000u
#define LATER_NS 1000000000u /* no announcement has such a time */

int hostile_send(const struct harness *harness, uint32_t number, uint64_t value, int fd)
{
	const struct tm_wire message = {
		.kind = TM_WIRE_UNWIND_TABLE, .number = number, .value = value};

	return tm_fdpass_send(harness->wire, &message, sizeof(message), fd, 0);
}

static int no_descriptor(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return hostile_send(harness, file->number, file->value, -1);
}
static int number_beyond(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return hostile_send(harness, TM_FRAME_FILE_MAX + 1, file->value, fd);
}
static int number_unknown(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return hostile_send(harness, file->number ^ 0x8000u, file->value, fd);
}
static int other_value(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return hostile_send(harness, file->number, file->value + LATER_NS, fd);
}
static int value_zero(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return hostile_send(harness, file->number, 0, fd);
}
static int vdso_announced(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return hostile_send(harness, TM_UNWIND_MAP_VDSO, file->value, fd);
}
static int hello_with_rows(const struct harness *harness, const struct tm_wire *file, int fd)
{
	const struct tm_wire message = {.kind = TM_WIRE_HELLO, .value = TM_WIRE_VERSION};

	return tm_fdpass_send(harness->wire, &message, sizeof(message), fd, 0);
}
static int unknown_kind(const struct harness *harness, const struct tm_wire *file, int fd)
{
	const struct tm_wire message = {.kind = 99, .number = file->number};

	return tm_fdpass_send(harness->wire, &message, sizeof(message), fd, 0);
}
static int short_message(const struct harness *harness, const struct tm_wire *file, int fd)
{
	const struct tm_wire message = {.kind = TM_WIRE_UNWIND_TABLE};

	return tm_fdpass_send(harness->wire, &message, 8, fd, 0);
}
static int long_message(const struct harness *harness, const struct tm_wire *file, int fd)
{
	const struct tm_wire messages[4] = {{.kind = TM_WIRE_UNWIND_TABLE}};

	return tm_fdpass_send(harness->wire, messages, sizeof(messages), fd, 0);
}
static int two_descriptors(const struct harness *harness, const struct tm_wire *file, int fd)
{
	struct tm_wire message = {
		.kind = TM_WIRE_UNWIND_TABLE, .number = file->number, .value = file->value};
	union {
		char bytes[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} room = {.bytes = {0}};
	struct iovec part = {&message, sizeof(message)};
	struct msghdr head = {.msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = room.bytes,
			      .msg_controllen = sizeof(room.bytes)};
	struct cmsghdr *passed = CMSG_FIRSTHDR(&head);

	passed->cmsg_level = SOL_SOCKET;
	passed->cmsg_type = SCM_RIGHTS;
	passed->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(passed), &fd, sizeof(fd));
	memcpy(CMSG_DATA(passed) + sizeof(fd), &fd, sizeof(fd));
	return sendmsg(harness->wire, &head, MSG_NOSIGNAL) == (ssize_t)sizeof(message) ? 0 : -errno;
}
static int question_with_descriptor(const struct harness *harness, const struct tm_wire *file,
				    int fd)
{
	const struct tm_wire message = {.kind = TM_WIRE_DEBUG_FILE,
					.number = file->number,
					.value = file->value,
					.form = TM_DEBUG_LINK,
					.text_bytes = 1,
					.text = "a"};

	return tm_fdpass_send(harness->wire, &message, sizeof(message), fd, 0);
}
static int send_ahead(const struct harness *harness, uint64_t dev, uint16_t bytes, int fd)
{
	const struct tm_identity identity = {.dev = dev, .ino = 1, .size = 1};
	struct tm_wire message = {.kind = TM_WIRE_AHEAD, .text_bytes = bytes};

	memcpy(message.text, &identity, sizeof(identity));
	return tm_fdpass_send(harness->wire, &message, sizeof(message), fd, 0);
}
static int ahead_too_late(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return send_ahead(harness, 8 << 20, sizeof(struct tm_identity), fd);
}
static int ahead_of_no_device(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return send_ahead(harness, 8, sizeof(struct tm_identity), fd);
}
static int ahead_cut(const struct harness *harness, const struct tm_wire *file, int fd)
{
	return send_ahead(harness, 8 << 20, sizeof(struct tm_identity) - 1, fd);
}
/* A full socket ends the flood; that is no error. */
static int flood(const struct harness *harness, const struct tm_wire *file, int fd)
{
	int r = 0;

	for (uint32_t i = 0; i < FLOOD && r == 0; i++)
		r = hostile_send(harness, i, file->value + LATER_NS, fd);
	return r == -EPIPE || r == TM_FDPASS_E_CLOSED ? 0 : r;
}
static int flood_of_questions(const struct harness *harness, const struct tm_wire *file, int fd)
{
	const struct hostile_question question = {"", TM_DEBUG_LINK, 1, "a"};
	int r = 0;

	for (uint32_t i = 0; i < FLOOD && r == 0; i++)
		r = hostile_ask(harness, file, &question);
	return r == -EPIPE || r == TM_FDPASS_E_CLOSED ? 0 : r;
}

const struct hostile_message hostile_messages[] = {
	{"a table without a descriptor", no_descriptor},
	{"a number out of range", number_beyond},
	{"a file that was never announced", number_unknown},
	{"another announcement of the file", other_value},
	{"no announcement of the file", value_zero},
	{"the vDSO as if it had been announced", vdso_announced},
	{"a HELLO with a table", hello_with_rows},
	{"an unknown message with a table", unknown_kind},
	{"a short message", short_message},
	{"a long message", long_message},
	{"two descriptors", two_descriptors},
	{"a question for a debug file with a descriptor", question_with_descriptor},
	{"a table ahead of its file while that may be sampled", ahead_too_late},
	{"a table ahead of a file on no device", ahead_of_no_device},
	{"a table ahead of a file without an identity", ahead_cut},
	{"more questions for debug files than may wait", flood_of_questions, .many = true},
	{"a flood", flood, .many = true},
};
const size_t hostile_messages_count = sizeof(hostile_messages) / sizeof(*hostile_messages);
