/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_reader - a second reader of a running collector's shared ring, unknown to it and to its
 * symbolizer
 */

#include "tests/integration/programs/ring_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/event_check_ring.h"

/* Return: descriptor or -errno. */
static int open_ring(const char *pid)
{
	char path[96], line[512];
	unsigned long long from, to;
	int fd = -ENOENT;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	while (fd == -ENOENT && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/memfd:tidemark-ring") ||
		    sscanf(line, "%llx-%llx", &from, &to) != 2)
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%s/map_files/%llx-%llx", pid, from, to);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	(void)fclose(maps);
	return fd;
}

int ring_reader_open(struct ring_reader *ring, const char *pid)
{
	int fd = open_ring(pid), r;
	struct stat status;
	void *at;

	if (fd < 0)
		return fd;
	r = fstat(fd, &status) < 0 ? -errno : 0;
	at = r < 0 ? MAP_FAILED : mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (r == 0 && at == MAP_FAILED)
		r = -errno;
	(void)close(fd);
	if (r < 0)
		return r;
	return tm_ring_reader_init(&ring->reader, at, (size_t)status.st_size, &ring->page);
}

static int overtaken(const struct ring_reader *ring, uint64_t position)
{
	const struct tm_ring_reader *r = &ring->reader;

	return atomic_load_explicit(&r->header->tail_pos, memory_order_acquire) - position >
	       r->capacity / 2;
}

int ring_reader_read(struct ring_reader *ring,
		     int (*take)(const struct tm_event *event, void *context), void *context)
{
	uint64_t watermark, position;
	uint32_t bytes;
	int r;

	r = tm_ring_reader_begin(&ring->reader, &watermark);
	while (r == 0) {
		position = ring->reader.head_pos;
		r = tm_ring_pop(&ring->reader, ring->record, sizeof(ring->record), &bytes);
		if (r == TM_RING_E_EMPTY)
			return 0;
		if (r == 0 && overtaken(ring, position))
			r = -EOVERFLOW;
		if (r == 0)
			r = tm_event_check_from_ring(ring->record, bytes);
		if (r == 0)
			r = take((const void *)ring->record, context);
	}
	return r;
}
