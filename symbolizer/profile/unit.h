/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * unit - finds the systemd service of a cgroup path
 *
 * Form       /NAME.slice/.../UNIT.service/..., from the root: slices alone lie above the unit, and
 *            what it makes below itself does not count. An underscore that systemd puts before a
 *            name which would mean something to the kernel is left out.
 * Trust      below user.slice the names are those of users, so nothing there is a service; the
 *            other slices are root's.
 * Source     systemd.slice(5), systemd.unit(5).
 */

#include <stddef.h>

struct unit_name { /* without ".service", in the path; not NUL-terminated, never empty */
	const char *text;
	size_t bytes;
};

enum {
	UNIT_E_NONE = 1,
};

/* @cgroup: a path from the root of the cgroup hierarchy. Return: 0, UNIT_E_NONE. */
int unit_of(const char *cgroup, struct unit_name *ret_name);
