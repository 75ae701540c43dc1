/* SPDX-License-Identifier: Apache-2.0 */
/* privileges - drops the capabilities that are no longer needed, and confines the collector */

#include "collector/privileges.h"

#include <errno.h>

#include "collector_filter.h"
#include "shared/sandbox.h"

static const cap_value_t kept[] = {CAP_BPF, CAP_PERFMON};

int privileges_keep(const cap_value_t *capabilities, unsigned count)
{
	cap_t now = cap_get_proc(), next = cap_init();
	int r = now && next && cap_reset_ambient() == 0 ? 0 : -1;

	for (unsigned i = 0; r == 0 && i < count; i++) {
		cap_flag_value_t held = CAP_CLEAR;

		r = cap_get_flag(now, capabilities[i], CAP_PERMITTED, &held);
		if (r == 0 && held)
			r = cap_set_flag(next, CAP_PERMITTED, 1, &capabilities[i], CAP_SET) |
			    cap_set_flag(next, CAP_EFFECTIVE, 1, &capabilities[i], CAP_SET);
	}
	if (r == 0)
		r = cap_set_proc(next);
	r = r < 0 ? -errno : 0;
	(void)cap_free(now);
	(void)cap_free(next);
	return r;
}

int privileges_confine(unsigned long descriptors)
{
	int r = tm_sandbox_harden();

	if (r == 0)
		r = privileges_keep(kept, sizeof(kept) / sizeof(*kept));
	if (r == 0)
		r = tm_sandbox_limits(descriptors, 0);
	return r == 0 ? tm_sandbox_filter(&collector_filter) : r;
}
