/* SPDX-License-Identifier: GPL-2.0 */
/* periods - counts the hits of one perf event, and keeps what their context says of the period */

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include <bpf/bpf_helpers.h>

#include "tests/kernels/periods.h"

char LICENSE[] SEC("license") = "GPL";

struct periods_hit hit;

SEC("perf_event")
int count(struct bpf_perf_event_data *ctx)
{
	if (!hit.hits)
		hit.first_ktime = bpf_ktime_get_ns();
	hit.hits++;
	hit.claimed = ctx->sample_period;
	return 0;
}
