/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup - runs the lock-free mapping lookup beside bpf_find_vma on every sampled user pc
 *
 * What the lookup found is also kept, for comparison with /proc/self/maps where the kernel has no
 * bpf_find_vma.
 */

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/vma.bpf.h"
#include "tests/kernels/lookup.h"

char LICENSE[] SEC("license") = "GPL";

__u32 target; /* tgid whose samples count, in this PID namespace */
__u64 namespace_dev, namespace_ino;
struct lookup_counts counts;
struct lookup_mapping different[2]; /* ours and the helper's, the first time they differ */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LOOKUP_CPUS * 2);
	__type(key, __u32);
	__type(value, struct lookup_mapping);
} answers SEC(".maps"); /* per CPU: ours, the helper's */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, LOOKUP_CPUS);
	__type(key, __u32);
	__type(value, struct kread);
} blocks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LOOKUP_SEEN);
	__type(key, __u64);
	__type(value, struct lookup_mapping);
} seen SEC(".maps"); /* by start; the last one found there */

static __always_inline struct lookup_mapping *answer(__u32 which)
{
	__u32 at = bpf_get_smp_processor_id() * 2 + which;

	return bpf_map_lookup_elem(&answers, &at);
}

static __always_inline void add(__u64 *counter, __u64 value)
{
	__sync_fetch_and_add(counter, value);
}

static __always_inline void describe(struct lookup_mapping *out, __u64 file)
{
	__u64 inode = (__u64)KERNEL_READ(file, file, f_inode);

	out->ino = KERNEL_READ(inode, inode, i_ino);
	out->dev = KERNEL_READ(inode, inode, i_sb, s_dev);
}

__noinline int look_up(__u64 mm, __u64 pc)
{
	struct lookup_mapping *out = answer(0);
	__u32 cpu = bpf_get_smp_processor_id();
	struct kread *block = bpf_map_lookup_elem(&blocks, &cpu);
	struct vma found = {};
	int status;

	if (!out || !block)
		return VMA_DEEP;
	status = vma_try(block, mm, pc, &found);
	out->start = found.start;
	out->end = found.end;
	out->pgoff = found.pgoff;
	describe(out, found.file);
	return status;
}

static long on_vma(struct task_struct *task, struct vm_area_struct *vma, void *data)
{
	struct lookup_mapping *out = answer(1);

	if (!out)
		return 0;
	out->start = BPF_CORE_READ(vma, vm_start);
	out->end = BPF_CORE_READ(vma, vm_end);
	out->pgoff = BPF_CORE_READ(vma, vm_pgoff);
	describe(out, (__u64)BPF_CORE_READ(vma, vm_file));
	return 0;
}

static __always_inline bool find(__u64 pc)
{
	__u64 mm = (__u64)KERNEL_READ(task_struct, bpf_get_current_task(), mm), begin;
	int status = VMA_BUSY;

	begin = bpf_ktime_get_ns();
	for (int i = 0; i < VMA_TRIES && status == VMA_BUSY; i++) {
		if (i)
			add(&counts.retries, 1);
		status = look_up(mm, pc);
	}
	add(&counts.ns, bpf_ktime_get_ns() - begin);
	add(&counts.lookups, 1);
	if (status == VMA_NONE)
		add(&counts.none, 1);
	if (status == VMA_BUSY)
		add(&counts.busy, 1);
	if (status == VMA_DEEP)
		add(&counts.deep, 1);
	return status == VMA_FOUND;
}

static __always_inline bool begin(struct bpf_perf_event_data *ctx, __u64 *pc)
{
	struct bpf_pidns_info own = {0};
	struct lookup_mapping *ours;

	if (bpf_get_ns_current_pid_tgid(namespace_dev, namespace_ino, &own, sizeof(own)) ||
	    own.tgid != target)
		return false;
	*pc = ctx->regs.rip;
	if (*pc >> 63 || !find(*pc))
		return false;
	ours = answer(0);
	if (!ours)
		return false;
	bpf_map_update_elem(&seen, &ours->start, ours, BPF_ANY);
	return true;
}

/* Beside the helper. The iterator's type of pointer is what the helper wants. */
SEC("perf_event")
int beside(struct bpf_perf_event_data *ctx)
{
	struct lookup_mapping *ours, *theirs;
	struct task_struct *task;
	__u64 pc;

	if (!begin(ctx, &pc))
		return 0;
	task = bpf_get_current_task_btf();
	if (bpf_find_vma(task, pc, on_vma, NULL, 0)) {
		add(&counts.helper_refused, 1);
		return 0;
	}
	ours = answer(0);
	theirs = answer(1);
	if (!ours || !theirs)
		return 0;
	add(&counts.compared, 1);
	if (ours->start == theirs->start && ours->end == theirs->end &&
	    ours->pgoff == theirs->pgoff && ours->ino == theirs->ino && ours->dev == theirs->dev) {
		add(&counts.equal, 1);
	} else {
		different[0] = *ours;
		different[1] = *theirs;
	}
	return 0;
}

/* For kernels without the helper. */
SEC("perf_event")
int alone(struct bpf_perf_event_data *ctx)
{
	__u64 pc;

	begin(ctx, &pc);
	return 0;
}
