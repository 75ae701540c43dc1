/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kallsyms_refresh - reads the kernel's symbols again when an unknown address was sampled
 *
 * Why        modules and BPF programs are loaded while a recording runs.
 * Shape      at most one reading in KALLSYMS_REFRESH_MS, in slices of some ms, one per round, so
 *            that W is not held up. A reading that fails has no effect and is counted.
 * Vain       a reading that fails or finds nothing new. The addresses it was begun for start the
 *            next one only after twice the time, KALLSYMS_REFRESH_DOUBLINGS times; on other pages
 *            an unknown address starts one as soon as ever.
 * Owner      the symbols and the context stay the caller's.
 * Threads    one. Never waits.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/kallsyms.h"

#define KALLSYMS_REFRESH_MS        10000
#define KALLSYMS_REFRESH_DOUBLINGS 6u       /* to 640 s */
#define KALLSYMS_REFRESH_SLICE_NS  2000000u /* after which a round begins no further read */

struct kallsyms_refresh {
	struct kallsyms *symbols;
	void *context;
	int (*open)(void *context); /* Return: descriptor to read from, -errno */
	int fd;                     /* -1: no reading is under way */
	uint64_t begun_ms;          /* the last one; 0: there was none */
	uint64_t asked;             /* as symbols->unknown_pages: what the last one was begun for */
	uint64_t vain;              /* those of vain ones, since something new was found */
	unsigned doublings;         /* of the time until one that is begun for these alone */
	int error;                  /* of the last one that failed: -errno */
	uint64_t readings;
	uint64_t failed;
};

/* Return: whether there is a new table. */
bool kallsyms_refresh_advance(struct kallsyms_refresh *refresh, uint64_t now_ms);
void kallsyms_refresh_deinit(struct kallsyms_refresh *refresh);
