/* SPDX-License-Identifier: Apache-2.0 */
/* preflight - checks that this host and this account can record, before anything is changed */

#include "cli/preflight.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/kernel_types.h"
#include "cli/spawn.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

#define FILES_LEAST 176 /* of the collector: DESCRIPTORS_SPARE, and what it has at the start */
#define FILES_CPU   4   /* its event, and while they are made its ring and scratch memory */

/* Without CAP_SYSLOG kernel frames may lack names; the rest is needed. */
static const struct {
	cap_value_t value;
	const char *name;
} needed[] = {
	{CAP_BPF, "CAP_BPF"},
	{CAP_PERFMON, "CAP_PERFMON"},
	{CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
	{CAP_SETUID, "CAP_SETUID"},
	{CAP_SETGID, "CAP_SETGID"},
	{CAP_SETPCAP, "CAP_SETPCAP"},
};

static const char *missing_capability(void)
{
	cap_t own = cap_get_proc();
	const char *missing = NULL;
	cap_flag_value_t value;
	size_t i;

	for (i = 0; own && !missing && i < sizeof(needed) / sizeof(needed[0]); i++)
		if (cap_get_flag(own, needed[i].value, CAP_EFFECTIVE, &value) < 0 ||
		    value != CAP_SET)
			missing = needed[i].name;
	(void)cap_free(own);
	return missing;
}

/* What the collector must be able to open: its spare ones, and those of each CPU. Return: whether
 * the hard limit allows it, else after printing so. */
static bool files_suffice(void)
{
	rlim_t least = FILES_LEAST + FILES_CPU * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_max >= least)
		return true;
	terminal_print("recording needs %llu descriptors here, and the hard limit is %llu: raise "
		       "it (ulimit -Hn, LimitNOFILE=)",
		       (unsigned long long)least, (unsigned long long)files.rlim_max);
	return false;
}

/* Whether the clock of what we start is not that of the kernel's records: no watermark would hold
 * then. Source: time_namespaces(7). */
static bool clock_is_shifted(void)
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

int preflight_check(void)
{
	const char *missing;

	if (geteuid() != 0) {
		terminal_print("recording needs root, and this is uid %u: run it with sudo",
			       geteuid());
		return EXIT_CODE_HOST;
	}
	missing = missing_capability();
	if (missing) {
		terminal_print(
			"recording needs %s, which root lacks here: give it to this container",
			missing);
		return EXIT_CODE_HOST;
	}
	if (!files_suffice())
		return EXIT_CODE_HOST;
	if (clock_is_shifted()) {
		terminal_print("this time namespace has another clock than the kernel: start "
			       "tidemark outside of it");
		return EXIT_CODE_HOST;
	}
	if (access(KERNEL_TYPES_BTF, R_OK) < 0) {
		terminal_print("%s: %s; recording needs a kernel with BTF (CONFIG_DEBUG_INFO_BTF)",
			       KERNEL_TYPES_BTF, strerror(errno));
		return EXIT_CODE_HOST;
	}
	return 0;
}

void preflight_describe_off_cpu(void)
{
	int r = kernel_types_find_tracepoint(KERNEL_TYPES_BTF, "sched_exit_tp");

	if (r == KERNEL_TYPES_E_NONE)
		terminal_print("this kernel lacks the tracepoint sched_exit_tp: the stacks of "
			       "waiting threads are taken before they wait, have at most 256 "
			       "frames, and the times by stack are less exact");
	else if (r < 0)
		terminal_verbose("%s cannot be read: %s", KERNEL_TYPES_BTF, strerror(-r));
	else
		terminal_verbose("stacks of waiting threads are taken as they run again "
				 "(sched_exit_tp)");
}

int preflight_check_processes(const struct options *options)
{
	size_t i;

	for (i = 0; i < options->pid_count; i++) {
		_cleanup_(tm_closep) int pidfd = spawn_pidfd(options->pids[i]);

		if (pidfd == -ESRCH) {
			terminal_print("-p %d: no such process", options->pids[i]);
			return EXIT_CODE_FAILED;
		}
		if (pidfd < 0) {
			terminal_print("-p %d: the process cannot be opened: %s", options->pids[i],
				       strerror(-pidfd));
			return EXIT_CODE_FAILED;
		}
	}
	return 0;
}

bool preflight_finds_processes(const struct options *options)
{
	size_t i;

	for (i = 0; i < options->pid_count; i++) {
		_cleanup_(tm_closep) int pidfd = spawn_pidfd(options->pids[i]);

		if (pidfd < 0)
			return false;
	}
	return options->pid_count > 0;
}

/* Since 5.11 BPF memory is charged to the cgroup instead. */
static bool memory_counts_as_locked(void)
{
	unsigned major = 0, minor = 0;
	struct utsname kernel;

	if (uname(&kernel) < 0 || sscanf(kernel.release, "%u.%u", &major, &minor) != 2)
		return false;
	return major < 5 || (major == 5 && minor < 11);
}

void preflight_raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

void preflight_raise_limits(void)
{
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};

	preflight_raise_files();
	if (memory_counts_as_locked() && setrlimit(RLIMIT_MEMLOCK, &unlimited) < 0)
		terminal_print(
			"RLIMIT_MEMLOCK cannot be raised: %s; BPF maps count against it on this "
			"kernel and may not fit",
			strerror(errno));
}
