/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reported - what a symbolizer has reported so far, in a form that its successor can go on from
 */

#include "symbolizer/profile/reported.h"

#include <errno.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/region.h"

_Static_assert(sizeof(struct reported) <= TM_REPORTED_MAX_BYTES, "the collector keeps it");

int reported_seal(const struct tm_counts *counts, uint64_t generation, uint64_t until_ktime)
{
	const struct reported reported = {
		.magic = REPORTED_MAGIC,
		.bytes = sizeof(reported),
		.generation = generation,
		.until_ktime = until_ktime,
		.counts = *counts,
	};

	return tm_region_seal_blob("tidemark-reported", &reported, sizeof(reported));
}

int reported_read(int fd, struct reported *ret_reported)
{
	_cleanup_(tm_freep) void *copy = NULL;
	struct reported reported;
	size_t bytes;
	int r = tm_region_copy_blob(fd, sizeof(reported), sizeof(reported), &copy, &bytes);

	if (r < 0)
		return r;
	memcpy(&reported, copy, sizeof(reported));
	if (reported.magic != REPORTED_MAGIC || reported.bytes != sizeof(reported))
		return -EBADMSG;
	*ret_reported = reported;
	return 0;
}
