/* SPDX-License-Identifier: GPL-2.0 */
/*
 * timer_hits - counts, from outside, in whose time the timers of tidemark's perf events went off
 */

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tests/integration/programs/timer_hits.h"

char LICENSE[] SEC("license") = "GPL";

/* What we read of the kernel's; the rest is left to the loader. */
#define KERNEL_STRUCT __attribute__((preserve_access_index))
struct task_struct {
	struct task_struct *group_leader;
	__u64 start_boottime;
} KERNEL_STRUCT;
struct hrtimer {
	void *function;
} KERNEL_STRUCT;
struct hw_perf_event {
	struct hrtimer hrtimer;
} KERNEL_STRUCT;
struct bpf_prog_aux {
	__u32 id;
} KERNEL_STRUCT;
struct bpf_prog {
	struct bpf_prog_aux *aux;
} KERNEL_STRUCT;
struct perf_event {
	struct hw_perf_event hw;
	struct bpf_prog *prog;
} KERNEL_STRUCT;

/*
 * perf_swevent_hrtimer; 0 where the kernel hides addresses: of other timers no such id can be
 * read.
 */
const volatile __u64 timer_function = 0;
const volatile __u32 sampler = 0; /* id of tidemark's sampling program */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIMER_HITS_PROCESSES_MAX);
	__type(key, struct timer_hits_key);
	__type(value, struct timer_hits_process);
} hits SEC(".maps");

const volatile __u32 only = 0;          /* the process that `chosen` counts; 0: all */
const volatile __u64 namespace_dev = 0; /* the PID namespace of who counts, and of `only` */
const volatile __u64 namespace_ino = 0;

__u64 fired;          /* in all, the idle tasks' included */
__u64 chosen;         /* of these, in the time of the process, or of any that is not idle */
__u64 processes_full; /* found no room there */

static __always_inline bool is_tidemarks(const struct hrtimer *timer)
{
	const struct perf_event *event;

	if (timer_function && (__u64)BPF_CORE_READ(timer, function) != timer_function)
		return false;
	event = (const void *)timer - bpf_core_field_offset(struct perf_event, hw.hrtimer);
	return BPF_CORE_READ(event, prog, aux, id) == sampler;
}

/* Return: the running process's number in that namespace, 0 when it is not in there. */
static __always_inline __u32 own_tgid(void)
{
	struct bpf_pidns_info found = {0};

	if (bpf_get_ns_current_pid_tgid(namespace_dev, namespace_ino, &found, sizeof(found)))
		return 0;
	return found.tgid;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(count_hit, struct hrtimer *timer)
{
	const struct task_struct *task = (const void *)bpf_get_current_task();
	struct timer_hits_key key = {.tgid = bpf_get_current_pid_tgid() >> 32};
	struct timer_hits_process first = {.fired = 1}, *known;

	if (!is_tidemarks(timer))
		return 0;
	__sync_fetch_and_add(&fired, 1);
	if (!key.tgid)
		return 0;
	first.own_tgid = own_tgid();
	if (!only || first.own_tgid == only)
		__sync_fetch_and_add(&chosen, 1);
	key.start_boottime = BPF_CORE_READ(task, group_leader, start_boottime);
	known = bpf_map_lookup_elem(&hits, &key);
	if (known)
		__sync_fetch_and_add(&known->fired, 1);
	else if (bpf_map_update_elem(&hits, &key, &first, BPF_NOEXIST))
		__sync_fetch_and_add(&processes_full, 1);
	return 0;
}
