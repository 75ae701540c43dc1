/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_requests_fixture - file requests with a fake opener, kernel and symbolizer
 */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/file_requests.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

struct world { /* the collector's side; the tests play both its peers */
	struct file_requests files;
	struct opener_client opener;
	struct symbolizer_link link;
	int opener_end;
	int worker; /* the worker's end of the socket of the last request */
	int symbolizer_end;
	int holds;      /* the kernel's verdict on an opened file */
	bool any_file;  /* it is asked without an identity */
	uint32_t owner; /* of the files that the opener opens */
	uint64_t magic; /* of the files that are announced, and whose they are: */
	uint16_t file_owner;
	uint64_t device;
	unsigned asked_kernel;
	uint32_t forgotten;
	bool has_descriptor; /* what was delivered last */
	uint32_t retired;
};

static int holds(void *context, uint32_t pid, uint64_t address, const struct tm_identity *identity)
{
	struct world *world = context;

	world->asked_kernel++;
	assert_int_equal(pid, 4242);
	assert_int_equal(address, 0x7000);
	assert_int_equal(identity == NULL, world->any_file);
	assert_true(!identity || identity->ino == 99);
	return world->holds;
}

static int change(void *context, uint32_t number, enum tm_file_change change, uint64_t value)
{
	if (change == TM_FILE_FORGET)
		((struct world *)context)->forgotten = number;
	if (change == TM_FILE_RETIRE)
		((struct world *)context)->retired = number;
	return 0;
}

static int make(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	const struct file_requests_kernel kernel = {world, holds, change};
	int a[2], b[2];

	if (!world || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, a) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, b) < 0)
		return -1;
	world->opener = (struct opener_client){.fd = a[0]};
	world->opener_end = a[1];
	world->worker = -1;
	symbolizer_link_init(&world->link, b[0]);
	world->symbolizer_end = b[1];
	world->holds = TM_CHECK_SAME;
	world->forgotten = UINT32_MAX;
	world->retired = UINT32_MAX;
	*state = world;
	return file_requests_init(&world->files, &world->opener, &world->link, kernel);
}

static int unmake(void **state)
{
	struct world *world = *state;

	file_requests_deinit(&world->files);
	symbolizer_link_deinit(&world->link);
	if (world->opener.fd >= 0)
		(void)close(world->opener.fd);
	(void)close(world->opener_end);
	(void)tm_close(world->worker);
	(void)close(world->symbolizer_end);
	free(world);
	return 0;
}

static void announce(struct world *world, uint32_t number, uint32_t flags, uint64_t now_ms)
{
	static const char path[] = "ls\0bin";
	_Alignas(8) uint8_t memory[sizeof(struct tm_file) + 8] = {0};
	struct tm_file *file = (void *)memory;

	file->event.type = TM_EVENT_FILE;
	file->event.bytes = sizeof(memory);
	file->event.flags = flags;
	file->identity.ino = 99;
	file->identity.dev = world->device;
	file->number = number;
	file->own_tid = 77;
	file->mnt_ns = 5;
	file->magic = world->magic;
	file->owner = world->file_owner;
	file->vm_start = 0x1000;
	file->vm_end = 0x2000;
	file->path_bytes = sizeof(path);
	memcpy(file->text, path, sizeof(path));
	file_requests_announce(&world->files, file, now_ms);
	file_requests_advance(&world->files, now_ms);
}

/* The opener receives a request; its worker is `worker` from now on. */
static struct opener_request receive_request(struct world *world)
{
	struct opener_request got = {0};

	(void)tm_close(world->worker);
	assert_int_equal(
		tm_fdpass_recv(world->opener_end, &got, sizeof(got), &world->worker, MSG_DONTWAIT),
		0);
	assert_true(world->worker >= 0);
	return got;
}

/* The worker answers. It ends after its last answer. */
static void answer(struct world *world, uint32_t status, uint64_t now_ms)
{
	const struct opener_answer reply = {
		.status = status, .worker = 4242, .address = 0x7000, .owner = world->owner};
	int fd = status == OPENER_HANDED ? STDIN_FILENO : -1;

	assert_int_equal(tm_fdpass_send(world->worker, &reply, sizeof(reply), fd, 0), 0);
	if (status != OPENER_OPENED && status != OPENER_STARTED)
		world->worker = tm_close(world->worker);
	file_requests_advance(&world->files, now_ms);
}

/* Likewise; the worker starts. */
static struct opener_request request(struct world *world, uint64_t now_ms)
{
	const struct opener_request got = receive_request(world);

	answer(world, OPENER_STARTED, now_ms);
	return got;
}

static __attribute__((noinline, unused)) void answer_next(struct world *world, uint32_t status,
							  uint64_t now_ms)
{
	(void)request(world, now_ms);
	answer(world, status, now_ms);
}

static inline void expect_no_request(struct world *world)
{
	struct opener_request got;

	assert_int_equal(tm_fdpass_recv(world->opener_end, &got, sizeof(got), NULL, MSG_DONTWAIT),
			 TM_FDPASS_E_AGAIN);
}

static void expect_verdict(struct world *world, uint32_t accepted)
{
	struct opener_verdict got;

	assert_int_equal(tm_fdpass_recv(world->worker, &got, sizeof(got), NULL, MSG_DONTWAIT), 0);
	assert_int_equal(got.accepted, accepted);
}

/* The worker opens the file, the kernel confirms it, the worker hands it over. */
static void hand_over(struct world *world, uint64_t now_ms)
{
	answer(world, OPENER_OPENED, now_ms);
	expect_verdict(world, 1);
	answer(world, OPENER_HANDED, now_ms);
}

static inline void hand_over_next(struct world *world, uint64_t now_ms)
{
	(void)request(world, now_ms);
	hand_over(world, now_ms);
}

/* Receives what was sent to the symbolizer. Return: its kind; 0: nothing was sent. */
static uint32_t delivered(struct world *world, struct tm_wire *ret_message)
{
	int fd = -1;
	int r = tm_fdpass_recv(world->symbolizer_end, ret_message, sizeof(*ret_message), &fd,
			       MSG_DONTWAIT);

	if (r != 0)
		return 0;
	if (ret_message->kind == TM_WIRE_OPENED || ret_message->kind == TM_WIRE_PERF_MAP)
		assert_int_equal(fd >= 0, !ret_message->form);
	else if (ret_message->kind != TM_WIRE_REOPENED)
		assert_int_equal(fd >= 0, ret_message->kind == TM_WIRE_FILE);
	world->has_descriptor = fd >= 0;
	if (fd >= 0)
		(void)close(fd);
	return ret_message->kind;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)
