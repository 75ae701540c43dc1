/* SPDX-License-Identifier: Apache-2.0 */
/* privs - drops rights to what steady work needs */

#include "collector/privs.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "collector_filter.h"
#include "shared/sandbox.h"

static const cap_value_t steady_rights[] = {CAP_BPF, CAP_PERFMON};

static bool held(cap_t caps, cap_value_t right)
{
	cap_flag_value_t value = CAP_CLEAR;

	return cap_get_flag(caps, right, CAP_PERMITTED, &value) == 0 && value == CAP_SET;
}

/* The bounding set needs CAP_SETPCAP, which we never have under our own account: the command has
 * emptied it, and no_new_privs holds besides. */
static void shrink_bounding_set(void)
{
	for (cap_value_t right = 0; cap_get_bound(right) >= 0; right++)
		(void)cap_drop_bound(right);
}

static int keep_steady_rights(void)
{
	cap_t now = cap_get_proc();
	cap_t next = cap_init();
	int r = now && next ? 0 : -ENOMEM;

	for (unsigned i = 0; r == 0 && i < sizeof(steady_rights) / sizeof(*steady_rights); i++) {
		const cap_value_t *right = &steady_rights[i];

		if (held(now, *right) && (cap_set_flag(next, CAP_PERMITTED, 1, right, CAP_SET) < 0 ||
					  cap_set_flag(next, CAP_EFFECTIVE, 1, right, CAP_SET) < 0))
			r = -errno;
	}
	if (r == 0 && (cap_reset_ambient() < 0 || cap_set_proc(next) < 0))
		r = -errno;
	(void)cap_free(now);
	(void)cap_free(next);
	return r;
}

void privs_begin(void)
{
	(void)prctl(PR_SET_NAME, "tidemark-collec"); /* 15 bytes are shown */
}

int privs_drop(unsigned long descriptors)
{
	int r = tm_sandbox_harden();

	if (r < 0)
		return r;
	shrink_bounding_set();
	r = keep_steady_rights();
	if (r == 0)
		r = tm_sandbox_limits(descriptors, 0);
	return r == 0 ? tm_sandbox_filter(&collector_filter) : r;
}
