/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup - the mapping lookup gives what bpf_find_vma and /proc/self/maps give, every time
 *
 * usage: lookup LOOKUPS [many] [storm]
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shared/clock.h"
#include "tests/kernels/lookup.h"
#include "tests/kernels/lookup_workload.h"

#include "lookup.skel.h" /* uses the types of lookup.h */

#define HZ         4000
#define PATIENCE_S 90  /* for the lookups that a run must see, under emulation */
#define BUSY_SHARE 100 /* one of so many may be refused as busy, and only under a storm */
#define SKIPPED    77

static struct lookup_bpf *skeleton;
static int events[LOOKUP_CPUS];
static int event_count;

static int load_programs(void)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = "/sys/kernel/btf/vmlinux");
	bool helper =
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_find_vma, NULL) > 0;
	struct stat namespace;

	skeleton = lookup_bpf__open_opts(&options);
	if (!skeleton)
		return -errno;
	bpf_program__set_autoload(skeleton->progs.beside, helper);
	bpf_program__set_autoload(skeleton->progs.alone, !helper);
	if (stat("/proc/self/ns/pid", &namespace) < 0)
		return -errno;
	skeleton->bss->target = (uint32_t)getpid();
	skeleton->bss->namespace_dev = namespace.st_dev;
	skeleton->bss->namespace_ino = namespace.st_ino;
	printf("oracle: %s/proc/self/maps\n", helper ? "bpf_find_vma and " : "");
	return lookup_bpf__load(skeleton);
}

static int sample_cpu(int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000000 / HZ,
	};
	bool beside = bpf_program__autoload(skeleton->progs.beside);
	struct bpf_program *program = beside ? skeleton->progs.beside : skeleton->progs.alone;
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	events[event_count++] = fd;
	return bpf_program__attach_perf_event(program, fd) ? 0 : -errno;
}

static int sample_all(void)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN), error = 0;

	for (int cpu = 0; cpu < cpus && cpu < LOOKUP_CPUS && !error; cpu++)
		error = sample_cpu(cpu);
	return error;
}

static void sample_none(void)
{
	for (int i = 0; i < event_count; i++)
		(void)ioctl(events[i], PERF_EVENT_IOC_DISABLE, 0);
}

/* Keeps this thread on the CPU until enough was seen. */
static bool see_enough(uint64_t wanted)
{
	const uint64_t end = tm_clock_ns() + PATIENCE_S * 1000000000ull;

	do {
		if (__atomic_load_n(&skeleton->bss->counts.lookups, __ATOMIC_RELAXED) >= wanted)
			return true;
	} while (tm_clock_ns() < end);
	return false;
}

/* One line of /proc/self/maps beside what the lookup found at its start. */
static int compare_line(const char *line, unsigned *ret_known)
{
	struct lookup_mapping maps = {0}, ours;
	unsigned major, minor;
	uint64_t start, end, offset, ino;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64, &start, &end,
		   &offset, &major, &minor, &ino) != 6)
		return -EINVAL;
	maps = (struct lookup_mapping){start, end, offset >> 12, ino,
				       (uint64_t)major << 20 | minor};
	if (bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.seen), &maps.start, &ours))
		return 0;
	(*ret_known)++;
	if (!ino) /* no file: the page offset is then nobody's */
		ours.pgoff = maps.pgoff;
	return memcmp(&maps, &ours, sizeof(maps)) ? -ENOTUNIQ : 0;
}

/* Return: seen mappings that are not, or not so, in /proc/self/maps; -errno. */
static int compare_maps(const struct load *load)
{
	unsigned known = 0, wanted = 0, different = 0;
	uint64_t key, *at = NULL, storm = (uintptr_t)load->storm;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	if (!maps)
		return -errno;
	while (fgets(line, sizeof(line), maps))
		if (compare_line(line, &known)) {
			printf("differs: %s", line);
			different++;
		}
	(void)fclose(maps);
	for (; !bpf_map_get_next_key(bpf_map__fd(skeleton->maps.seen), at, &key); at = &key)
		wanted += !load->storm || key < storm || key >= storm + load->storm_bytes;
	printf("mappings: %u seen outside the storm, %u known to maps, %u differ\n", wanted, known,
	       different);
	return different || known < wanted ? 1 : 0;
}

static void print_mapping(const char *who, const struct lookup_mapping *mapping)
{
	printf("%s: %llx-%llx page %llx inode %llu device %llx\n", who, mapping->start,
	       mapping->end, mapping->pgoff, mapping->ino, mapping->dev);
}

static int judge(const struct load *load)
{
	struct lookup_counts counts = skeleton->bss->counts;
	int different = compare_maps(load);

	printf("lookups: %llu, %llu ns each, %llu begun again; none %llu, busy %llu, deep %llu\n",
	       counts.lookups, counts.ns / counts.lookups, counts.retries, counts.none, counts.busy,
	       counts.deep);
	printf("helper: %llu compared, %llu equal, %llu refused as busy\n", counts.compared,
	       counts.equal, counts.helper_refused);
	if (counts.compared != counts.equal) {
		print_mapping("ours", &skeleton->bss->different[0]);
		print_mapping("helper", &skeleton->bss->different[1]);
	}
	return different || counts.compared != counts.equal || counts.none || counts.deep ||
	       counts.busy > (load->storm ? counts.lookups / BUSY_SHARE : 0);
}

int main(int argc, char **argv)
{
	bool many = false, storm = false;
	struct load load = {0};
	int error;

	if (argc < 2)
		return 2;
	for (int i = 2; i < argc; i++) {
		many |= !strcmp(argv[i], "many");
		storm |= !strcmp(argv[i], "storm");
	}
	if (geteuid()) {
		printf("SKIP: must be root\n");
		return SKIPPED;
	}
	error = load_programs();
	if (!error)
		error = load_start(&load, many, storm);
	if (!error)
		error = sample_all();
	if (error) {
		printf("FAIL: %s\n", strerror(-error));
		return 1;
	}
	if (!see_enough(strtoull(argv[1], NULL, 10))) {
		printf("FAIL: too few samples\n");
		return 1;
	}
	sample_none();
	load_calm();
	return judge(&load);
}
