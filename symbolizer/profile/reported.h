/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reported - what a symbolizer has reported so far, in a form that its successor can go on from
 *
 * Shape      a sealed memfd of one struct reported. The collector keeps it between two symbolizers
 *            of the service (REPORTED, RESUME of shared/wire.h) and does not look into it; systemd
 *            keeps it, too (symbolizer/service_reported.h), also where both end.
 * Trust      the one before us may have been taken over: magic, size and sums are checked. What it
 *            lies about is its own reports alone.
 * Errors     -errno; -EBADMSG: not one of these.
 */

#include <stdint.h>

#include "symbolizer/profile/accounting.h"

#define REPORTED_MAGIC 0x31504552444d4954ull /* "TIMDREP1" */

struct reported {
	uint64_t magic;
	uint64_t bytes;          /* of this struct: another version has others */
	uint64_t generation;     /* of the ring: it is of no use for another */
	uint64_t until_ktime;    /* W at which the last report ended */
	struct tm_counts counts; /* accounting_baseline() */
};

/* Return: descriptor, -errno. */
int reported_seal(const struct tm_counts *counts, uint64_t generation, uint64_t until_ktime);
/* @fd: stays the caller's. Return: 0, -EBADMSG, -errno. */
int reported_read(int fd, struct reported *ret_reported);
