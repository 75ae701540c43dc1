/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_shares - whose samples of a report have a share of the spool of their own
 *
 * Why        the spool holds a number of bytes. Whoever brings many (deep and ever different
 *            stacks, processes, names) would shorten everybody's history; so his reports are parts
 *            of their own, and what goes for them are older ones of his (symbolizer/spool/store.h).
 * Owner      as profile/owner.h says. Where nearly all that the others of a cgroup than root bring
 *            is one user's, his processes alone.
 * Own        of the owners who bring most, so that the others' part is about what the spool can
 *            keep for its whole age (REPORT_SHARES_BYTES); at most REPORT_SHARES_OWN at a time, and
 *            one share for all who come later. An owner keeps his share for
 *            REPORT_SHARES_KEEP_NS after he needed it last, the usual age; a start of the
 *            symbolizer gives it to him again, unless another one has taken it.
 * Limits     users of one cgroup of whom several bring much have one share.
 */

#include "symbolizer/output/report.h"
#include "symbolizer/spool/spool.h"

/* Not compressed, in REPORT_SHARES_TIME_NS: about a quarter of them is left by gzip, and that for
 * 24 h is the 256 MiB that a spool has by default. */
#define REPORT_SHARES_BYTES   (64u << 10)
#define REPORT_SHARES_TIME_NS (5ull * 1000000000)
#define REPORT_SHARES_OWN     (SPOOL_SHARES - 2) /* 1 to 6 */
#define REPORT_SHARES_LATER   (SPOOL_SHARES - 1)
#define REPORT_SHARES_KEEP_NS (86400ull * 1000000000)
#define REPORT_SHARES_NAME    520u /* of two levels, each as long as a file's name */

struct report_shares_owner {
	char cgroup[REPORT_SHARES_NAME];
	bool root;
	uint64_t needed_ns; /* last; 0: the share is nobody's */
};

struct report_shares {
	struct report_shares_owner owners[REPORT_SHARES_OWN];
};

/* @now_ns: of any clock that rises. *ret_shares: of each process, the caller's to free; NULL: all
 * have share 0. Return: 0, -ENOMEM. */
int report_shares_give(struct report_shares *shares, const struct report *report, uint64_t now_ns,
		       uint8_t **ret_shares);
