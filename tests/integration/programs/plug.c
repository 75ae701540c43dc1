/* SPDX-License-Identifier: Apache-2.0 */
/* plug - a library that `reload` loads, calls and unloads */

#include <stdint.h>
#include <stdlib.h>

__attribute__((visibility("default"))) uint64_t plug_work(uint64_t x, unsigned depth);

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t plug_work(uint64_t x, unsigned depth)
{
	uint64_t numbers[64];

	if (depth)
		return plug_work(x + 1, depth - 1) + depth;
	for (unsigned round = 0; round < 20; round++) {
		for (size_t i = 0; i < 64; i++)
			numbers[i] = x = x * 6364136223846793005u + 1442695040888963407u;
		qsort(numbers, 64, sizeof(*numbers), compare);
		x += numbers[1];
	}
	return x;
}
