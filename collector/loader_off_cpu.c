/* SPDX-License-Identifier: Apache-2.0 */
/* loader_off_cpu - which of the scheduler's hooks are loaded, and their attachment */

#include "collector/loader_off_cpu.h"

#include "shared/bpf_state.h"
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <tidemark.skel.h>

/* Whether the kernel runs programs behind a context switch, in the new thread's context. */
static bool has_switch_end(void)
{
	return libbpf_find_vmlinux_btf_id("sched_exit_tp", BPF_TRACE_RAW_TP) > 0;
}

/* Return: parameters of a tracepoint's programs, 0 if that is not known. */
static unsigned tracepoint_parameters(const char *name)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_type *type = NULL;
	int id = btf ? btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) : -1;
	unsigned count = 0;

	if (id > 0)
		type = btf__type_by_id(btf, btf__type_by_id(btf, (unsigned)id)->type);
	if (type && btf_is_ptr(type))
		type = btf__type_by_id(btf, type->type);
	if (type && btf_is_func_proto(type))
		count = btf_vlen(type) - 1; /* the first is the tracepoint's data */
	btf__free(btf);
	return count;
}

void loader_off_cpu_choose(struct tidemark_bpf *skeleton, const struct options *options,
			   const struct loader_way *way)
{
	bool on = options->off_cpu, ends = on && has_switch_end();
	bool loops = on && !ends && way->loops, wakers = on && options->wakers;

	(void)bpf_program__set_autoload(skeleton->progs.on_switch, ends);
	(void)bpf_program__set_autoload(skeleton->progs.on_switched, ends);
	(void)bpf_program__set_autoload(skeleton->progs.on_switch_ahead, loops);
	(void)bpf_program__set_autoload(skeleton->progs.on_switch_bounded, on && !ends && !loops);
	(void)bpf_program__set_autoload(skeleton->progs.on_waking, on && !wakers);
	(void)bpf_program__set_autoload(skeleton->progs.on_waking_stack, wakers && way->loops);
	(void)bpf_program__set_autoload(skeleton->progs.on_waking_bounded, wakers && !way->loops);
	(void)bpf_program__set_autoload(skeleton->progs.on_new_thread, on);
	(void)bpf_program__set_autoload(skeleton->progs.find_threads, on);
	(void)bpf_program__set_autoload(skeleton->progs.report_threads, on);
	(void)bpf_map__set_autocreate(skeleton->maps.thread_times, on && !way->hash);
	(void)bpf_map__set_autocreate(skeleton->maps.thread_hash, on && way->hash);
	skeleton->rodata->off_cpu_ahead = !ends;
	skeleton->rodata->times_in_hash = way->hash;
	skeleton->rodata->switch_has_state =
		on && tracepoint_parameters("btf_trace_sched_switch") > 3;
	skeleton->rodata->off_cpu_kernel_threads = options->off_cpu_kernel;
	skeleton->rodata->off_cpu_min_ns = options->off_cpu_min_ns;
	skeleton->rodata->off_cpu_max_ns = options->off_cpu_max_ns;
}

int loader_off_cpu_attach(struct tidemark_bpf *skeleton)
{
	struct bpf_program *const programs[] = {
		skeleton->progs.on_new_thread,     skeleton->progs.on_switch,
		skeleton->progs.on_switch_ahead,   skeleton->progs.on_switch_bounded,
		skeleton->progs.on_waking,         skeleton->progs.on_waking_stack,
		skeleton->progs.on_waking_bounded, skeleton->progs.on_switched,
	};
	struct bpf_link **const links[] = {
		&skeleton->links.on_new_thread,     &skeleton->links.on_switch,
		&skeleton->links.on_switch_ahead,   &skeleton->links.on_switch_bounded,
		&skeleton->links.on_waking,         &skeleton->links.on_waking_stack,
		&skeleton->links.on_waking_bounded, &skeleton->links.on_switched,
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (!bpf_program__autoload(programs[i]))
			continue;
		*links[i] = bpf_program__attach(programs[i]);
		if (!*links[i])
			return -errno;
	}
	return 0;
}
