/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * lookup - what the lookup test's two halves say to each other
 */

#include <linux/types.h>

#define LOOKUP_CPUS 256
#define LOOKUP_SEEN 65536

struct lookup_mapping {
	__u64 start;
	__u64 end;
	__u64 pgoff;
	__u64 ino;
	__u64 dev;
};

struct lookup_counts {
	__u64 lookups;
	__u64 ns; /* in all of them */
	__u64 retries;
	__u64 none; /* answers that must not be, for the pc of a running thread */
	__u64 busy;
	__u64 deep;
	__u64 compared; /* beside the helper */
	__u64 equal;
	__u64 helper_refused;
};
