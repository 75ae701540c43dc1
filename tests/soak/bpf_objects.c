/* SPDX-License-Identifier: Apache-2.0 */
/* bpf_objects - the BPF maps and programs that a process holds, found by its fdinfo */

#include "tests/soak/bpf_objects.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"

static void add_once(uint32_t *ids, unsigned *count, uint32_t id)
{
	for (unsigned i = 0; i < *count; i++)
		if (ids[i] == id)
			return;
	if (*count < BPF_OBJECTS_MAX)
		ids[(*count)++] = id;
}

static void read_fdinfo(const char *path, struct bpf_objects *objects)
{
	FILE *file = fopen(path, "re");
	char line[256];
	uint32_t id;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "map_id:\t%" SCNu32, &id) == 1)
			add_once(objects->maps, &objects->map_count, id);
		else if (sscanf(line, "prog_id:\t%" SCNu32, &id) == 1)
			add_once(objects->programs, &objects->program_count, id);
	}
	if (file)
		(void)fclose(file);
}

int bpf_objects_find(const char *pid, struct bpf_objects *ret_objects)
{
	char path[300];
	struct dirent *entry;
	DIR *directory;

	*ret_objects = (struct bpf_objects){0};
	(void)snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	directory = opendir(path);
	if (!directory)
		return -errno;
	while ((entry = readdir(directory)) != NULL) {
		(void)snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, entry->d_name);
		if (entry->d_name[0] != '.')
			read_fdinfo(path, ret_objects);
	}
	(void)closedir(directory);
	return ret_objects->map_count ? 0 : -ENOENT;
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

int bpf_objects_map(const struct bpf_objects *objects, const char *name,
		    struct bpf_map_info *ret_info)
{
	for (unsigned i = 0; i < objects->map_count; i++) {
		_cleanup_(tm_closep) int fd = bpf_map_get_fd_by_id(objects->maps[i]);
		uint32_t bytes = sizeof(*ret_info);

		*ret_info = (struct bpf_map_info){0};
		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, ret_info, &bytes) == 0 &&
		    ends_in(ret_info->name, name))
			return TM_TAKE_FD(fd);
	}
	return -ENOENT;
}
