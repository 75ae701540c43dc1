/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clocks - stamps with the clock of records, between two readings by user space
 */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "tests/integration/programs/clocks.h"

char LICENSE[] SEC("license") = "GPL";

__u32 renamer;                      /* thread group whose renames are stamped */
struct clocks clocks[CLOCKS_SLOTS]; /* by the kind of thread: its comm's first letter */

SEC("tp_btf/task_rename")
int stamp(void *ctx)
{
	char comm[16];
	struct clocks *readings;
	__u64 posted, own;

	if ((__u32)(bpf_get_current_pid_tgid() >> 32) != renamer)
		return 0;
	bpf_get_current_comm(comm, sizeof(comm));
	readings = &clocks[(__u8)(comm[0] - 'a') % CLOCKS_SLOTS];
	posted = *(volatile __u64 *)&readings->posted; /* by another CPU, before our own reading */
	own = bpf_ktime_get_ns();
	*(volatile __u64 *)&readings->stamped = own;
	if (posted > own && posted - own > readings->back)
		readings->back = posted - own;
	readings->count++;
	return 0;
}
