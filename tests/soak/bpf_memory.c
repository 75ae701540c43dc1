/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf_memory - prints how much kernel memory each BPF map and program of a running collector has
 *
 * bpf_memory PID: a line for each, `map|prog TYPE NAME BYTES`; TYPE is the kernel's number, and `-`
 * stands for no name. The maps inside others are among them. A program's bytes are its
 * instructions, those of the processor, and what the kernel keeps to find their lines. What the
 * kernel does not count as a map's memory is missing: above all the values of a task storage.
 *
 * PID is the collector's, in the initial PID namespace. Needs CAP_SYS_ADMIN.
 */

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "tests/soak/bpf_objects.h"

/* Return: what the kernel charges for a map or for a program's instructions; 0: it does not say. */
static uint64_t charged(int fd)
{
	char path[64], line[256];
	uint64_t bytes = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "memlock:\t%" SCNu64, &bytes) == 1)
			break;
	if (file)
		(void)fclose(file);
	return bytes;
}

static const char *shown(const char *name)
{
	return name[0] ? name : "-";
}

static int print_map(uint32_t id, struct bpf_map_info *ret_info)
{
	_cleanup_(tm_closep) int fd = bpf_map_get_fd_by_id(id);
	uint32_t bytes = sizeof(*ret_info);

	*ret_info = (struct bpf_map_info){0};
	if (fd < 0 || bpf_obj_get_info_by_fd(fd, ret_info, &bytes) < 0)
		return -errno;
	printf("map %" PRIu32 " %s %" PRIu64 "\n", ret_info->type, shown(ret_info->name),
	       charged(fd));
	return 0;
}

/* No descriptor refers to the maps inside an array of maps. */
static int print_inner(uint32_t outer_id, uint32_t entries)
{
	_cleanup_(tm_closep) int outer = bpf_map_get_fd_by_id(outer_id);
	struct bpf_map_info info;
	uint32_t id;
	int r = outer < 0 ? -errno : 0;

	for (uint32_t at = 0; r == 0 && at < entries; at++)
		if (bpf_map_lookup_elem(outer, &at, &id) == 0)
			r = print_map(id, &info);
	return r;
}

static int print_program(uint32_t id)
{
	_cleanup_(tm_closep) int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {0};
	uint32_t bytes = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &bytes) < 0)
		return -errno;
	printf("prog %" PRIu32 " %s %" PRIu64 "\n", info.type, shown(info.name),
	       charged(fd) + info.jited_prog_len +
		       (uint64_t)info.nr_line_info * info.line_info_rec_size +
		       (uint64_t)info.nr_jited_line_info * info.jited_line_info_rec_size +
		       (uint64_t)info.nr_func_info * info.func_info_rec_size);
	return 0;
}

static int print_all(const struct bpf_objects *objects)
{
	struct bpf_map_info info;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < objects->map_count; i++) {
		r = print_map(objects->maps[i], &info);
		if (r == 0 && info.type == BPF_MAP_TYPE_ARRAY_OF_MAPS)
			r = print_inner(objects->maps[i], info.max_entries);
	}
	for (unsigned i = 0; r == 0 && i < objects->program_count; i++)
		r = print_program(objects->programs[i]);
	return r;
}

int main(int argc, char **argv)
{
	struct bpf_objects objects;
	int r = argc == 2 ? bpf_objects_find(argv[1], &objects) : -EINVAL;

	if (r == 0)
		r = print_all(&objects);
	if (r < 0)
		(void)fprintf(stderr, "bpf_memory: %s\n", strerror(-r));
	return r < 0;
}
