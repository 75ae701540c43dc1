/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* periods - what periods.bpf.c and periods.c have in common */

struct periods_hit { /* of the event, since its period was set last */
	__u64 hits;
	__u64 first_ktime;
	__u64 claimed; /* by the context of the last one: its sample_period */
};
