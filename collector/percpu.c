/* SPDX-License-Identifier: Apache-2.0 */
/* percpu - perf event, BPF ring and scratch memory of each sampled CPU */

#include "collector/percpu.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "shared/cleanup.h"
#include "shared/ring.h"

#define FDINFO_BYTES  1024
#define NS_PER_SECOND 1000000000ull

uint64_t percpu_ring_bytes(const struct options *options)
{
	uint64_t wanted = (uint64_t)options->hz * PERCPU_SAMPLE_BYTES * PERCPU_RING_SECONDS;

	/* One second of twice a CPU's share: off-CPU may fill half of what samples may. */
	if (options->perf_count)
		wanted +=
			4 * (uint64_t)options->off_cpu * PERCPU_SAMPLE_BYTES / options->perf_count;
	if (!options->ring_kib)
		return tm_ring_bytes_for(wanted, PERCPU_RING_MIN, PERCPU_RING_MAX);
	return tm_ring_bytes_for((uint64_t)options->ring_kib << 10, OPTIONS_RING_KIB_MIN << 10,
				 (uint64_t)OPTIONS_RING_KIB_MAX << 10);
}

uint64_t percpu_map_bytes(int map_fd)
{
	char path[64], text[FDINFO_BYTES];
	unsigned long long bytes = 0;
	_cleanup_(tm_closep) int fd = -1;
	const char *at;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", map_fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "memlock:");
	return at && sscanf(at, "memlock:\t%llu", &bytes) == 1 ? bytes : 0;
}

static int make_scratch(struct percpu *percpu, unsigned index, int *ret_inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	void *levels;

	*ret_inner =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "scratch", sizeof(uint32_t),
			       (uint32_t)percpu->maps.level_bytes, TM_NESTING_LEVELS, &options);
	if (*ret_inner < 0)
		return -errno;
	levels = mmap(NULL, percpu->level_bytes * TM_NESTING_LEVELS, PROT_READ, MAP_SHARED,
		      *ret_inner, 0);
	if (levels == MAP_FAILED)
		return -errno;
	percpu->levels[index] = levels;
	return 0;
}

static int make_ring(struct percpu *percpu, unsigned index, int *ret_inner)
{
	struct epoll_event wakes = {.events = EPOLLIN | EPOLLET};

	*ret_inner = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0,
				    (uint32_t)percpu->ring_bytes, NULL);
	if (*ret_inner < 0)
		return -errno;
	/* edge-triggered: a ring with records is always readable, but only some records send a
	 * wake-up. The mapping keeps the ring's file, and so this entry, after the descriptor is
	 * closed. */
	if (epoll_ctl(percpu->wake, EPOLL_CTL_ADD, *ret_inner, &wakes) < 0)
		return -errno;
	return bpfring_open(&percpu->rings[index], *ret_inner, percpu->ring_bytes);
}

/* Makes an inner map for each CPU from index @from on, and stores them in @outer: at the start all
 * at once where the kernel can (5.13), since each single update waits for a grace period. */
static int fill(struct percpu *percpu, unsigned from, int outer,
		int (*make)(struct percpu *percpu, unsigned index, int *ret_inner))
{
	uint32_t count = percpu->count - from, put = count, made = 0;
	_cleanup_(tm_freep) int *inner = calloc(count, sizeof(*inner));
	_cleanup_(tm_freep) uint32_t *cpus = calloc(count, sizeof(*cpus));
	int r = inner && cpus ? 0 : -ENOMEM;

	for (; r == 0 && made < count; made++) {
		cpus[made] = percpu->events[from + made].cpu;
		r = make(percpu, from + made, &inner[made]);
		if (from == 0) /* later the seccomp filter forbids to open its fdinfo */
			percpu->map_bytes += percpu_map_bytes(inner[made]);
	}
	if (r == 0 && (from > 0 || bpf_map_update_batch(outer, cpus, inner, &put, NULL) < 0))
		for (unsigned i = 0; r == 0 && i < count; i++)
			r = bpf_map_update_elem(outer, &cpus[i], &inner[i], BPF_ANY) < 0 ? -errno
											 : 0;
	while (made > 0)
		(void)tm_close(inner[--made]);
	return r;
}

static void unmap(const void *from, size_t bytes)
{
	if (from)
		(void)munmap((void *)(uintptr_t)from, bytes);
}

static void drop(struct percpu *percpu, unsigned index)
{
	bpfring_close(&percpu->rings[index]);
	unmap(percpu->levels[index], percpu->level_bytes * TM_NESTING_LEVELS);
	percpu->levels[index] = NULL;
	percpu->events[index].fd = tm_close(percpu->events[index].fd);
}

/* The CPUs from @from to @count have an event. */
static int make(struct percpu *percpu, unsigned from)
{
	int r = fill(percpu, from, percpu->maps.rings, make_ring);

	return r < 0 ? r : fill(percpu, from, percpu->maps.scratch, make_scratch);
}

/* Ring and scratch of one more CPU, as large as the others. */
static int add(struct percpu *percpu, unsigned cpu)
{
	unsigned at = percpu->count++;
	int r;

	percpu->events[at] = (struct percpu_event){cpu, -1, 0};
	r = make(percpu, at);
	if (r == 0) {
		percpu->map_bytes += percpu->map_bytes / at;
		return 0;
	}
	drop(percpu, at);
	percpu->count = at;
	return r;
}

int percpu_open(struct percpu *percpu, const struct percpu_maps *maps,
		const struct options *options)
{
	*percpu = (struct percpu){.maps = *maps,
				  .level_bytes = (maps->level_bytes + 7) & ~(size_t)7,
				  .period_ns = NS_PER_SECOND / options->hz,
				  .ring_bytes = percpu_ring_bytes(options)};
	void *slots = mmap(NULL, sizeof(*percpu->slots) * percpu->maps.possible, PROT_READ,
			   MAP_SHARED, maps->slots, 0);

	if (slots == MAP_FAILED)
		return -errno;
	percpu->slots = slots;
	percpu->wake = epoll_create1(EPOLL_CLOEXEC);
	percpu->levels = calloc(percpu->maps.possible, sizeof(*percpu->levels));
	percpu->events = calloc(percpu->maps.possible, sizeof(*percpu->events));
	percpu->rings = calloc(percpu->maps.possible, sizeof(*percpu->rings));
	if (!percpu->levels || !percpu->events || !percpu->rings ||
	    options->perf_count > percpu->maps.possible)
		return -ENOMEM;
	for (unsigned i = 0; i < options->perf_count; i++)
		percpu->events[percpu->count++] =
			(struct percpu_event){options->perf[i].cpu, options->perf[i].fd, 0};
	return make(percpu, 0);
}

void percpu_close(struct percpu *percpu)
{
	while (percpu->count > 0)
		drop(percpu, --percpu->count);
	if (percpu->slots)
		percpu->wake = tm_close(percpu->wake);
	unmap(percpu->slots, sizeof(*percpu->slots) * percpu->maps.possible);
	free(percpu->levels);
	free(percpu->events);
	free(percpu->rings);
	*percpu = (struct percpu){0};
}

bool percpu_clear_wake(const struct percpu *percpu)
{
	struct epoll_event event;
	bool woken = false;

	while (epoll_wait(percpu->wake, &event, 1, 0) > 0)
		woken = true;
	return woken;
}

/* Return: hits that one event owes so far. */
static uint64_t owed(const struct percpu *percpu, struct percpu_event *event)
{
	uint64_t ns;

	if (read(event->fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) &&
	    ns / percpu->period_ns > event->owed)
		event->owed = ns / percpu->period_ns;
	return event->owed;
}

int percpu_add_cpu(struct percpu *percpu, uint64_t cpu, int fd, int program_fd, bool on)
{
	struct percpu_event *event;
	unsigned at = 0;
	int r = cpu < percpu->maps.possible ? 0 : -ERANGE;

	while (at < percpu->count && percpu->events[at].cpu != cpu)
		at++;
	if (r == 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd) < 0)
		r = -errno;
	if (r == 0 && at == percpu->count)
		r = add(percpu, (unsigned)cpu);
	if (r == 0 && on && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		r = -errno;
	if (r < 0)
		return r;
	event = &percpu->events[at];
	percpu->owed_before += owed(percpu, event);
	(void)tm_close(event->fd);
	*event = (struct percpu_event){(unsigned)cpu, fd, 0};
	return 0;
}

int percpu_ioctl(const struct percpu *percpu, unsigned long request, int argument)
{
	int r = 0;

	for (unsigned i = 0; i < percpu->count; i++)
		if (percpu->events[i].fd >= 0 &&
		    ioctl(percpu->events[i].fd, request, argument) < 0 && r == 0)
			r = -errno;
	return r;
}

uint64_t percpu_owed(struct percpu *percpu)
{
	uint64_t sum = percpu->owed_before;

	for (unsigned i = 0; i < percpu->count; i++)
		sum += owed(percpu, &percpu->events[i]);
	return sum;
}

/* N1 (bpf/: taken, then its drop) -> N2: acquire, so that a drop is read before what was taken */
static uint64_t read_once(const uint64_t *counter)
{
	return atomic_load_explicit((const _Atomic uint64_t *)counter, memory_order_acquire);
}

static void add_off_cpu_slot(struct tm_off_cpu_counts *counts, const struct tm_off_cpu_times *slot)
{
	uint64_t nested = read_once(&slot->nested), nested_ns = read_once(&slot->nested_ns);
	uint64_t no_ring = read_once(&slot->no_ring), no_ring_ns = read_once(&slot->no_ring_ns);

	counts->drops[TM_DROP_NESTED] += nested;
	counts->drops_ns[TM_DROP_NESTED] += nested_ns;
	counts->drops[TM_DROP_NO_RING] += no_ring;
	counts->drops_ns[TM_DROP_NO_RING] += no_ring_ns;
	counts->taken += nested + no_ring;
	counts->taken_ns += nested_ns + no_ring_ns;
	counts->times += read_once(&slot->times);
	counts->times_ns += read_once(&slot->ns);
	counts->untracked += read_once(&slot->untracked);
	counts->unseen_ns += read_once(&slot->unseen_ns);
	counts->ends_lost += read_once(&slot->ends_lost);
	counts->wakers_lost += read_once(&slot->wakers_lost);
}

void percpu_add_slot(struct tm_counts *counts, const struct tm_cpu_slot *slot)
{
	uint64_t nested = read_once(&slot->nested);
	uint64_t no_ring = read_once(&slot->no_ring);

	counts->hits += read_once(&slot->hits);
	counts->drops[TM_DROP_NESTED] += nested;
	counts->drops[TM_DROP_NO_RING] += no_ring;
	counts->taken += nested + no_ring;
	counts->announce_lost += read_once(&slot->lost_announces);
	add_off_cpu_slot(&counts->off_cpu, &slot->off_cpu);
}

void percpu_add_level(struct tm_counts *counts, const struct tm_level_counts *level)
{
	counts->drops[TM_DROP_RING_FULL] += read_once(&level->ring_full);
	counts->taken += read_once(&level->taken);
	counts->off_cpu.drops[TM_DROP_RING_FULL] += read_once(&level->off_cpu_full);
	counts->off_cpu.drops_ns[TM_DROP_RING_FULL] += read_once(&level->off_cpu_full_ns);
	counts->off_cpu.taken += read_once(&level->off_cpu);
	counts->off_cpu.taken_ns += read_once(&level->off_cpu_ns);
	counts->exiting += read_once(&level->exiting);
	counts->announce_lost += read_once(&level->announce_lost);
	counts->processes_full += read_once(&level->processes_full);
	counts->files_full += read_once(&level->files_full);
	counts->lookups += read_once(&level->lookups);
	counts->lookup_cached += read_once(&level->lookup_cached);
	counts->lookup_retries += read_once(&level->lookup_retries);
	counts->steps_by_table += read_once(&level->steps_by_table);
	counts->steps_by_frame_pointer += read_once(&level->steps_by_frame_pointer);
}

int64_t percpu_in_flight(const struct tm_counts *counts)
{
	uint64_t known = counts->pushed + counts->off_cpu.pushed;

	for (unsigned i = 0; i < TM_DROP_N; i++)
		known += counts->drops[i] + counts->off_cpu.drops[i];
	return (int64_t)(counts->taken + counts->off_cpu.taken - known);
}

void percpu_count(const struct percpu *percpu, struct tm_counts *counts)
{
	for (unsigned i = 0; i < percpu->count; i++)
		for (unsigned level = 0; level < TM_NESTING_LEVELS; level++)
			percpu_add_level(counts, (const void *)(percpu->levels[i] +
								level * percpu->level_bytes));
	for (unsigned cpu = 0; cpu < percpu->maps.possible; cpu++)
		percpu_add_slot(counts, &percpu->slots[cpu]);
}
