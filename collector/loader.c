/* SPDX-License-Identifier: Apache-2.0 */
/* loader - loads and attaches the BPF programs, and reports why it cannot */

#include "collector/loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collector/loader_kept.h"
#include "collector/loader_off_cpu.h"
#include "shared/cleanup.h"
#include <tidemark.skel.h>

#define WARNING_BYTES   200
#define MATCH_TRIES     3   /* for a mapping that is being modified */
#define LOADER_LRU_FREE 128 /* LOCAL_FREE_TARGET, kernel/bpf/bpf_lru_list.c, before 6.16 */

static char warning[WARNING_BYTES]; /* first line of libbpf's first warning in this attempt */

__attribute__((format(printf, 2, 0))) static int keep_warning(enum libbpf_print_level level,
							      const char *format, va_list arguments)
{
	if (level == LIBBPF_WARN && !warning[0]) {
		(void)vsnprintf(warning, sizeof(warning), format, arguments);
		warning[strcspn(warning, "\n")] = '\0';
	}
	return 0;
}

static int require_btf(struct tm_control_failure *failure)
{
	if (access(LOADER_BTF, R_OK) == 0)
		return 0;
	return tm_control_failure_set(failure, TM_FAILURE_HOST,
				      "cannot read this kernel's type information: %s: %s "
				      "(use a kernel built with CONFIG_DEBUG_INFO_BTF)",
				      LOADER_BTF, strerror(errno));
}

static int refused(struct tm_control_failure *failure, const char *what, int error)
{
	bool denied = error == -EPERM;

	return tm_control_failure_set(failure, TM_FAILURE_HOST, "the kernel refused %s: %s%s%s",
				      what, strerror(-error), denied || !warning[0] ? "" : "; ",
				      denied ? " (CAP_BPF and CAP_PERFMON are needed)" : warning);
}

static void choose_programs(struct tidemark_bpf *skeleton, const struct options *options,
			    const struct loader_way *way)
{
	(void)bpf_program__set_autoload(skeleton->progs.sample_loop, way->loops);
	(void)bpf_program__set_autoload(skeleton->progs.sample_bounded, !way->loops);
	(void)bpf_program__set_autoload(skeleton->progs.kernel_symbols,
					libbpf_find_vmlinux_btf_id("ksym", BPF_TRACE_ITER) > 0);
	loader_off_cpu_choose(skeleton, options, way);
	(void)bpf_program__set_autoload(skeleton->progs.on_fork, options->selecting);
	(void)bpf_program__set_autoload(skeleton->progs.on_exec, options->selecting);
	(void)bpf_program__set_autoload(skeleton->progs.mark_wanted, options->selecting);
}

/* What each CPU keeps for itself. Call before the load, as the next one: it cannot fail then. */
static void add_free(struct bpf_map *lru, unsigned possible)
{
	(void)bpf_map__set_max_entries(lru, bpf_map__max_entries(lru) + LOADER_LRU_FREE * possible);
}

static void choose_sizes(struct tidemark_bpf *skeleton, const struct options *options,
			 unsigned possible)
{
	skeleton->rodata->selecting = options->selecting;
	skeleton->rodata->method_cpus = possible;
	skeleton->rodata->method_hz = options->hz;
	(void)bpf_map__set_max_entries(skeleton->maps.cpu_slots, possible);
	(void)bpf_map__set_max_entries(skeleton->maps.rings, possible);
	(void)bpf_map__set_max_entries(skeleton->maps.scratch, possible);
	add_free(skeleton->maps.exits, possible);
	add_free(skeleton->maps.methods, possible);
	if (!options->selecting) {
		(void)bpf_map__set_max_entries(skeleton->maps.selected, 1);
		(void)bpf_map__set_max_entries(skeleton->maps.wanted, 1);
	}
}

/* Opens an iterator that runs @iterator over all objects. Return: descriptor to read, -errno. */
static int open_iterator(const struct bpf_program *iterator)
{
	_cleanup_(tm_closep) int link =
		bpf_link_create(bpf_program__fd(iterator), 0, BPF_TRACE_ITER, NULL);
	int fd;

	if (link < 0)
		return -errno;
	fd = bpf_iter_create(link);
	return fd < 0 ? -errno : fd;
}

/* Runs an iterator to its end, for its effect. Return: 0, -errno. */
static int run_iterator(const struct bpf_program *iterator)
{
	_cleanup_(tm_closep) int fd = open_iterator(iterator);
	char ignored[64];
	ssize_t n;

	if (fd < 0)
		return fd;
	do {
		n = read(fd, ignored, sizeof(ignored));
	} while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	return n < 0 ? -errno : 0;
}

/* Runs a program for its effect or its answer. Return: what it returned, -errno. */
static int run_program(const struct bpf_program *program, const uint64_t arguments[3])
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = arguments,
		    .ctx_size_in = 3 * sizeof(*arguments));
	int r = bpf_prog_test_run_opts(bpf_program__fd(program), &options);

	return r < 0 ? -errno : (int)options.retval;
}

static void keep_handles(struct loader *loader)
{
	struct tidemark_bpf *skeleton = loader->skeleton;
	struct bpf_map *map;

	for (int i = 0; i < skeleton->skeleton->prog_cnt; i++) {
		const struct bpf_program *program = *skeleton->skeleton->progs[i].prog;
		int fd = bpf_program__fd(program);

		fd = fd < 0 ? kept_look(loader->kept, KEPT_PROGRAM, (uint64_t)i) : fd;
		if (fd >= 0 && (program == skeleton->progs.sample_loop ||
				program == skeleton->progs.sample_bounded))
			loader->sample = fd;
	}
	loader->processes.map = bpf_map__fd(skeleton->maps.processes);
	loader->processes.made = (const uint64_t *)&skeleton->bss->processes_made;
	loader->numbers.map = bpf_map__fd(skeleton->maps.files);
	loader->numbers.made = (const uint64_t *)&skeleton->bss->files_made;
	loader->wanted = bpf_map__fd(skeleton->maps.wanted);
	loader->unwind_chunks = bpf_map__fd(skeleton->maps.unwind_chunks);
	loader->epoch_bumps = &skeleton->bss->epoch_bumps;
	loader->vdso_table = (const uint64_t *)&skeleton->bss->vdso_table;
	loader->selected_count = (const uint64_t *)&skeleton->bss->selected_count;
	/* It cannot be changed while such programs are loaded. */
	skeleton->bss->kernel_frames_most =
		(uint32_t)percpu_read_number("/proc/sys/kernel/perf_event_max_stack", "");
	loader->off_cpu_shift = (uint64_t *)&skeleton->bss->off_cpu_shift;
	loader->off_cpu_end = (uint64_t *)&skeleton->bss->off_cpu_end;
	loader->owner_time_most = (uint64_t *)&skeleton->bss->owner_time_most;
	loader->selected_full = (const uint64_t *)&skeleton->bss->selected_full;
	bpf_object__for_each_map(map, skeleton->obj) loader->map_bytes +=
		percpu_map_bytes(bpf_map__fd(map));
}

/* Return: 0, -errno; what was opened is closed again on failure. */
static int open_and_load(struct loader *loader, const struct options *options,
			 const struct loader_way *way, struct percpu_maps *maps)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_options, .btf_custom_path = way->btf_path);
	struct tidemark_bpf *skeleton = tidemark_bpf__open_opts(&open_options);
	_cleanup_(tm_closep) int levels = -1, ring = -1;
	int r;

	if (!skeleton)
		return -errno;
	choose_programs(skeleton, options, way);
	choose_sizes(skeleton, options, maps->possible);
	maps->levels = options->off_cpu ? TM_LEVEL_WAKER + options->wakers : TM_LEVEL_SWITCH;
	maps->level_bytes = bpf_map__value_size(bpf_map__inner_map(skeleton->maps.scratch));
	warning[0] = '\0';
	levels = percpu_make_levels(maps, OPTIONS_NODE_NONE);
	ring = percpu_make_ring(OPTIONS_RING_KIB_MIN << 10, OPTIONS_NODE_NONE);
	(void)bpf_map__set_inner_map_fd(skeleton->maps.scratch, levels);
	(void)bpf_map__set_inner_map_fd(skeleton->maps.rings, ring);
	r = loader->kept->adopted ? loader_kept_reuse(skeleton, loader->kept) : 0;
	if (r == 0)
		r = tidemark_bpf__load(skeleton);
	if (r < 0) {
		tidemark_bpf__destroy(skeleton);
		return r;
	}
	if (loader->kept->adopted)
		skeleton->bss = loader->kept->variables;
	maps->slots = bpf_map__fd(skeleton->maps.cpu_slots);
	maps->rings = bpf_map__fd(skeleton->maps.rings);
	maps->scratch = bpf_map__fd(skeleton->maps.scratch);
	loader->skeleton = skeleton;
	return 0;
}

/* Tries one way after the other. Return: 0, -errno of the last. */
static int load_somehow(struct loader *loader, const struct options *options,
			struct percpu_maps *maps)
{
	struct loader_way way = {.loops = libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT,
								  BPF_FUNC_loop, NULL) == 1};
	int r = -EINVAL;

	for (int hash = 0; r < 0 && hash <= !!options->off_cpu; hash++) {
		way.hash = hash;
		way.btf_path = NULL;
		r = open_and_load(loader, options, &way, maps);
		way.btf_path = LOADER_BTF;
		if (r < 0)
			r = open_and_load(loader, options, &way, maps);
	}
	return r;
}

int loader_load(struct loader *loader, struct options *options, struct tm_control_failure *failure)
{
	int possible = libbpf_num_possible_cpus();
	struct percpu_maps maps = {.possible = (unsigned)possible};
	int r;

	loader->kept = &options->kept;
	(void)libbpf_set_print(keep_warning);
	if (require_btf(failure) < 0)
		return -ECANCELED;
	if (possible < 1)
		return refused(failure, "to report the number of CPUs", possible);
	r = load_somehow(loader, options, &maps);
	if (r < 0)
		return refused(failure, "to load the BPF programs", r);
	r = percpu_open(&loader->percpu, &maps, options);
	if (r < 0)
		return refused(failure, "to create the BPF rings", r);
	keep_handles(loader);
	r = run_program(loader->skeleton->progs.find_self, (uint64_t[3]){0});
	return r < 0 ? refused(failure, "to run a BPF program", r) : 0;
}

int loader_attach(struct loader *loader, const struct options *options,
		  struct tm_control_failure *failure)
{
	struct tidemark_bpf *skeleton = loader->skeleton;

	skeleton->links.on_exit = bpf_program__attach(skeleton->progs.on_exit);
	if (skeleton->links.on_exit && options->selecting)
		skeleton->links.on_fork = bpf_program__attach(skeleton->progs.on_fork);
	if (skeleton->links.on_fork)
		skeleton->links.on_exec = bpf_program__attach(skeleton->progs.on_exec);
	if (skeleton->links.on_exit && (skeleton->links.on_exec || !options->selecting))
		return 0;
	return refused(failure, "to attach the BPF programs", -errno);
}

int loader_start_off_cpu(const struct loader *loader, struct tm_control_failure *failure)
{
	int r = loader_off_cpu_attach(loader->skeleton);

	if (r < 0)
		return refused(failure, "to attach to the scheduler's tracepoints", r);
	r = run_iterator(loader->skeleton->progs.find_threads);
	return r < 0 ? refused(failure, "to iterate over the threads", r) : 0;
}

int loader_threads(const struct loader *loader)
{
	return open_iterator(loader->skeleton->progs.report_threads);
}

void loader_detach(struct loader *loader)
{
	struct tidemark_bpf *skeleton = loader->skeleton;

	if (!skeleton)
		return;
	/* Before on_switch: without it, every thread would seem to have had its CPU all along. */
	(void)bpf_link__destroy(skeleton->links.on_switched);
	skeleton->links.on_switched = NULL;
	tidemark_bpf__detach(skeleton);
}

int loader_kernel_symbols(const struct loader *loader, bool again)
{
	const struct bpf_program *symbols = loader->skeleton->progs.kernel_symbols;

	loader->skeleton->bss->modules_only = again;
	return bpf_program__autoload(symbols) ? open_iterator(symbols) : -EOPNOTSUPP;
}

int loader_mark_wanted(const struct loader *loader)
{
	return run_iterator(loader->skeleton->progs.mark_wanted);
}

void loader_announce(const struct loader *loader, uint32_t pid, uint64_t address)
{
	(void)run_program(loader->skeleton->progs.announce_mapping, (uint64_t[3]){pid, address});
}

int loader_match_file(void *context, uint32_t pid, uint64_t address,
		      const struct tm_identity *identity)
{
	struct tidemark_bpf *skeleton = ((struct loader *)context)->skeleton;
	const uint64_t arguments[] = {pid, address, !identity};
	int r = TM_CHECK_BUSY;

	if (identity)
		skeleton->bss->check_identity = *identity;
	for (int i = 0; i < MATCH_TRIES && r == TM_CHECK_BUSY; i++)
		r = run_program(skeleton->progs.check_mapping, arguments);
	return r == TM_CHECK_UNANSWERED || r == TM_CHECK_BUSY ? -EAGAIN : r;
}

int loader_change(void *context, uint32_t number, enum tm_file_change change, uint64_t value)
{
	const struct loader *loader = context;
	const uint64_t arguments[] = {number, change, value};
	int r = run_program(loader->skeleton->progs.change_file, arguments);

	return r > 0 ? 0 : r < 0 ? r : -ENOENT;
}

int loader_number(void *context, const struct tm_identity *identity)
{
	struct tidemark_bpf *skeleton = ((struct loader *)context)->skeleton;
	int r;

	skeleton->bss->check_identity = *identity;
	r = run_program(skeleton->progs.number_ahead, (uint64_t[3]){0});
	return r > 0 ? r - 1 : r < 0 ? r : -ENOENT;
}

void loader_deinit(struct loader *loader)
{
	percpu_close(&loader->percpu);
	tidemark_bpf__destroy(loader->skeleton);
	loader->skeleton = NULL;
	loader->unwind_chunks = -1; /* so that dropping chunks no longer waits for a grace period */
}
