/* SPDX-License-Identifier: Apache-2.0 */
/* percpu - perf event, BPF ring and scratch memory of each sampled CPU */

#include "collector/percpu.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "shared/cleanup.h"
#include "shared/ring.h"

#define TEXT_BYTES 1024

uint64_t percpu_ring_bytes(const struct options *options)
{
	uint64_t wanted = (uint64_t)options->hz * PERCPU_SAMPLE_BYTES * PERCPU_RING_SECONDS;
	uint64_t count = options->perf_count ? options->perf_count : 1;
	uint64_t least = OPTIONS_RING_KIB_MIN << 10, bytes;

	if (options->ring_kib)
		return tm_ring_bytes_for((uint64_t)options->ring_kib << 10, least,
					 (uint64_t)OPTIONS_RING_KIB_MAX << 10);
	/* One second of twice a CPU's share: off-CPU may fill half of what samples may. */
	wanted += 4 * (uint64_t)options->off_cpu * PERCPU_SAMPLE_BYTES / count;
	bytes = tm_ring_bytes_for(wanted, PERCPU_RING_MIN, PERCPU_RING_MAX);
	while (bytes * count > PERCPU_RINGS_BYTES && bytes > least)
		bytes /= 2;
	return bytes;
}

uint64_t percpu_read_number(const char *path, const char *key)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[TEXT_BYTES];
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	const char *at;

	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

uint64_t percpu_map_bytes(int map_fd)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", map_fd);
	return percpu_read_number(path, "memlock:");
}

int percpu_make_levels(const struct percpu_maps *maps, unsigned node)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE | BPF_F_NUMA_NODE,
		    .numa_node = node);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "scratch", sizeof(uint32_t),
			      (uint32_t)maps->level_bytes, maps->levels, &options);
}

int percpu_make_ring(uint32_t bytes, unsigned node)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_NUMA_NODE, .numa_node = node);

	return bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, bytes, &options);
}

/* The inner map that the last collector left, else a new one. Return: its descriptor, -errno. */
static int take_or_make(const struct percpu *percpu, enum kept_kind kind, unsigned index)
{
	const struct percpu_event *event = &percpu->events[index];
	int inner = kept_take(percpu->kept, kind, event->cpu);

	if (inner >= 0)
		return inner;
	inner = kind == KEPT_RING ? percpu_make_ring((uint32_t)percpu->ring_bytes, event->node)
				  : percpu_make_levels(&percpu->maps, event->node);
	if (inner < 0)
		return -errno;
	kept_keep(percpu->kept, kind, event->cpu, inner);
	return inner;
}

static int map_scratch(struct percpu *percpu, unsigned index, int inner)
{
	struct bpfring *rings = &percpu->rings[percpu_rings(percpu, index)];
	void *levels = mmap(NULL, percpu->level_bytes * percpu->maps.levels, PROT_READ | PROT_WRITE,
			    MAP_SHARED, inner, 0);

	if (levels == MAP_FAILED)
		return -errno;
	percpu->levels[index] = levels;
	for (unsigned i = 0; i < percpu->maps.levels; i++) {
		uint8_t *level = percpu->levels[index] + i * percpu->level_bytes;
		struct tm_level_samples *samples =
			&((struct tm_level_head *)(void *)level)->samples;

		bpfring_init(&rings[1 + i], &samples->read, &samples->written,
			     level + percpu->level_bytes - TM_SAMPLES_WHOLE, TM_SAMPLES_BYTES);
		rings[1 + i].drained = samples->drained;
	}
	return 0;
}

static int map_ring(struct percpu *percpu, unsigned index, int inner)
{
	struct bpfring *ring = &percpu->rings[percpu_rings(percpu, index)];
	struct epoll_event wakes = {.events = EPOLLIN | EPOLLET};
	struct bpf_map_info info;
	uint32_t bytes = sizeof(info);
	int r;

	if (bpf_obj_get_info_by_fd(inner, &info, &bytes) < 0)
		return -errno;
	/* edge-triggered: a ring with records is always readable, but only some records send a
	 * wake-up. The mapping keeps the ring's file, and so this entry, after the descriptor is
	 * closed. */
	if (epoll_ctl(percpu->wake, EPOLL_CTL_ADD, inner, &wakes) < 0)
		return -errno;
	r = bpfring_open(ring, inner, info.max_entries);
	ring->drained = percpu->events[index].slot->drained;
	return r;
}

/* Takes or makes an inner map for each CPU from index @from on, and stores them in @outer: at the
 * start all at once where the kernel can (5.13), since each single update waits for a grace
 * period. */
static int fill(struct percpu *percpu, unsigned from, int outer, enum kept_kind kind,
		int (*map)(struct percpu *percpu, unsigned index, int inner))
{
	uint32_t count = percpu->count - from, put = count, made = 0;
	_cleanup_(tm_freep) int *inner = calloc(count, sizeof(*inner));
	_cleanup_(tm_freep) uint32_t *cpus = calloc(count, sizeof(*cpus));
	int r = inner && cpus ? 0 : -ENOMEM;

	for (; r == 0 && made < count; made++) {
		cpus[made] = percpu->events[from + made].cpu;
		inner[made] = take_or_make(percpu, kind, from + made);
		r = inner[made] < 0 ? inner[made] : map(percpu, from + made, inner[made]);
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
	bpfring_close(&percpu->rings[percpu_rings(percpu, index)]);
	unmap(percpu->levels[index], percpu->level_bytes * percpu->maps.levels);
	percpu->levels[index] = NULL;
	percpu->events[index].fd = tm_close(percpu->events[index].fd);
}

/* The CPUs from @from to @count have an event. */
static int make(struct percpu *percpu, unsigned from)
{
	int r = fill(percpu, from, percpu->maps.rings, KEPT_RING, map_ring);

	return r < 0 ? r : fill(percpu, from, percpu->maps.scratch, KEPT_SCRATCH, map_scratch);
}

/* As the command opened it. */
static struct percpu_event event_of(const struct percpu *percpu, unsigned cpu, int fd,
				    unsigned node)
{
	return (struct percpu_event){.cpu = cpu,
				     .fd = fd,
				     .node = node,
				     .slot = percpu->slots + cpu,
				     .first_ns = percpu->period_ns,
				     .period_ns = percpu->period_ns};
}

/* Ring and scratch of one more CPU, as large as the others. */
static int add(struct percpu *percpu, unsigned cpu)
{
	unsigned at = percpu->count++;
	int r;

	percpu->events[at] = event_of(percpu, cpu, -1, OPTIONS_NODE_NONE);
	r = make(percpu, at);
	if (r == 0) {
		percpu->map_bytes += percpu->map_bytes / at;
		return 0;
	}
	drop(percpu, at);
	percpu->count = at;
	return r;
}

int percpu_open(struct percpu *percpu, const struct percpu_maps *maps, struct options *options)
{
	*percpu = (struct percpu){.maps = *maps,
				  .kept = &options->kept,
				  .level_bytes = (maps->level_bytes + 7) & ~(size_t)7,
				  .period_ns = TM_NS_PER_SECOND / options->hz,
				  .ring_bytes = percpu_ring_bytes(options)};
	void *slots = mmap(NULL, sizeof(*percpu->slots) * percpu->maps.possible,
			   PROT_READ | PROT_WRITE, MAP_SHARED, maps->slots, 0);

	if (slots == MAP_FAILED)
		return -errno;
	percpu->slots = slots;
	percpu->wake = epoll_create1(EPOLL_CLOEXEC);
	percpu->levels = calloc(percpu->maps.possible, sizeof(*percpu->levels));
	percpu->events = calloc(percpu->maps.possible, sizeof(*percpu->events));
	percpu->rings = calloc(percpu_rings(percpu, percpu->maps.possible), sizeof(*percpu->rings));
	if (!percpu->levels || !percpu->events || !percpu->rings ||
	    options->perf_count > percpu->maps.possible)
		return -ENOMEM;
	for (unsigned i = 0; i < options->perf_count; i++)
		percpu->events[percpu->count++] = event_of(
			percpu, options->perf[i].cpu, options->perf[i].fd, options->perf[i].node);
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

int percpu_add_cpu(struct percpu *percpu, uint64_t cpu, int fd, int program_fd, bool on)
{
	struct percpu_event *event, added;
	unsigned at = 0;
	int r = cpu < percpu->maps.possible ? 0 : -ERANGE;

	while (at < percpu->count && percpu->events[at].cpu != cpu)
		at++;
	if (r == 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd) < 0)
		r = -errno;
	if (r == 0 && at == percpu->count)
		r = add(percpu, (unsigned)cpu);
	if (r == 0) {
		added = event_of(percpu, (unsigned)cpu, fd, OPTIONS_NODE_NONE);
		r = percpu_event_set_shift(&added, percpu->shift, /* on= */ false);
	}
	if (r == 0 && on && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		r = -errno;
	if (r < 0)
		return r;
	kept_drop(percpu->kept, KEPT_EVENT, cpu);
	kept_keep(percpu->kept, KEPT_EVENT, cpu, fd);
	event = &percpu->events[at];
	percpu->owed_before += percpu_event_owed(event);
	(void)tm_close(event->fd);
	*event = added;
	return 0;
}

int percpu_set_shift(struct percpu *percpu, unsigned shift, bool on)
{
	int r = 0;

	percpu->shift = shift;
	for (unsigned i = 0; i < percpu->count; i++) {
		int one = percpu->events[i].fd < 0
				  ? 0
				  : percpu_event_set_shift(&percpu->events[i], shift, on);

		r = r < 0 ? r : one;
	}
	return r;
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
		sum += percpu_event_owed(&percpu->events[i]);
	return sum;
}

void percpu_note_drained(const struct percpu *percpu, unsigned place)
{
	for (unsigned i = 0; i < percpu_rings(percpu, percpu->count); i++)
		percpu->rings[i].drained[place] = percpu->rings[i].head_pos;
}

void percpu_set_drained(const struct percpu *percpu, unsigned place)
{
	for (unsigned i = 0; i < percpu_rings(percpu, percpu->count); i++) {
		struct bpfring *ring = &percpu->rings[i];
		uint64_t pos = ring->drained[place];

		if (pos - ring->head_pos <= bpfring_position(ring) - ring->head_pos)
			ring->head_pos = pos;
	}
}

void percpu_keep_events(const struct percpu *percpu)
{
	for (unsigned i = 0; i < percpu->count; i++)
		kept_keep(percpu->kept, KEPT_EVENT, percpu->events[i].cpu, percpu->events[i].fd);
}

void percpu_adopt_events(struct percpu *percpu, uint64_t owed)
{
	percpu->owed_before = owed;
	for (unsigned i = 0; i < percpu->count; i++) {
		struct percpu_event *event = &percpu->events[i];

		percpu_event_adopt(event);
		while (event->first_ns << percpu->shift < event->period_ns)
			percpu->shift++;
	}
}
