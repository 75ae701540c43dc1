/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_opener_client - answers of a hostile opener; only an accepted file may reach the symbolizer
 *
 * Input: per message one byte of flags (FLAG_*), then struct opener_answer.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/file_requests.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "tests/fuzz/fuzz.h"

#define MESSAGES_MAX   64
#define FLAG_FD        1u  /* a descriptor is attached */
#define FLAG_OLDEST    2u  /* from the worker that has lived longest, instead of the last one */
#define FLAG_SHORT     4u  /* the message is too short */
#define FLAG_LATE      8u  /* every deadline has passed */
#define FLAG_NEXT_FILE 16u /* another file is announced before */
#define MATCH_SHIFT    5   /* the kernel's answer, two bits */

struct world {
	struct file_requests files;
	struct opener_client opener;
	struct symbolizer_link link;
	int workers[OPENER_LANES]; /* oldest first; of those whose requests are open */
	unsigned worker_count;
	int match;         /* what the kernel will say */
	unsigned accepted; /* files for which it said that they are the same */
	unsigned sent;     /* descriptors that the symbolizer got */
};

static int match_file(void *context, uint32_t pid, uint64_t address,
		      const struct tm_identity *identity)
{
	struct world *world = context;

	world->accepted += TM_CHECK_OTHER + world->match == TM_CHECK_SAME;
	return world->match == 3 ? -ESRCH : TM_CHECK_OTHER + world->match;
}

static int change(void *context, uint32_t number, enum tm_file_change change, uint64_t value)
{
	return 0;
}

static void announce(struct world *world, uint32_t number, uint64_t now_ms)
{
	static const char path[] = "ls\0bin";
	_Alignas(8) uint8_t memory[sizeof(struct tm_file) + 8] = {0};
	struct tm_file *file = (void *)memory;

	file->event.type = TM_EVENT_FILE;
	file->event.bytes = sizeof(memory);
	file->number = number;
	file->path_bytes = sizeof(path);
	memcpy(file->text, path, sizeof(path));
	file_requests_announce(&world->files, file, now_ms);
	file_requests_advance(&world->files, now_ms);
}

/* Drops workers whose requests are over. */
static void drop_workers(struct world *world)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < world->worker_count; i++) {
		struct opener_verdict verdict;
		int r, worker = world->workers[i];

		do
			r = tm_fdpass_recv(worker, &verdict, sizeof(verdict), NULL, MSG_DONTWAIT);
		while (r == 0);
		if (r == TM_FDPASS_E_AGAIN)
			world->workers[kept++] = worker;
		else
			(void)close(worker);
	}
	world->worker_count = kept;
}

/* Reads what both peers were sent. A FILE without a descriptor, or a reason out of range, aborts.
 */
static void receive_all(struct world *world, int opener_end, int symbolizer_end)
{
	struct opener_request request;
	struct tm_wire message;
	int fd;

	drop_workers(world);
	while (tm_fdpass_recv(opener_end, &request, sizeof(request), &fd, MSG_DONTWAIT) == 0) {
		if (fd < 0)
			abort();
		if (world->worker_count < OPENER_LANES)
			world->workers[world->worker_count++] = fd;
		else
			(void)close(fd); /* of a request that is over */
	}
	while (tm_fdpass_recv(symbolizer_end, &message, sizeof(message), &fd, MSG_DONTWAIT) == 0) {
		if ((message.kind == TM_WIRE_FILE) != (fd >= 0))
			abort();
		if (message.kind != TM_WIRE_FILE && message.kind != TM_WIRE_NO_FILE)
			abort();
		if (message.kind == TM_WIRE_NO_FILE && message.value >= TM_NO_FILE_N)
			abort();
		world->sent += fd >= 0;
		(void)tm_close(fd);
		world->link.credit = TM_FILES_IN_FLIGHT;
	}
}

static void send_answer(const struct world *world, const uint8_t *data)
{
	struct opener_answer answer;

	if (!world->worker_count)
		return;
	memcpy(&answer, data + 1, sizeof(answer));
	(void)tm_fdpass_send(world->workers[data[0] & FLAG_OLDEST ? 0 : world->worker_count - 1],
			     &answer, data[0] & FLAG_SHORT ? 7 : sizeof(answer),
			     data[0] & FLAG_FD ? STDIN_FILENO : -1, MSG_DONTWAIT);
}

static int next_free_descriptor(void)
{
	int fd = dup(STDIN_FILENO);

	(void)close(fd);
	return fd;
}

static void run(struct world *world, int opener_end, int symbolizer_end, const uint8_t *data,
		size_t bytes)
{
	const size_t step = 1 + sizeof(struct opener_answer);
	uint64_t now_ms = 1000;
	uint32_t number = 1;

	announce(world, number, now_ms);
	receive_all(world, opener_end, symbolizer_end);
	for (size_t i = 0; i < MESSAGES_MAX && bytes >= step; i++, data += step, bytes -= step) {
		if (data[0] & FLAG_NEXT_FILE)
			announce(world, ++number, now_ms);
		receive_all(world, opener_end, symbolizer_end);
		if (data[0] & FLAG_LATE)
			now_ms += FILE_REQUESTS_ASK_MS;
		world->match = data[0] >> MATCH_SHIFT & 3;
		send_answer(world, data);
		file_requests_advance(&world->files, ++now_ms);
		receive_all(world, opener_end, symbolizer_end);
		if (world->sent > world->accepted)
			abort(); /* a descriptor that no verdict accepted */
	}
	while (world->worker_count)
		(void)close(world->workers[--world->worker_count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct world world;
	const struct file_requests_kernel kernel = {&world, match_file, change};
	int before = next_free_descriptor();
	int opener[2], symbolizer[2];

	world = (struct world){0};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, opener) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, symbolizer) < 0)
		abort();
	world.opener = (struct opener_client){.fd = opener[0]};
	symbolizer_link_init(&world.link, symbolizer[0]);
	if (file_requests_init(&world.files, &world.opener, &world.link, kernel) < 0)
		abort();
	run(&world, opener[1], symbolizer[1], data, bytes);
	file_requests_deinit(&world.files);
	symbolizer_link_deinit(&world.link);
	(void)tm_close(world.opener.fd);
	(void)close(opener[1]);
	(void)close(symbolizer[1]);
	if (next_free_descriptor() != before)
		abort(); /* a descriptor stayed open */
	return 0;
}
