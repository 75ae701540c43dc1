/* SPDX-License-Identifier: Apache-2.0 */
/* confine - takes from the two processes of a recording's command whatever they do not need */

#include "cli/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/credentials.h"
#include "cli/exit_code.h"
#include "cli/perf_events.h"
#include "cli/terminal.h"
#include "record_filter.h"
#include "shared/cleanup.h"
#include "shared/landlock.h"
#include "shared/sandbox.h"
#include "starter_filter.h"

#define DESCRIPTORS_MAX 128 /* sockets of nine programs, and the files of two reports */

static int refuse(const char *step, int error)
{
	terminal_print("root's rights cannot be given up: %s: %s", step, strerror(error));
	return EXIT_CODE_HOST;
}

/* Ours are closed on exec; the others the caller had open, for COMMAND. Nor is anything read from
 * stdin, where COMMAND may be given a password. Return: 0, -errno. */
static int leave_descriptors(void)
{
	_cleanup_(tm_closep) int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	DIR *folder = null < 0 ? NULL : opendir("/proc/self/fd");
	const struct dirent *entry;

	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd > STDERR_FILENO && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			(void)close(fd);
	}
	(void)closedir(folder);
	return dup2(null, STDIN_FILENO) < 0 ? -errno : 0;
}

int confine_command(struct uid_pool_account account)
{
	static const char *const paths[] = {"/proc", "/sys/devices/system/cpu", NULL};
	const struct tm_landlock_allowed allowed = {.paths = paths};
	struct credentials_failure failure;
	int r;

	r = leave_descriptors();
	if (r < 0)
		return refuse("descriptors", -r);
	if (credentials_give_up(account, &failure) < 0)
		return refuse(failure.step, failure.error);
	r = tm_sandbox_harden();
	if (r < 0)
		return refuse("hardening", -r);
	r = tm_sandbox_limits(DESCRIPTORS_MAX, 0);
	if (r < 0)
		return refuse("limit of descriptors", -r);
	r = TM_SANITIZED ? 0 : tm_landlock_enter(&allowed); /* its leak check reads folders */
	if (r < 0)
		return refuse("Landlock", -r);
	r = tm_sandbox_filter(&record_filter);
	return r < 0 ? refuse("seccomp filter", -r) : 0;
}

int confine_starter(void)
{
	/* The last one only where the kernel demands it for perf events. */
	static const cap_value_t kept[] = {
		/* folders and accounts of others */
		CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP,
		/* what the programs get */
		CAP_BPF, CAP_PERFMON, CAP_SYSLOG, CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH,
		CAP_CHECKPOINT_RESTORE, CAP_SYS_ADMIN};
	const size_t count = sizeof(kept) / sizeof(*kept) - !perf_events_need_admin();
	struct credentials_failure failure;
	int r;

	if (credentials_keep(kept, count, &failure) < 0)
		return refuse(failure.step, failure.error);
	r = tm_sandbox_filter(&starter_filter);
	return r < 0 ? refuse("seccomp filter", -r) : 0;
}
