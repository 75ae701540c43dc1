/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox - confines a process: hardening, resource limits, seccomp filter */

#include "shared/sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Variables of the service manager (sd_notify(3), sd_listen_fds(3)); all others are removed. */
static const char *const kept[] = {"NOTIFY_SOCKET",        "WATCHDOG_USEC", "WATCHDOG_PID",
				   "LISTEN_FDS",           "LISTEN_PID",    "LISTEN_FDNAMES",
				   "CREDENTIALS_DIRECTORY"};

static bool is_kept(const char *entry)
{
	size_t i, length = strcspn(entry, "=");

	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strlen(kept[i]) == length && memcmp(kept[i], entry, length) == 0)
			return true;
	return false;
}

static void clear_environment(void)
{
	char **from, **to = environ;

	if (environ == NULL)
		return;
	for (from = environ; *from != NULL; from++)
		if (is_kept(*from))
			*to++ = *from;
	*to = NULL;
}

static int limit(__rlimit_resource_t resource, unsigned long value)
{
	const struct rlimit both = {value, value};

	return setrlimit(resource, &both) < 0 ? -errno : 0;
}

int tm_sandbox_harden(void)
{
	clear_environment();
	(void)umask(077);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    (!TM_SANITIZED && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0))
		return -errno;
	return limit(RLIMIT_CORE, 0);
}

int tm_sandbox_limits(unsigned long descriptors, unsigned long address_space_bytes)
{
	int r = 0;

	if (descriptors > 0)
		r = limit(RLIMIT_NOFILE, descriptors);
	if (r == 0 && address_space_bytes > 0 && !TM_SANITIZED)
		r = limit(RLIMIT_AS, address_space_bytes);
	return r;
}

unsigned long tm_sandbox_descriptors(unsigned long most)
{
	struct rlimit now;

	return getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max < most ? now.rlim_max : most;
}

int tm_sandbox_filter(const struct tm_filter *filter)
{
#ifdef TM_NO_SANDBOX
	return filter->count > 0 ? 0 : -EINVAL;
#else
	const struct sock_fprog program = {
		.len = filter->count,
		.filter = (struct sock_filter *)(size_t)filter->instructions,
	};
	long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);

	if (r < 0)
		return -errno;
	/* A positive result is the id of a thread that could not be put under the filter. */
	return r > 0 ? -EBUSY : 0;
#endif
}
