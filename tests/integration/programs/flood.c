/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flood - fills the rings of a running collector at full speed until the collector stops
 *
 * usage: flood COLLECTOR RECORDS. The maps are the collector's own, opened as root by their ids. It
 * prints a line once RECORDS are written, and goes on until the collector has detached its own
 * programs, as it does on STOP.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shared/bpf_state.h"
#include "shared/clock.h"
#include "tests/integration/programs/cpus.h"
#include <flood.skel.h>

#define RENAMES        4096 /* between attempts to pin a thread to a CPU that may be offline */
#define POLL_NS        1000000
#define UNBACKED_STEPS 1000000
#define UNBACKED_BYTES 65536

static struct flood_bpf *skeleton;
static atomic_bool ended;

/* The number after @key in a file of /proc/PID/fdinfo; 0: there is none. */
static uint32_t fdinfo_number(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	unsigned found = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			found = (unsigned)strtoul(line + strlen(key), NULL, 10);
	if (file)
		(void)fclose(file);
	return found;
}

/*
 * Calls @each with the number after @key of each of @pid's descriptors until it returns 0 or more.
 */
static int search(const char *pid, const char *key, int (*each)(uint32_t id, const void *context),
		  const void *context)
{
	char folder[64], path[PATH_MAX];
	struct dirent *entry;
	int found = -1;
	DIR *dir;

	(void)snprintf(folder, sizeof(folder), "/proc/%s/fdinfo", pid);
	dir = opendir(folder);
	while (found < 0 && dir && (entry = readdir(dir))) {
		uint32_t id;

		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		id = fdinfo_number(path, key);
		if (id)
			found = each(id, context);
	}
	if (dir)
		(void)closedir(dir);
	return found;
}

/* Return: a descriptor of map @id if it has name and type of the map in @context, -1. */
static int same_map(uint32_t id, const void *context)
{
	const struct bpf_map *map = context;
	struct bpf_map_info info = {0};
	uint32_t bytes = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id);

	if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0 &&
	    info.type == bpf_map__type(map) && strcmp(info.name, bpf_map__name(map)) == 0)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

static int any_link(uint32_t id, const void *context)
{
	return (int)id;
}

/* The maps of bpf/maps.h that the programs use are the collector's; the others are not created. */
static int reuse_map(const char *pid, struct bpf_map *map)
{
	int fd;

	if (map != skeleton->maps.cpu_slots && map != skeleton->maps.rings &&
	    map != skeleton->maps.scratch)
		return bpf_map__is_internal(map) ? 0 : bpf_map__set_autocreate(map, false);
	fd = search(pid, "map_id:", same_map, map);
	return fd < 0 ? -ENOENT : bpf_map__reuse_fd(map, fd);
}

static int begin(const char *pid)
{
	void *unbacked = mmap(NULL, UNBACKED_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct stat namespace;
	struct bpf_map *map;
	int r = 0;

	if (unbacked == MAP_FAILED || stat("/proc/self/ns/pid", &namespace) < 0)
		return -errno;
	skeleton = flood_bpf__open();
	if (!skeleton)
		return -errno;
	bpf_object__for_each_map(map, skeleton->obj) if (r == 0) r = reuse_map(pid, map);
	if (r == 0)
		r = flood_bpf__load(skeleton);
	if (r == 0) {
		skeleton->bss->flooder = (uint32_t)getpid();
		skeleton->bss->namespace_dev = namespace.st_dev;
		skeleton->bss->namespace_ino = namespace.st_ino;
		skeleton->bss->unbacked = (uint64_t)unbacked + UNBACKED_BYTES / 2;
		r = flood_bpf__attach(skeleton);
	}
	return r;
}

/* Runs with a frame pointer to unbacked memory, so that the walk of a sample faults there. */
static void run_unbacked(void)
{
	uint64_t steps = UNBACKED_STEPS;

	__asm__ volatile(
		"mov %%rbp, %%r12\n\tmov %1, %%rbp\n1:\tdec %0\n\tjnz 1b\n\tmov %%r12, %%rbp"
		: "+r"(steps)
		: "r"(skeleton->bss->unbacked)
		: "r12", "cc");
}

static void *keep_renaming(void *argument)
{
	size_t cpu = *(const size_t *)argument;

	while (!atomic_load(&ended)) {
		(void)cpus_pin(cpu); /* fails while the CPU is offline */
		for (int i = 0; i < RENAMES; i++)
			(void)prctl(PR_SET_NAME, "flood", 0, 0, 0);
		run_unbacked();
	}
	return NULL;
}

static double seconds(void)
{
	return (double)tm_clock_ns() / 1e9;
}

/* Polls once a millisecond until the collector's @link is gone. */
static void wait_for_stop(uint32_t link, uint64_t records, double from)
{
	const _Atomic uint64_t *written = (const void *)&skeleton->bss->written;
	const struct timespec poll = {.tv_nsec = POLL_NS};
	bool reached = false;
	int fd;

	while ((fd = bpf_link_get_fd_by_id(link)) >= 0) {
		(void)close(fd);
		if (!reached && atomic_load(written) >= records) {
			reached = true;
			(void)printf("reached %" PRIu64 " records after %.1f s\n", records,
				     seconds() - from);
			(void)fflush(stdout);
		}
		(void)nanosleep(&poll, NULL);
	}
	atomic_store(&ended, true);
}

/* Called when no record is being written. Return: how many marks are not 0. */
static unsigned count_unsettled(void)
{
	int map = bpf_map__fd(skeleton->maps.cpu_slots), cpus = libbpf_num_possible_cpus();
	unsigned found = 0;

	for (uint32_t cpu = 0; (int)cpu < cpus; cpu++) {
		struct tm_cpu_slot slot;

		if (bpf_map_lookup_elem(map, &cpu, &slot) < 0)
			return UINT_MAX;
		for (unsigned level = 0; level < TM_LEVELS_N; level++)
			found += slot.level[level].ktime != 0;
	}
	return found;
}

int main(int argc, char **argv)
{
	static size_t cpus[CPUS_MOST];
	static pthread_t threads[CPUS_MOST];
	const size_t count = cpus_usable(cpus);
	double from = seconds();
	unsigned left;
	int link, r;

	if (argc != 3)
		return 2;
	link = search(argv[1], "link_id:", any_link, NULL);
	r = link < 0 ? -ENOENT : begin(argv[1]);
	if (r < 0) {
		(void)fprintf(stderr, "flood: %s\n", strerror(-r));
		return 1;
	}
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, keep_renaming, &cpus[i]) != 0)
			return 1;
	wait_for_stop((uint32_t)link, strtoull(argv[2], NULL, 0), from);
	for (size_t i = 0; i < count; i++)
		(void)pthread_join(threads[i], NULL);
	(void)printf("written %" PRIu64 " nested %" PRIu64 " discarded %" PRIu64 " seconds %.1f\n",
		     (uint64_t)skeleton->bss->written, (uint64_t)skeleton->bss->nested,
		     (uint64_t)skeleton->bss->discarded, seconds() - from);
	left = count_unsettled();
	(void)printf("marks left: %u\n", left);
	flood_bpf__destroy(skeleton);
	return left > 0;
}
