/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exits_kept - how many entries that all CPUs insert stay in the map `exits` of a running recording
 *
 * usage: exits_kept ENTRIES. Exit code 0: all of them.
 */

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shared/event.h"
#include "tests/integration/programs/cpus.h"

#define WAIT_TRIES 3000
#define WAIT_NS    20000000
#define TGID       (1u << 30) /* no process has such a number */

/* Return: a descriptor of the newest map with this name, -1: there is none. */
static int find_map(const char *name)
{
	int found = -1;

	for (uint32_t id = 0; bpf_map_get_next_id(id, &id) == 0;) {
		struct bpf_map_info info = {0};
		uint32_t bytes = sizeof(info);
		int fd = bpf_map_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &bytes) < 0 || strcmp(info.name, name) != 0) {
			(void)close(fd);
			continue;
		}
		if (found >= 0)
			(void)close(found);
		found = fd;
	}
	return found;
}

static struct tm_process_key key_of(unsigned entry)
{
	return (struct tm_process_key){.tgid = TGID + entry};
}

/* Each CPU its part. Return: 0, -errno. */
static int insert_all(int map, unsigned entries)
{
	static size_t cpus[CPUS_MOST];
	size_t count = cpus_usable(cpus);

	for (size_t cpu = 0; cpu < count; cpu++) {
		int r = cpus_pin(cpus[cpu]);

		if (r < 0)
			return r;
		for (unsigned entry = (unsigned)cpu; entry < entries; entry += (unsigned)count) {
			const struct tm_process_key key = key_of(entry);
			const uint32_t once = 1;

			if (bpf_map_update_elem(map, &key, &once, BPF_NOEXIST) < 0)
				return -errno;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = WAIT_NS};
	unsigned entries = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0, kept = 0;
	int map = -1, r;

	for (int i = 0; map < 0 && i < WAIT_TRIES; i++) {
		(void)nanosleep(&pause, NULL); /* the recording has just been started */
		map = find_map("exits");
	}
	if (map < 0 || !entries) {
		(void)fprintf(stderr, "exits_kept: no map, or no ENTRIES\n");
		return 2;
	}
	r = insert_all(map, entries);
	for (unsigned entry = 0; r == 0 && entry < entries; entry++) {
		const struct tm_process_key key = key_of(entry);
		uint32_t once;

		kept += bpf_map_lookup_elem(map, &key, &once) == 0;
	}
	(void)printf("TM-EXITS %u of %u entries are kept%s%s\n", kept, entries, r ? ": " : "",
		     r ? strerror(-r) : "");
	return kept < entries;
}
