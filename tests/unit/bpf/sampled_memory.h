/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * sampled_memory - the mm of the process that a test samples, for sampled.c
 */

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/bpf_host.h"

/* Makes the mappings and files anew, as that kernel keeps them. */
struct mm_struct *sampled_make_memory(enum bpf_host_kernel kernel);
/* Sets what the test has changed in `sampled`. */
void sampled_refresh_memory(void);
