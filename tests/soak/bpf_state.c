/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf_state - prints what the BPF side of a running collector holds: entries, variables, counters
 *
 * bpf_state PID counts             how many entries each of its hash maps has
 * bpf_state PID stale              its announced generations, and how many have no process any more
 * bpf_state PID levels             sums of struct tm_level_counts over CPUs and nesting levels
 * bpf_state PID ids                its maps (those inside others too) and programs: "map 12"
 * bpf_state PID programs           runs and run time of its programs (if statistics are enabled)
 * bpf_state PID get VARIABLE       a variable of 4 or 8 bytes in .bss
 * bpf_state PID set VARIABLE VALUE
 *
 * PID is the collector's, in the initial PID namespace. The maps are opened by the ids in
 * /proc/PID/fdinfo, which needs CAP_SYS_ADMIN.
 */

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/bpf_state.h"
#include "shared/cleanup.h"
#include "tests/soak/bpf_objects.h"

#define TICK_NS 10000000u /* of the times in /proc/PID/stat */

/* A walk that meets a deletion begins again, so its length has a limit. */
static uint64_t count_entries(int map, uint32_t key_bytes, uint64_t most)
{
	uint8_t key[64], next[64];
	uint64_t count = 0;
	bool first = true;

	while (key_bytes <= sizeof(key) && count < most &&
	       bpf_map_get_next_key(map, first ? NULL : key, next) == 0) {
		memcpy(key, next, key_bytes);
		first = false;
		count++;
	}
	return count;
}

static int print_counts(const struct bpf_objects *objects)
{
	static const char *const names[] = {"processes", "files", "selected", "exits"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct bpf_map_info info;
		_cleanup_(tm_closep) int map = bpf_objects_map(objects, names[i], &info);

		if (map < 0)
			return map;
		printf("%s %" PRIu64 "\n", names[i],
		       count_entries(map, info.key_size, info.max_entries));
	}
	return 0;
}

/* Is this process, with this start time, in /proc? (A zombie is.) */
static bool exists(const struct tm_process_key *key)
{
	unsigned long long start = 0;
	char path[64], line[1024];
	const char *at = NULL;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", key->tgid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fgets(line, sizeof(line), file))
		at = strrchr(line, ')');
	(void)fclose(file);
	/* the start time is field 22; field 3 follows the name */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%llu", &start) == 1 && start == key->start_boottime / TICK_NS;
}

static int print_stale(const struct bpf_objects *objects)
{
	struct bpf_map_info info;
	_cleanup_(tm_closep) int map = bpf_objects_map(objects, "processes", &info);
	uint64_t count = 0, stale = 0, exited = 0;
	struct tm_process_key key, *from = NULL, next;
	struct tm_process_state state;

	if (map < 0)
		return map;
	while (bpf_map_get_next_key(map, from, &next) == 0) {
		key = next;
		from = &key;
		if (bpf_map_lookup_elem(map, &key, &state) < 0)
			continue;
		count++;
		exited += state.exited ? 1 : 0;
		stale += exists(&key) ? 0 : 1;
	}
	printf("processes %" PRIu64 "\nexited %" PRIu64 "\nstale %" PRIu64 "\n", count, exited,
	       stale);
	return 0;
}

static void add_level(struct tm_level_counts *sum, const void *value)
{
	const uint64_t *from = value;
	uint64_t *to = (uint64_t *)sum;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

/* Adds the levels of one CPU, whose scratch has this id. */
static int add_levels(uint32_t id, struct tm_level_counts *sum)
{
	_cleanup_(tm_closep) int map = bpf_map_get_fd_by_id(id);
	_cleanup_(tm_freep) void *value = NULL;
	struct bpf_map_info info = {0};
	uint32_t bytes = sizeof(info);

	if (map < 0 || bpf_obj_get_info_by_fd(map, &info, &bytes) < 0)
		return -errno;
	value = calloc(1, info.value_size);
	if (!value || info.value_size < sizeof(*sum))
		return -ENOMEM;
	for (uint32_t level = 0; level < info.max_entries; level++) {
		if (bpf_map_lookup_elem(map, &level, value) < 0)
			return -errno;
		add_level(sum, value);
	}
	return 0;
}

static int print_levels(const struct bpf_objects *objects)
{
	struct tm_level_counts sum = {0};
	struct bpf_map_info info;
	_cleanup_(tm_closep) int outer = bpf_objects_map(objects, "scratch", &info);
	int r = outer < 0 ? outer : 0;

	for (uint32_t cpu = 0; r == 0 && cpu < info.max_entries; cpu++) {
		uint32_t id;

		if (bpf_map_lookup_elem(outer, &cpu, &id) == 0)
			r = add_levels(id, &sum);
	}
	printf("taken %" PRIu64 "\nring_full %" PRIu64 "\nannounce_lost %" PRIu64
	       "\nprocesses_full %" PRIu64 "\nfiles_full %" PRIu64 "\nfiles_limited %" PRIu64
	       "\nlookups %" PRIu64 "\nlookup_cached %" PRIu64 "\nlookup_retries %" PRIu64
	       "\nsteps_by_table %" PRIu64 "\nsteps_by_frame_pointer %" PRIu64 "\n",
	       sum.taken, sum.ring_full, sum.bpf.announce_lost, sum.bpf.processes_full,
	       sum.bpf.files_full, sum.bpf.files_limited, sum.bpf.lookups, sum.bpf.lookup_cached,
	       sum.bpf.lookup_retries, sum.bpf.steps_by_table, sum.bpf.steps_by_frame_pointer);
	return r;
}

/* No descriptor refers to the maps inside an array of maps. */
static void print_inner(uint32_t id)
{
	_cleanup_(tm_closep) int map = bpf_map_get_fd_by_id(id);
	struct bpf_map_info info = {0};
	uint32_t bytes = sizeof(info), inner;

	if (map < 0 || bpf_obj_get_info_by_fd(map, &info, &bytes) < 0 ||
	    info.type != BPF_MAP_TYPE_ARRAY_OF_MAPS)
		return;
	for (uint32_t at = 0; at < info.max_entries; at++)
		if (bpf_map_lookup_elem(map, &at, &inner) == 0)
			printf("map %" PRIu32 "\n", inner);
}

static int print_ids(const struct bpf_objects *objects)
{
	for (unsigned i = 0; i < objects->map_count; i++) {
		printf("map %" PRIu32 "\n", objects->maps[i]);
		print_inner(objects->maps[i]);
	}
	for (unsigned i = 0; i < objects->program_count; i++)
		printf("prog %" PRIu32 "\n", objects->programs[i]);
	return 0;
}

static int print_programs(const struct bpf_objects *objects)
{
	for (unsigned i = 0; i < objects->program_count; i++) {
		_cleanup_(tm_closep) int fd = bpf_prog_get_fd_by_id(objects->programs[i]);
		struct bpf_prog_info info = {0};
		uint32_t bytes = sizeof(info);

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &bytes) < 0)
			return -errno;
		printf("%s %" PRIu64 " %" PRIu64 "\n", info.name, (uint64_t)info.run_cnt,
		       (uint64_t)info.run_time_ns);
	}
	return 0;
}

/* Its place in the value of .bss. Return: 0, -errno; -ENOENT: there is none of that name. */
static int find_variable(const struct bpf_map_info *info, const char *name, uint32_t *ret_offset,
			 uint32_t *ret_bytes)
{
	struct btf *btf = btf__load_from_kernel_by_id(info->btf_id);
	const struct btf_type *section;
	const struct btf_var_secinfo *variable;
	int r = -ENOENT;

	if (!btf)
		return -errno;
	section = btf__type_by_id(btf, info->btf_value_type_id);
	for (uint16_t i = 0; section && r < 0 && i < btf_vlen(section); i++) {
		variable = btf_var_secinfos(section) + i;
		if (strcmp(btf__name_by_offset(btf, btf__type_by_id(btf, variable->type)->name_off),
			   name) != 0)
			continue;
		*ret_offset = variable->offset;
		*ret_bytes = variable->size;
		r = 0;
	}
	btf__free(btf);
	return r;
}

/* Touches only the bytes of the variable: BPF writes the others meanwhile. */
static int get_or_set(const struct bpf_objects *objects, const char *name, const char *value)
{
	struct bpf_map_info info;
	_cleanup_(tm_closep) int map = bpf_objects_map(objects, ".bss", &info);
	uint32_t offset = 0, bytes = 0;
	uint64_t number = value ? strtoull(value, NULL, 10) : 0;
	uint8_t *bss;
	int r = map < 0 ? map : find_variable(&info, name, &offset, &bytes);

	if (r == 0 && bytes > sizeof(number))
		r = -EINVAL;
	if (r < 0)
		return r;
	bss = mmap(NULL, info.value_size, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
	if (bss == MAP_FAILED)
		return -errno;
	memcpy(value ? bss + offset : (uint8_t *)&number, value ? (uint8_t *)&number : bss + offset,
	       bytes);
	(void)munmap(bss, info.value_size);
	if (!value)
		printf("%" PRIu64 "\n", number);
	return 0;
}

static int run_mode(const struct bpf_objects *objects, int argc, char **argv)
{
	if (strcmp(argv[2], "counts") == 0)
		return print_counts(objects);
	if (strcmp(argv[2], "stale") == 0)
		return print_stale(objects);
	if (strcmp(argv[2], "levels") == 0)
		return print_levels(objects);
	if (strcmp(argv[2], "ids") == 0)
		return print_ids(objects);
	if (strcmp(argv[2], "programs") == 0)
		return print_programs(objects);
	if (strcmp(argv[2], "get") == 0 && argc == 4)
		return get_or_set(objects, argv[3], NULL);
	if (strcmp(argv[2], "set") == 0 && argc == 5)
		return get_or_set(objects, argv[3], argv[4]);
	return -EINVAL;
}

int main(int argc, char **argv)
{
	struct bpf_objects objects;
	int r = argc < 3 ? -EINVAL : bpf_objects_find(argv[1], &objects);

	if (r == 0)
		r = run_mode(&objects, argc, argv);
	if (r < 0)
		(void)fprintf(stderr, "bpf_state: %s\n", strerror(-r));
	return r < 0;
}
