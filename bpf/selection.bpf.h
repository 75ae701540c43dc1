/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * selection - which processes are sampled: all, or those in `selected` and their children
 */

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"

#define SELECTION_ENDED (~0u) /* in place of an exec id */

/* Set by the collector before load: only the processes in `selected` are sampled. */
const volatile bool selecting = false;

__u64 selected_count; /* processes in `selected` */
__u64 selected_full;  /* children that did not fit */

static __always_inline bool selection_has(__u32 tgid, __u64 start)
{
	struct tm_process_key key = {tgid, 0, start};

	return bpf_map_lookup_elem(&selected, &key) != NULL;
}

static __always_inline void selection_add(__u32 tgid, __u64 start)
{
	struct tm_process_key key = {tgid, 0, start};
	__u64 marked = 1;
	long error = bpf_map_update_elem(&selected, &key, &marked, BPF_NOEXIST);

	if (!error)
		nesting_add(&selected_count, 1);
	else if (error != -17 /* EEXIST */)
		nesting_add(&selected_full, 1);
}

/*
 * An exiting process leaves `selected` at once, but may run for long while it frees its memory.
 * Until then an entry in `exits` keeps it selected.
 */
static __always_inline void selection_end(__u32 tgid, __u64 start)
{
	struct tm_process_key key = {tgid, 0, start}, exiting = {tgid, SELECTION_ENDED, start};
	__u32 ended = 1;

	if (!selection_has(tgid, start))
		return;
	bpf_map_update_elem(&exits, &exiting, &ended, BPF_ANY);
	if (!bpf_map_delete_elem(&selected, &key))
		nesting_add(&selected_count, -1ull);
}

static __always_inline bool selection_holds(__u64 task)
{
	__u32 tgid = (__u32)(bpf_get_current_pid_tgid() >> 32);
	struct tm_process_key exiting = {tgid, SELECTION_ENDED, task_start(task)};

	if (selection_has(tgid, exiting.start_boottime))
		return true;
	return TASK_FIELD(task, flags) & PF_EXITING && bpf_map_lookup_elem(&exits, &exiting);
}
