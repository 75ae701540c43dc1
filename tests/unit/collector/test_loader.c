/* SPDX-License-Identifier: Apache-2.0 */
/* test_loader - each refusal of the kernel while BPF programs are loaded is reported with its
 * reason */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <unistd.h>

#include "collector/file_requests.h"
#include "collector/loader.h"
#include "shared/cleanup.h"
#include <sys/mman.h>
#include <tidemark.skel.h>

#define KEPT_FROM 1000 /* numbers that are no descriptors */
#define MAPS_MAX  100

/* The linker redirects the loader's calls to these functions (--wrap). */
int __wrap_access(const char *path, int mode);
int __wrap_libbpf_num_possible_cpus(void);
int __wrap_libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id id, const void *opts);
int __wrap_libbpf_find_vmlinux_btf_id(const char *name, enum bpf_attach_type type);
libbpf_print_fn_t __wrap_libbpf_set_print(libbpf_print_fn_t fn);
int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *skeleton);
int __wrap_percpu_open(struct percpu *percpu, const struct percpu_maps *maps,
		       const struct options *options);
int __wrap_percpu_make_ring(uint32_t bytes, unsigned node);
int __wrap_percpu_make_levels(const struct percpu_maps *maps, unsigned node);
int __wrap_bpf_link_create(int program, int target, enum bpf_attach_type type,
			   const struct bpf_link_create_opts *opts);
int __wrap_bpf_iter_create(int link);
int __wrap_bpf_prog_test_run_opts(int program, struct bpf_test_run_opts *opts);
struct bpf_link *__wrap_bpf_program__attach(const struct bpf_program *program);
int __wrap_bpf_map__reuse_fd(struct bpf_map *map, int fd);

static struct { /* what each call returns; 0: success */
	int btf, cpus, load[2], percpu, link, iterator, run;
} result;
static unsigned loads;
static unsigned levels;                     /* that have scratch memory */
static unsigned reused;                     /* maps that are to be created otherwise */
static int variables;                       /* descriptor of .bss in the store, */
static const struct tidemark_bpf__bss *bss; /* and what it holds */
static libbpf_print_fn_t print;

static struct loader loader;
static struct tm_control_failure failure;
static struct options options = {.hz = 99};

int __wrap_access(const char *path, int mode)
{
	assert_string_equal(path, LOADER_BTF);
	errno = -result.btf;
	return result.btf ? -1 : 0;
}

int __wrap_libbpf_num_possible_cpus(void)
{
	return result.cpus ? result.cpus : 2;
}

int __wrap_libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id id, const void *opts)
{
	return 1;
}

int __wrap_libbpf_find_vmlinux_btf_id(const char *name, enum bpf_attach_type type)
{
	return 1;
}

libbpf_print_fn_t __wrap_libbpf_set_print(libbpf_print_fn_t fn)
{
	print = fn;
	return NULL;
}

static void __attribute__((format(printf, 2, 3)))
warn(enum libbpf_print_level level, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)print(level, format, arguments);
	va_end(arguments);
}

int __wrap_bpf_object__load_skeleton(struct bpf_object_skeleton *skeleton)
{
	int r = result.load[loads++];

	if (r < 0) {
		warn(LIBBPF_DEBUG, "libbpf: loading, attempt %u\n", loads);
		warn(LIBBPF_WARN, "libbpf: attempt %u: BPF program is too large\nits log\n", loads);
		warn(LIBBPF_WARN, "libbpf: failed to load object\n");
	}
	return r;
}

int __wrap_percpu_open(struct percpu *percpu, const struct percpu_maps *maps,
		       const struct options *with)
{
	assert_int_equal(maps->possible, 2);
	return result.percpu;
}

int __wrap_percpu_make_ring(uint32_t bytes, unsigned node)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_percpu_make_levels(const struct percpu_maps *maps, unsigned node)
{
	levels = maps->levels;
	assert_true(maps->level_bytes > sizeof(struct tm_sample));
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_bpf_link_create(int program, int target, enum bpf_attach_type type,
			   const struct bpf_link_create_opts *opts)
{
	errno = -result.link;
	return result.link ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* A directory cannot be read: the iterator fails while it runs. */
int __wrap_bpf_iter_create(int link)
{
	return open(result.iterator ? "/" : "/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_bpf_prog_test_run_opts(int program, struct bpf_test_run_opts *opts)
{
	errno = -result.run;
	opts->retval = 0;
	return result.run ? -1 : 0;
}

struct bpf_link *__wrap_bpf_program__attach(const struct bpf_program *program)
{
	errno = EOPNOTSUPP;
	return NULL;
}

/* Of maps that have descriptors from KEPT_FROM on, in their order. */
int __wrap_bpf_map__reuse_fd(struct bpf_map *map, int fd)
{
	reused += bpf_map__autocreate(map);
	if (fd != variables)
		assert_in_range(fd, KEPT_FROM, KEPT_FROM + MAPS_MAX);
	return 0;
}

static int make(void **state)
{
	memset(&options.kept, 0, sizeof(options.kept));
	reused = 0;
	memset(&result, 0, sizeof(result));
	memset(&loader, 0, sizeof(loader));
	memset(&failure, 0, sizeof(failure));
	loads = 0;
	return 0;
}

static int unmake(void **state)
{
	loader_deinit(&loader);
	return 0;
}

static void expect_refusal(const char *text)
{
	assert_int_equal(loader_load(&loader, &options, &failure), -ECANCELED);
	assert_int_equal(failure.code, TM_FAILURE_HOST);
	assert_string_equal(failure.text, text);
}

static void kernel_without_btf_is_named_with_what_it_needs(void **state)
{
	result.btf = -ENOENT;
	expect_refusal(
		"cannot read this kernel's type information: /sys/kernel/btf/vmlinux: No such "
		"file or directory (use a kernel built with CONFIG_DEBUG_INFO_BTF)");
	assert_int_equal(loads, 0);
}

static void unknown_number_of_cpus_is_a_refusal(void **state)
{
	result.cpus = -ENOENT;
	expect_refusal(
		"the kernel refused to report the number of CPUs: No such file or directory");
	assert_int_equal(loads, 0);
}

static void refusal_of_the_verifier_comes_with_its_first_warning(void **state)
{
	result.load[0] = result.load[1] = -E2BIG;
	expect_refusal("the kernel refused to load the BPF programs: Argument list too long; "
		       "libbpf: attempt 2: BPF program is too large");
	assert_int_equal(loads, 2);
	assert_null(loader.skeleton);
}

static void missing_capability_is_named_instead_of_a_warning(void **state)
{
	result.load[0] = result.load[1] = -EPERM;
	expect_refusal("the kernel refused to load the BPF programs: Operation not permitted "
		       "(CAP_BPF and CAP_PERFMON are needed)");
}

static void levels_that_no_program_uses_have_no_scratch_memory(void **state)
{
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(levels, 1);
	loader_deinit(&loader);
	loads = 0;
	options.off_cpu = 100;
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(levels, 2);
	loader_deinit(&loader);
	loads = 0;
	options.wakers = true;
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(levels, 3);
	options.off_cpu = 0;
	options.wakers = false;
}

static void load_that_fails_is_tried_once_more_with_vmlinux_alone(void **state)
{
	result.load[0] = -EPERM;
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(loads, 2);
	assert_int_equal(failure.code, 0);
	assert_non_null(loader.skeleton);
}

static void rings_that_the_kernel_refuses_are_a_refusal(void **state)
{
	result.percpu = -ENOMEM;
	expect_refusal("the kernel refused to create the BPF rings: Cannot allocate memory");
}

static void program_that_cannot_be_run_is_a_refusal(void **state)
{
	result.run = -EPERM;
	expect_refusal("the kernel refused to run a BPF program: Operation not permitted "
		       "(CAP_BPF and CAP_PERFMON are needed)");
}

static void refused_iterator_is_an_error(void **state)
{
	result.link = -EPERM;
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(loader_mark_wanted(&loader), -EPERM);
}

static void iterator_that_fails_while_it_runs_is_an_error(void **state)
{
	result.iterator = -EISDIR;
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(loader_mark_wanted(&loader), -EISDIR);
}

static void program_that_cannot_be_attached_is_a_refusal(void **state)
{
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(loader_attach(&loader, &options, &failure), -ECANCELED);
	assert_string_equal(failure.text, "the kernel refused to attach the BPF programs: "
					  "Operation not supported");
	assert_int_equal(failure.code, TM_FAILURE_HOST);
}

static void keep(enum kept_kind kind, uint64_t index, int fd)
{
	options.kept.all[options.kept.count++] = (struct kept_one){kind, index, fd};
}

/* --- what the last collector left ------------------------------------------------------------- */

/* Has all maps handed over, and its variables. */
static int make_kept(void **state)
{
	struct tidemark_bpf *skeleton = tidemark_bpf__open();
	struct bpf_map *map = NULL;
	void *at = MAP_FAILED;

	(void)make(state);
	variables = memfd_create("bss", MFD_CLOEXEC);
	if (ftruncate(variables, sizeof(*bss)) == 0)
		at = mmap(NULL, sizeof(*bss), PROT_READ, MAP_SHARED, variables, 0);
	if (!skeleton || at == MAP_FAILED || skeleton->skeleton->map_cnt > MAPS_MAX)
		return -1;
	bss = at;
	options.kept.adopted = true;
	for (int i = 0; (map = bpf_object__next_map(skeleton->obj, map)); i++)
		keep(KEPT_MAP, (uint64_t)i, map == skeleton->maps.bss ? variables : KEPT_FROM + i);
	tidemark_bpf__destroy(skeleton);
	return 0;
}

static int unmake_kept(void **state)
{
	(void)munmap((void *)(uintptr_t)bss, sizeof(*bss));
	variables = tm_close(variables);
	return unmake(state);
}

static void each_attempt_takes_the_same_kept_maps(void **state)
{
	unsigned first;

	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	first = reused;
	assert_true(first > 10);
	assert_int_equal(bss->epoch_bumps, 1);
	loader.skeleton->bss->modules_only = true; /* libbpf's wrapper here maps nothing */
	assert_true(bss->modules_only);
	loader_deinit(&loader);
	loads = reused = 0;
	result.load[0] = -EPERM;
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	assert_int_equal(reused, 2 * first);
	assert_int_equal(bss->epoch_bumps, 3);
}

static void missing_map_is_a_refusal_and_no_new_map(void **state)
{
	options.kept.all[0].fd = -1;
	expect_refusal("the kernel refused to load the BPF programs: No such file or directory");
	assert_int_equal(loads, 0);
}

static void variables_that_cannot_be_mapped_are_a_refusal_each_time(void **state)
{
	for (unsigned i = 0; i < options.kept.count; i++)
		if (options.kept.all[i].fd == variables)
			options.kept.all[i].fd = KEPT_FROM + MAPS_MAX; /* no descriptor */
	expect_refusal("the kernel refused to load the BPF programs: Bad file descriptor");
	assert_int_equal(loads, 0);
	assert_null(options.kept.variables);
}

static void kept_programs_are_not_loaded_again(void **state)
{
	const struct bpf_object_skeleton *all;
	const struct bpf_program *sample = NULL;

	for (uint64_t i = 0; i < MAPS_MAX; i++)
		keep(KEPT_PROGRAM, i, KEPT_FROM + (int)i);
	assert_int_equal(loader_load(&loader, &options, &failure), 0);
	all = loader.skeleton->skeleton;
	for (int i = 0; i < all->prog_cnt; i++) {
		assert_false(bpf_program__autoload(*all->progs[i].prog));
		if (loader.sample == KEPT_FROM + i)
			sample = *all->progs[i].prog;
	}
	assert_true(sample == loader.skeleton->progs.sample_loop ||
		    sample == loader.skeleton->progs.sample_bounded);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make, unmake)
#define KEPT(name) cmocka_unit_test_setup_teardown(name, make_kept, unmake_kept)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(kernel_without_btf_is_named_with_what_it_needs),
		CASE(unknown_number_of_cpus_is_a_refusal),
		CASE(refusal_of_the_verifier_comes_with_its_first_warning),
		CASE(missing_capability_is_named_instead_of_a_warning),
		CASE(levels_that_no_program_uses_have_no_scratch_memory),
		CASE(load_that_fails_is_tried_once_more_with_vmlinux_alone),
		CASE(rings_that_the_kernel_refuses_are_a_refusal),
		CASE(program_that_cannot_be_run_is_a_refusal),
		CASE(refused_iterator_is_an_error),
		CASE(iterator_that_fails_while_it_runs_is_an_error),
		CASE(program_that_cannot_be_attached_is_a_refusal),
		KEPT(each_attempt_takes_the_same_kept_maps),
		KEPT(missing_map_is_a_refusal_and_no_new_map),
		KEPT(variables_that_cannot_be_mapped_are_a_refusal_each_time),
		KEPT(kept_programs_are_not_loaded_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
