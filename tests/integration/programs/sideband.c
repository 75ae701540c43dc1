/* SPDX-License-Identifier: Apache-2.0 */
/* sideband - what the kernel's own perf events tell of births, execs, mappings and deaths */

#include "tests/integration/programs/sideband.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BLIND_NS    20000000ull /* more than two readings are apart, unless one CPU stood still */
#define BLIND_TRIES 20
#define CPUS_MAX    4096       /* numbers that are tried: they need not be contiguous */
#define RING_BYTES  (8u << 20) /* for each CPU; what does not fit is reported as PERF_RECORD_LOST */
#define RING_LEAST  (128u << 10)

struct sideband_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t bytes; /* of data, behind the page */
};

struct sideband {
	long count;
	size_t page_bytes;
	struct sideband_ring rings[];
};

/* Return: 1, 0 (no such CPU now), -errno. */
static int open_ring(struct sideband_ring *ring, int cpu, size_t page_bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	void *at = MAP_FAILED;

	ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno == ENODEV ? 0 : -errno;
	/* Without CAP_IPC_LOCK, as in a container, memory for all the rings is limited. */
	for (ring->bytes = RING_BYTES; ring->bytes >= RING_LEAST && at == MAP_FAILED;
	     ring->bytes /= 2)
		at = mmap(NULL, page_bytes + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	ring->bytes *= 2;
	ring->page = at;
	return 1;
}

static int drain_ring(struct sideband_ring *ring, size_t page_bytes, FILE *out)
{
	const uint8_t *data = (const uint8_t *)ring->page + page_bytes;
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		uint64_t at = tail % ring->bytes, bytes = head - tail;

		if (bytes > ring->bytes - at)
			bytes = ring->bytes - at;
		if (fwrite(data + at, 1, bytes, out) != bytes)
			return -EIO;
		tail += bytes;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
	return 0;
}

/* By how much longer one CPU's event has been at work than another's. */
static uint64_t time_apart(const struct sideband *sideband)
{
	struct {
		uint64_t value;
		uint64_t enabled;
	} reported;
	uint64_t least = UINT64_MAX, most = 0;

	for (long i = 0; i < sideband->count; i++) {
		if (read(sideband->rings[i].fd, &reported, sizeof(reported)) != sizeof(reported))
			return UINT64_MAX;
		least = reported.enabled < least ? reported.enabled : least;
		most = reported.enabled > most ? reported.enabled : most;
	}
	return most - least;
}

struct sideband *sideband_open(void)
{
	const long cpus = CPUS_MAX;
	struct sideband *sideband;

	sideband = calloc(1, sizeof(*sideband) + (size_t)cpus * sizeof(sideband->rings[0]));
	if (!sideband)
		return NULL;
	sideband->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct sideband_ring *ring = &sideband->rings[sideband->count];
		int r = open_ring(ring, cpu, sideband->page_bytes);

		if (r == -EINVAL && sideband->count > 0)
			break; /* beyond the last number that this kernel can have */
		if (r < 0) {
			sideband_close(sideband);
			errno = -r;
			return NULL;
		}
		sideband->count += r;
	}
	return sideband;
}

int sideband_drain(struct sideband *sideband, FILE *out)
{
	int r = 0;

	for (long i = 0; i < sideband->count && r == 0; i++)
		r = drain_ring(&sideband->rings[i], sideband->page_bytes, out);
	return r;
}

int sideband_blind(const struct sideband *sideband)
{
	uint64_t apart = UINT64_MAX;

	/* We ourselves may be kept from the second reading for a while. */
	for (int tries = 0; tries < BLIND_TRIES && apart > BLIND_NS; tries++)
		apart = time_apart(sideband);
	return apart > BLIND_NS;
}

/* The rings go with the process. */
void sideband_close(struct sideband *sideband)
{
	for (long i = 0; i < sideband->count; i++)
		(void)close(sideband->rings[i].fd);
	free(sideband);
}
