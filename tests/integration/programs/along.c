/* SPDX-License-Identifier: Apache-2.0 */
/* along - reads the shared ring of a running collector along, unseen by it and by its symbolizer */

#include "tests/integration/programs/along.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/event_check.h"

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

int along_open(struct along *along, const char *pid)
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
	return tm_ring_reader_init(&along->reader, at, (size_t)status.st_size, &along->page);
}

static int overtaken(const struct along *along, uint64_t position)
{
	const struct tm_ring_reader *r = &along->reader;

	return atomic_load_explicit(&r->header->tail_pos, memory_order_acquire) - position >
	       r->capacity / 2;
}

int along_read(struct along *along, int (*take)(const struct tm_event *event, void *context),
	       void *context)
{
	uint64_t watermark, position;
	uint32_t bytes;
	int r;

	r = tm_ring_reader_begin(&along->reader, &watermark);
	while (r == 0) {
		position = along->reader.head_pos;
		r = tm_ring_pop(&along->reader, along->record, sizeof(along->record), &bytes);
		if (r == TM_RING_E_EMPTY)
			return 0;
		if (r == 0 && overtaken(along, position))
			r = -EOVERFLOW;
		if (r == 0)
			r = tm_event_check_from_ring(along->record, bytes);
		if (r == 0)
			r = take((const void *)along->record, context);
	}
	return r;
}
