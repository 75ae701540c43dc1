/* SPDX-License-Identifier: Apache-2.0 */
/* runs - in whose time the timers of tidemark's perf events went off, counted from outside */

#include "tests/integration/programs/runs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runs.skel.h"

struct runs {
	struct runs_bpf *skeleton;
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
	FILE *told;

	(void)snprintf(path, sizeof(path), "%s/%s", directory, descriptor);
	told = fopen(path, "re");
	while (told && fgets(line, sizeof(line), told))
		if (sscanf(line, "prog_id: %u", &id) == 1)
			break;
	if (told)
		(void)fclose(told);
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

static int attach(struct runs *runs, const char *collector)
{
	__u32 sampler = find_sampler(collector, &runs->sampler);
	__u64 function = kernel_symbol("perf_swevent_hrtimer");
	int r;

	if (!runs->skeleton || !sampler)
		return -ENOENT;
	runs->statistics = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (runs->statistics < 0)
		return -errno;
	runs->skeleton->rodata->sampler = sampler;
	runs->skeleton->rodata->timer_function = function;
	r = runs_bpf__load(runs->skeleton);
	return r ? r : runs_bpf__attach(runs->skeleton);
}

struct runs *runs_open(const char *collector)
{
	struct runs *runs = calloc(1, sizeof(*runs));
	int r;

	if (!runs)
		return NULL;
	runs->statistics = runs->sampler = -1;
	runs->skeleton = runs_bpf__open();
	r = attach(runs, collector);
	if (r != 0) {
		runs_close(runs);
		errno = -r;
		return NULL;
	}
	runs->run_before = run_count(runs->sampler);
	runs->fired_before = __atomic_load_n(&runs->skeleton->bss->fired, __ATOMIC_RELAXED);
	return runs;
}

int runs_write(struct runs *runs, FILE *out)
{
	int map = bpf_map__fd(runs->skeleton->maps.runs);
	__u64 run = run_count(runs->sampler) - runs->run_before, count;
	__u64 fired = runs->skeleton->bss->fired - runs->fired_before;
	struct runs_key key, *previous = NULL;

	if (fprintf(out, "skipped %llu\n", fired > run ? fired - run : 0) < 0)
		return -EIO;
	while (bpf_map_get_next_key(map, previous, &key) == 0) {
		if (bpf_map_lookup_elem(map, &key, &count) == 0 &&
		    fprintf(out, "%u %llu %llu\n", key.tgid, key.start_boottime, count) < 0)
			return -EIO;
		previous = &key;
	}
	return runs->skeleton->bss->runs_full ? -ENOSPC : 0;
}

void runs_close(struct runs *runs)
{
	runs_bpf__destroy(runs->skeleton);
	if (runs->sampler >= 0)
		(void)close(runs->sampler);
	if (runs->statistics >= 0)
		(void)close(runs->statistics);
	free(runs);
}
