/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * clocks - the readings that user space and BPF exchange
 */

#include <stdint.h>

#define CLOCKS_SLOTS 2 /* 0: both on one CPU; 1: on two */

struct clocks {
	uint64_t posted;  /* newest clock_gettime of user space, ns */
	uint64_t stamped; /* newest bpf_ktime_get_ns */
	uint64_t back;    /* largest posted - own reading that came after it */
	uint64_t count;
	uint64_t pad[4];
};
