/* SPDX-License-Identifier: Apache-2.0 */
/*
 * otel_context - spins, and says of itself what an OpenTelemetry SDK does (OTEP 4719)
 *
 * usage: otel_context memfd|anon SERVICE SECONDS (of CPU time). It prints the name of its service
 * once its memory has the name by which it is found; where the kernel gives anonymous memory no
 * names, it prints nothing and spins all the same.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_VMA /* Linux 5.17 */
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

#define NAME "OTEL_CTX"
#define PAGE 4096ul

struct head {
	char signature[8];
	uint32_t version;
	uint32_t bytes;
	uint64_t published;
	uint64_t text;
};

struct message { /* protobuf; lengths below 128 */
	uint8_t bytes[512];
	size_t count;
};

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	_exit(1);
}

static void add(struct message *message, unsigned field, const void *bytes, size_t count)
{
	must(count < 128 && message->count + count + 2 <= sizeof(message->bytes), "too long");
	message->bytes[message->count++] = (uint8_t)(field << 3 | 2);
	message->bytes[message->count++] = (uint8_t)count;
	memcpy(message->bytes + message->count, bytes, count);
	message->count += count;
}

static struct message attribute(const char *key, const char *text)
{
	struct message value = {.count = 0}, pair = {.count = 0};

	add(&value, 1, text, strlen(text));
	add(&pair, 1, key, strlen(key));
	add(&pair, 2, value.bytes, value.count);
	return pair;
}

/* A ProcessContext: three attributes of the resource, and one beside it. */
static struct message context(const char *service)
{
	const char *const pairs[][2] = {
		{"service.name", service}, {"service.version", "1,2"}, {"host.name", "elsewhere"}};
	struct message resource = {.count = 0}, whole = {.count = 0}, one;

	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		one = attribute(pairs[i][0], pairs[i][1]);
		add(&resource, 1, one.bytes, one.count);
	}
	add(&whole, 1, resource.bytes, resource.count);
	one = attribute("team", "tests");
	add(&whole, 2, one.bytes, one.count);
	return whole;
}

int main(int argc, char **argv)
{
	static struct message text;
	struct head head = {.version = 2, .published = 1};
	int fd = -1, named = 1;
	void *memory;
	clock_t end;

	if (argc != 4)
		return 2;
	end = clock() + (clock_t)(strtod(argv[3], NULL) * CLOCKS_PER_SEC);
	if (strcmp(argv[1], "memfd") == 0) {
		fd = memfd_create(NAME, MFD_CLOEXEC);
		must(fd >= 0 && ftruncate(fd, PAGE) == 0, "memfd");
	}
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		      fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	must(memory != MAP_FAILED, "mmap");
	text = context(argv[2]);
	memcpy(head.signature, NAME, sizeof(head.signature));
	head.bytes = (uint32_t)text.count;
	head.text = (uint64_t)(uintptr_t)text.bytes;
	memcpy(memory, &head, sizeof(head));
	if (fd < 0)
		named = prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, PAGE, NAME) == 0;
	if (named)
		(void)puts(argv[2]);
	(void)fflush(stdout);
	while (clock() < end)
		continue;
	return 0;
}
