/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watermark_observer - polls the watermark of a running collector until that ends
 *
 * usage: watermark_observer COLLECTOR [SECONDS]. It maps the header of the collector's ring
 * read-only through /proc/PID/map_files. Exit status: 1 when W fell or never rose. How far it
 * lags is printed.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/clock.h"
#include "shared/ring.h"

#define LAGS_MAX    (1u << 20)
#define CHECK_POLLS 1024 /* between checks of clock and process */

struct observed {
	uint64_t polls, rises, falls;
	uint64_t last;
	uint64_t lags[LAGS_MAX]; /* now - W just before it rose, ns */
	uint32_t lag_count;
};

static struct observed observed;

/* The first page of the ring in the memory of @pid, or NULL. */
static const struct tm_ring_header *map_header(const char *pid)
{
	char path[128], line[512], range[64];
	void *header = MAP_FAILED;
	FILE *maps;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	while (maps && header == MAP_FAILED && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/memfd:tidemark-ring") || sscanf(line, "%63s", range) != 1)
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%s/map_files/%s", pid, range);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			header = mmap(NULL, TM_RING_HEADER_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (maps)
		(void)fclose(maps);
	return header == MAP_FAILED ? NULL : header;
}

static void poll_once(const struct tm_ring_header *header)
{
	uint64_t w = atomic_load_explicit(&header->watermark, memory_order_acquire);

	observed.polls++;
	if (w == observed.last)
		return;
	observed.falls += w < observed.last;
	if (observed.last && w > observed.last) {
		observed.rises++;
		if (observed.lag_count < LAGS_MAX)
			observed.lags[observed.lag_count++] = tm_clock_ns() - observed.last;
	}
	observed.last = w;
}

static int ascending(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static double lag_ms(uint32_t per_mille)
{
	uint32_t at = (uint32_t)((uint64_t)observed.lag_count * per_mille / 1000);

	if (observed.lag_count == 0)
		return 0;
	return (double)observed.lags[at < observed.lag_count ? at : observed.lag_count - 1] / 1e6;
}

static void print_result(const struct tm_ring_header *header)
{
	qsort(observed.lags, observed.lag_count, sizeof(*observed.lags), ascending);
	(void)printf("polls %" PRIu64 " rises %" PRIu64 " falls %" PRIu64 " tail %" PRIu64
		     " lag_ms p50 %.1f p99 %.1f max %.1f\n",
		     observed.polls, observed.rises, observed.falls,
		     atomic_load_explicit(&header->tail_pos, memory_order_acquire), lag_ms(500),
		     lag_ms(990), lag_ms(1000));
}

int main(int argc, char **argv)
{
	const struct tm_ring_header *header = argc > 1 ? map_header(argv[1]) : NULL;
	uint64_t end_ns = UINT64_MAX;
	char process[64];

	if (!header) {
		(void)fprintf(stderr, "watermark_observer: this process maps no ring\n");
		return 1;
	}
	if (argc > 2)
		end_ns = tm_clock_ns() + strtoull(argv[2], NULL, 0) * 1000000000ull;
	(void)snprintf(process, sizeof(process), "/proc/%s/map_files", argv[1]);
	(void)printf("observing\n");
	(void)fflush(stdout);
	while (tm_clock_ns() < end_ns && access(process, F_OK) == 0) {
		for (int i = 0; i < CHECK_POLLS; i++)
			poll_once(header);
		sched_yield();
	}
	print_result(header);
	return observed.falls > 0 || observed.rises == 0;
}
