/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask_lines - asks the real parser for the lines at addresses, and prints what that cost
 *
 * usage: ask_lines PARSER FILE [DEBUG-FILE] <ADDRESSES    (hexadecimal, ascending, one a line)
 *
 * Prints: status, calls found, ms by the clock, ms of CPU and KiB of the largest process. CPU time
 * includes the start of the parser.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared/child.h"
#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/names/lines_check.h"

static uint32_t read_addresses(uint64_t *vaddrs)
{
	uint32_t count = 0;

	while (count < PARSER_OFFSETS_MAX && scanf("%" SCNx64, &vaddrs[count]) == 1)
		count++;
	return count;
}

static int send(const struct tm_child *parser, struct parser_message *message, int fd)
{
	int r = tm_fdpass_send(parser->socket, message, sizeof(*message), fd, 0);

	message->kind = PARSER_PART;
	return r;
}

/* Return: the status, -errno. */
static int ask(const struct tm_child *parser, int file, int debug, const uint64_t *vaddrs,
	       uint32_t count, uint32_t *ret_calls)
{
	struct parser_message message = {
		.kind = PARSER_LINES, .id = 1, .count = count, .parts = debug < 0 ? 1 : 2};
	_cleanup_(tm_closep) int blob =
		tm_region_seal_blob("vaddrs", vaddrs, count * sizeof(*vaddrs));
	struct tm_region region = TM_REGION_NULL;
	struct lines_check lines;
	int r = blob < 0 ? blob : send(parser, &message, file), fd = -1;

	if (!r)
		r = send(parser, &message, blob);
	if (!r && debug >= 0)
		r = send(parser, &message, debug);
	if (!r)
		r = tm_fdpass_recv(parser->socket, &message, sizeof(message), &fd, 0);
	if (r || message.status)
		return r ? r : (int)message.status;
	r = tm_region_open_blob(&region, fd, LINES_CHECK_MAX_BYTES);
	if (!r)
		r = lines_check_check(&lines, region.addr, region.bytes, count);
	if (!r)
		*ret_calls = lines.header->call_count;
	tm_region_close(&region);
	return r;
}

int main(int argc, char **argv)
{
	_cleanup_(tm_freep) uint64_t *vaddrs = calloc(PARSER_OFFSETS_MAX, sizeof(*vaddrs));
	struct tm_child parser = TM_CHILD_NULL;
	uint64_t begun, ended, cpu_ns, rss_bytes;
	int program, file, debug, r;
	uint32_t count, calls = 0;

	if (argc < 3 || argc > 4 || !vaddrs)
		return 2;
	program = open(argv[1], O_PATH | O_CLOEXEC);
	file = open(argv[2], O_RDONLY | O_CLOEXEC);
	debug = argc == 4 ? open(argv[3], O_RDONLY | O_CLOEXEC) : -1;
	count = read_addresses(vaddrs);
	begun = tm_clock_ns();
	r = tm_child_start(&parser, program, "tidemark-parser", NULL);
	if (!r)
		r = ask(&parser, file, debug, vaddrs, count, &calls);
	ended = tm_clock_ns();
	tm_child_stop(&parser, &cpu_ns, &rss_bytes);
	(void)printf("%d %u %.1f %.1f %" PRIu64 "\n", r, calls, (double)(ended - begun) / 1e6,
		     (double)cpu_ns / 1e6, rss_bytes >> 10);
	return r != 0;
}
