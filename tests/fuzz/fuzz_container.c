/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_container - hostile cgroup paths
 */

#include <stdlib.h>
#include <string.h>

#include "symbolizer/profile/container.h"
#include "symbolizer/profile/unit.h"
#include "tests/fuzz/fuzz.h"

/* An id consists of hex digits and dashes, and is a part of the path. */
static void check(const char *path, const struct container *container)
{
	size_t id = strnlen(container->id, sizeof(container->id));
	size_t pod = strnlen(container->pod, sizeof(container->pod));

	if (id == sizeof(container->id) || pod == sizeof(container->pod) || (pod && !id))
		abort();
	if (strspn(container->id, "0123456789abcdef-") != id ||
	    strspn(container->pod, "0123456789abcdef-") != pod || !strstr(path, container->id))
		abort();
}

/* A unit is one component of the path, or its end, followed by ".service". */
static void check_unit(const char *path)
{
	struct unit_name unit;
	const char *end;

	if (unit_of(path, &unit) != 0)
		return;
	end = unit.text + unit.bytes;
	if (unit.bytes == 0 || unit.text <= path || end >= path + strlen(path) ||
	    memchr(unit.text, '/', unit.bytes) || strncmp(end, ".service", 8) != 0 ||
	    (end[8] != '\0' && end[8] != '/'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *path = malloc(bytes + 1);
	struct container container;

	if (!path)
		abort();
	memcpy(path, data, bytes);
	path[bytes] = '\0';
	container_of(path, &container);
	check(path, &container);
	check_unit(path);
	free(path);
	return 0;
}
