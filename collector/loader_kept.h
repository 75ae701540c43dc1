/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * loader_kept - keeps maps, links and programs for the next collector, and goes on with the last's
 *
 * Shape      the programs that the last collector attached stay attached and write to the kept
 *            maps. What is not attached (iterators) is loaded anew, against the same maps.
 * Threads    one.
 */

#include "collector/kept.h"

struct tidemark_bpf;

/* Has @skeleton, which is opened and not loaded, take the kept maps, all that it would create, and
 * not load the kept programs; all stay kept, for another attempt. The kept variables are mapped:
 * skeleton->bss is to be kept->variables after the load. From then on everything is announced
 * again.
 * Return: 0, -ENOENT: one is missing, -errno. */
int loader_kept_reuse(struct tidemark_bpf *skeleton, struct kept *kept);
/* Return: @digest of the options, continued with all that another build has different. */
uint64_t loader_kept_layout(uint64_t digest);
/* Has maps, links and attached programs kept. @sample: the one that the perf events run. */
void loader_kept_keep(const struct tidemark_bpf *skeleton, const struct kept *kept, int sample);
