/* SPDX-License-Identifier: Apache-2.0 */
/* timer_hits - in whose time the timers of tidemark's perf events went off, counted from outside */

#include "tests/integration/programs/timer_hits.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "timer_hits.skel.h"

struct timer_hits {
	struct timer_hits_bpf *skeleton;
	int statistics; /* keeps the kernel counting runs */
	int sampler;
	__u64 run_before;
	__u64 fired_before;
};

/* Return: descriptor, -1. */
static int open_sampler(__u32 id)
{
	struct bpf_prog_info info = {0};
	__u32 bytes = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd < 0)
		return -1;
	if (bpf_obj_get_info_by_fd(fd, &info, &bytes) == 0 &&
	    (strcmp(info.name, "sample_loop") == 0 || strcmp(info.name, "sample_bounded") == 0))
		return fd;
	(void)close(fd);
	return -1;
}

static __u64 run_count(int sampler)
{
	struct bpf_prog_info info = {0};
	__u32 bytes = sizeof(info);

	return bpf_obj_get_info_by_fd(sampler, &info, &bytes) == 0 ? info.run_cnt : 0;
}

/* The program that one of the collector's descriptors is about. Return: id, 0 (none). */
static __u32 program_of(const char *directory, const char *descriptor)
{
	char path[512], line[128];
	__u32 id = 0;
	FILE *info;

	(void)snprintf(path, sizeof(path), "%s/%s", directory, descriptor);
	info = fopen(path, "re");
	while (info && fgets(line, sizeof(line), info))
		if (sscanf(line, "prog_id: %u", &id) == 1)
			break;
	if (info)
		(void)fclose(info);
	return id;
}

/* Return: id, 0 (none). */
static __u32 find_sampler(const char *collector, int *ret_fd)
{
	char directory[64];
	struct dirent *entry;
	__u32 id = 0;
	DIR *all;

	*ret_fd = -1;
	(void)snprintf(directory, sizeof(directory), "/proc/%s/fdinfo", collector);
	all = opendir(directory);
	while (all && *ret_fd < 0 && (entry = readdir(all))) {
		id = program_of(directory, entry->d_name);
		if (id)
			*ret_fd = open_sampler(id);
	}
	if (all)
		(void)closedir(all);
	return *ret_fd < 0 ? 0 : id;
}

/* Return: 0 when there is none. */
static __u64 kernel_symbol(const char *wanted)
{
	unsigned long long address, found = 0;
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512], name[256];

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 &&
		    strcmp(name, wanted) == 0)
			found = address;
	if (symbols)
		(void)fclose(symbols);
	return found;
}

static int attach(struct timer_hits *timers, const char *collector, __u32 process)
{
	__u32 sampler = find_sampler(collector, &timers->sampler);
	__u64 function = kernel_symbol("perf_swevent_hrtimer");
	struct stat namespace;
	int r;

	if (!timers->skeleton || !sampler)
		return -ENOENT;
	timers->statistics = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (timers->statistics < 0)
		return -errno;
	if (stat("/proc/self/ns/pid", &namespace) < 0)
		return -errno;
	timers->skeleton->rodata->only = process;
	timers->skeleton->rodata->namespace_dev = namespace.st_dev;
	timers->skeleton->rodata->namespace_ino = namespace.st_ino;
	timers->skeleton->rodata->sampler = sampler;
	timers->skeleton->rodata->timer_function = function;
	r = timer_hits_bpf__load(timers->skeleton);
	return r ? r : timer_hits_bpf__attach(timers->skeleton);
}

struct timer_hits *timer_hits_open(const char *collector, __u32 process)
{
	struct timer_hits *timers = calloc(1, sizeof(*timers));
	int r;

	if (!timers)
		return NULL;
	timers->statistics = timers->sampler = -1;
	timers->skeleton = timer_hits_bpf__open();
	r = attach(timers, collector, process);
	if (r != 0) {
		timer_hits_close(timers);
		errno = -r;
		return NULL;
	}
	timers->run_before = run_count(timers->sampler);
	timers->fired_before = __atomic_load_n(&timers->skeleton->bss->fired, __ATOMIC_RELAXED);
	return timers;
}

/*
 * The run count is read first: what goes off meanwhile is taken for skipped, until the next
 * look.
 */
static __u64 skipped(const struct timer_hits *timers)
{
	__u64 run = run_count(timers->sampler) - timers->run_before;
	__u64 fired = __atomic_load_n(&timers->skeleton->bss->fired, __ATOMIC_RELAXED) -
		      timers->fired_before;

	return fired > run ? fired - run : 0;
}

void timer_hits_now(const struct timer_hits *timers, __u64 *ret_hits, __u64 *ret_skipped)
{
	*ret_hits = __atomic_load_n(&timers->skeleton->bss->chosen, __ATOMIC_RELAXED);
	*ret_skipped = skipped(timers);
}

int timer_hits_write(struct timer_hits *timers, FILE *out)
{
	int map = bpf_map__fd(timers->skeleton->maps.hits);
	struct timer_hits_process process;
	struct timer_hits_key key, *previous = NULL;

	if (fprintf(out, "skipped %llu\n", skipped(timers)) < 0)
		return -EIO;
	while (bpf_map_get_next_key(map, previous, &key) == 0) {
		if (bpf_map_lookup_elem(map, &key, &process) == 0 &&
		    fprintf(out, "%u %llu %llu %u\n", key.tgid, key.start_boottime, process.fired,
			    process.own_tgid) < 0)
			return -EIO;
		previous = &key;
	}
	return timers->skeleton->bss->processes_full ? -ENOSPC : 0;
}

void timer_hits_close(struct timer_hits *timers)
{
	timer_hits_bpf__destroy(timers->skeleton);
	if (timers->sampler >= 0)
		(void)close(timers->sampler);
	if (timers->statistics >= 0)
		(void)close(timers->statistics);
	free(timers);
}
