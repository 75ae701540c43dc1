/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit - finds the systemd service of a cgroup path
 */

#include "symbolizer/profile/unit.h"

#include <stdbool.h>
#include <string.h>

#define SLICE   ".slice"
#define SERVICE ".service"

/* Removes @suffix. Return: whether something stands before it. */
static bool cut_suffix(struct unit_name *name, const char *suffix)
{
	size_t bytes = strlen(suffix);

	if (name->bytes <= bytes || memcmp(name->text + name->bytes - bytes, suffix, bytes) != 0)
		return false;
	name->bytes -= bytes;
	return true;
}

static bool is_of_users(struct unit_name slice)
{
	return slice.bytes == 4 && memcmp(slice.text, "user", 4) == 0;
}

int unit_of(const char *cgroup, struct unit_name *ret_name)
{
	bool in_slice = false;

	while (*cgroup == '/') {
		const char *end = strchrnul(++cgroup, '/');
		struct unit_name name = {cgroup, (size_t)(end - cgroup)};

		cgroup = end;
		if (cut_suffix(&name, SLICE)) {
			if (is_of_users(name))
				return UNIT_E_NONE;
			in_slice = true;
			continue;
		}
		if (!in_slice || !cut_suffix(&name, SERVICE))
			return UNIT_E_NONE;
		if (name.text[0] == '_' && name.bytes > 1) {
			name.text++;
			name.bytes--;
		}
		*ret_name = name;
		return 0;
	}
	return UNIT_E_NONE;
}
