/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_collector_link - messages of a hostile collector; no descriptor may stay open afterwards
 *
 * Input: per message one byte that says what is attached, then struct tm_wire.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shared/fdpass.h"
#include "symbolizer/names/perf_maps.h"
#include "symbolizer/profile/collector_link.h"
#include "tests/fuzz/fuzz.h"

#define MESSAGES_MAX 32

static int attached(uint8_t what)
{
	switch (what & 3) {
	case 1:
		return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	case 2:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 3:
		return tm_region_seal_blob("blob", "no table", 8);
	default:
		return -1;
	}
}

static int next_free_descriptor(void)
{
	int fd = dup(0);

	(void)close(fd);
	return fd;
}

static void send_messages(int socket, const uint8_t *data, size_t bytes)
{
	struct tm_wire message;
	size_t step = 1 + sizeof(message);

	for (size_t i = 0; i < MESSAGES_MAX && bytes >= step; i++, data += step, bytes -= step) {
		int fd = attached(data[0]);

		memcpy(&message, data + 1, sizeof(message));
		(void)tm_fdpass_send(socket, &message, data[0] & 0x80 ? 7 : sizeof(message), fd,
				     MSG_DONTWAIT);
		if (fd >= 0)
			(void)close(fd);
	}
}

/* Process 42, announced at 0 and at 1, may have a map. */
static void begin_maps(struct perf_maps *maps, struct jit_files *jit,
		       struct process_table *processes)
{
	static struct parser_client parser;
	struct tm_process process = {
		.event = {.tgid = 42, .flags = TM_FLAG_ANONYMOUS, .ktime = 1, .exec_id = 1},
		.jitdump_file = TM_FILE_NONE,
		.euid = getuid()};

	parser = PARSER_CLIENT_NULL;
	jit_files_init(jit, processes, /* store= */ NULL, &parser);
	perf_maps_init(maps, jit);
	(void)process_announce(processes, &process);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct budget budget;
	static struct hash_seed seed = {{4, 2}};
	static struct strings strings;
	static struct tm_retire_queue queue;
	static struct perf_maps maps;
	static struct jit_files jit;
	struct process_table processes;
	struct files files;
	struct collector_link peer;
	int ends[2];
	int before = next_free_descriptor();

	budget = (struct budget){.limit = 16 << 20};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ||
	    strings_init(&strings, &budget, &seed))
		abort();
	files_init(&files, &strings, &budget, &queue);
	collector_link_init(&peer, ends[1], &files);
	process_table_init(&processes, &strings, &budget, &queue);
	begin_maps(&maps, &jit, &processes);
	peer.map = perf_maps_answer;
	peer.map_context = &maps;
	peer.state = COLLECTOR_LINK_ATTACHED;
	peer.serves = true;
	send_messages(ends[0], data, bytes);
	(void)shutdown(ends[0], SHUT_WR);
	collector_link_receive(&peer);
	if (peer.serves)
		abort(); /* it must have noticed that the peer closed */
	perf_maps_deinit(&maps);
	jit_files_deinit(&jit);
	process_table_deinit(&processes);
	files_deinit(&files);
	collector_link_deinit(&peer);
	strings_deinit(&strings);
	tm_retire_deinit(&queue);
	(void)close(ends[0]);
	(void)close(ends[1]);
	if (next_free_descriptor() != before || budget.used)
		abort();
	return 0;
}
