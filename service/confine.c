/* SPDX-License-Identifier: Apache-2.0 */
/* confine - drops every capability but CAP_PERFMON, and installs the filter service.seccomp */

#include "service/confine.h"

#include <errno.h>
#include <sys/capability.h>

#include "service_filter.h"
#include "shared/sandbox.h"

/* Those of them that the account does not hold stay so. Return: 0, -errno. */
static int keep_perfmon(void)
{
	static const cap_value_t kept[] = {CAP_PERFMON};
	cap_t now = cap_get_proc(), next = cap_init();
	cap_flag_value_t held = CAP_CLEAR;
	int r = now && next && cap_reset_ambient() == 0 ? 0 : -1;

	if (r == 0)
		r = cap_get_flag(now, kept[0], CAP_PERMITTED, &held);
	if (r == 0 && held)
		r = cap_set_flag(next, CAP_PERMITTED, 1, kept, CAP_SET) |
		    cap_set_flag(next, CAP_EFFECTIVE, 1, kept, CAP_SET);
	if (r == 0)
		r = cap_set_proc(next);
	r = r < 0 ? -errno : 0;
	(void)cap_free(now);
	(void)cap_free(next);
	return r;
}

int confine(void)
{
	int r = tm_sandbox_harden();

	if (r == 0)
		r = keep_perfmon();
	return r < 0 ? r : tm_sandbox_filter(&service_filter);
}
