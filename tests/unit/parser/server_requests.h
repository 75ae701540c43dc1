/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * server_requests - requests to the real parser, and files for it; include it behind cmocka.h
 */

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "shared/fdpass.h"
#include "symbolizer/parser/parser.h"
#include "tests/unit/parser/elf_builder.h"
#include "tests/unit/parser/parser_process.h"

static struct elf_builder elf;

static inline int start(void **state)
{
	(void)start_parser(state);
	elf_builder_open(&elf);
	elf_builder_symbol(&elf, "found", 0x10, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC));
	return 0;
}

static inline int stop(void **state)
{
	pid_t pid = parser.pid;

	(void)stop_parser(state);
	assert_int_equal(waitpid(pid, NULL, 0), -1); /* it was reaped */
	return 0;
}

static inline int file_of(const void *bytes, size_t count)
{
	int fd = memfd_create("target", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes, count), (ssize_t)count);
	return fd;
}

static inline void send_request(uint32_t id, enum parser_kind kind, int target)
{
	const struct parser_message message = {.kind = kind, .id = id};

	assert_int_equal(tm_fdpass_send(parser.socket, &message, sizeof(message), target, 0), 0);
}

static inline struct parser_message receive(int *ret_fd)
{
	struct parser_message result;

	assert_int_equal(tm_fdpass_recv(parser.socket, &result, sizeof(result), ret_fd, 0), 0);
	assert_int_equal(result.kind, PARSER_RESULT);
	return result;
}

static inline bool has_answer(void)
{
	struct pollfd ready = {.fd = parser.socket, .events = POLLIN};

	return poll(&ready, 1, 0) > 0;
}

static inline uint32_t status_of(const void *bytes, size_t count)
{
	int target = file_of(bytes, count);
	int fd;
	struct parser_message result;

	send_request(7, PARSER_SYMBOLS, target);
	(void)close(target);
	result = receive(&fd);
	assert_int_equal(result.id, 7);
	assert_int_equal(result.status == PARSER_OK, fd >= 0);
	if (fd >= 0)
		(void)close(fd);
	return result.status;
}

/* A pclntab of four million functions of one byte: a worker takes longer than to find it. */
static inline int slow_file(void)
{
	const uint8_t pclntab[] = {0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8, 0, 0, 0x40, 0};
	const uint32_t count = 4u << 20, first = 16; /* behind the header */
	uint64_t *functions = calloc(count, sizeof(*functions));
	size_t bytes = (count - first) * sizeof(*functions);
	Elf64_Shdr *section = elf_builder_section(&elf, ".gopclntab", pclntab, sizeof(pclntab), 0);
	off_t offset = (off_t)(section->sh_offset + first * sizeof(*functions));
	int target;

	for (uint32_t i = 0; i < count; i++)
		functions[i] = i;
	section->sh_size = 40 << 20;
	target = file_of(&elf, ELF_BUILDER_BYTES);
	assert_int_equal(ftruncate(target, 48 << 20), 0);
	assert_int_equal(pwrite(target, functions + first, bytes, offset), bytes);
	free(functions);
	elf_builder_open(&elf);
	return target;
}
