/* SPDX-License-Identifier: Apache-2.0 */
/* time_namespace - whether CLOCK_MONOTONIC here is that of the kernel's records */

#include "shared/time_namespace.h"

#include <stdio.h>

bool tm_time_namespace_is_shifted(void)
{
	FILE *offsets = fopen("/proc/self/timens_offsets", "re");
	long long seconds = 0, ns = 0;

	if (!offsets)
		return false; /* a kernel without time namespaces */
	if (fscanf(offsets, "monotonic %lld %lld", &seconds, &ns) != 2)
		seconds = ns = 0;
	(void)fclose(offsets);
	return seconds || ns;
}
