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
#include "shared/time_namespace.h"

#define FILES_LEAST   176 /* of the collector: DESCRIPTORS_SPARE, and what it has at the start */
#define MISSING_BYTES 160
#define FILES_CPU     4 /* its event, and while they are made its ring and scratch memory */

struct capability {
	cap_value_t value;
	const char *name;
};

static const struct capability needed[] = {
	{CAP_BPF, "CAP_BPF"},
	{CAP_PERFMON, "CAP_PERFMON"},
	{CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
	{CAP_KILL, "CAP_KILL"},
	{CAP_SETUID, "CAP_SETUID"},
	{CAP_SETGID, "CAP_SETGID"},
	{CAP_SETPCAP, "CAP_SETPCAP"},
};
static const struct capability useful[] = {
	{CAP_SYSLOG, "CAP_SYSLOG"},
	{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH"},
	{CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE"},
};

static void list_missing(cap_t own, const struct capability *each, size_t count, char *ret_text,
			 size_t bytes)
{
	size_t used = 0;

	*ret_text = '\0';
	for (size_t i = 0; i < count; i++) {
		cap_flag_value_t value = CAP_CLEAR;

		if (own && cap_get_flag(own, each[i].value, CAP_EFFECTIVE, &value) == 0 &&
		    value == CAP_SET)
			continue;
		(void)snprintf(ret_text + used, bytes - used, "%s%s", used ? ", " : "",
			       each[i].name);
		used = strlen(ret_text);
	}
}

void preflight_missing(char *ret_needed, size_t needed_bytes, char *ret_useful, size_t useful_bytes)
{
	cap_t own = cap_get_proc();

	list_missing(own, needed, sizeof(needed) / sizeof(*needed), ret_needed, needed_bytes);
	list_missing(own, useful, sizeof(useful) / sizeof(*useful), ret_useful, useful_bytes);
	(void)cap_free(own);
}

/* Its spare ones, and those of each CPU. */
bool preflight_files_suffice(unsigned long long *ret_least, unsigned long long *ret_most)
{
	struct rlimit files;

	*ret_least = FILES_LEAST + FILES_CPU * (unsigned long long)sysconf(_SC_NPROCESSORS_ONLN);
	*ret_most = getrlimit(RLIMIT_NOFILE, &files) < 0 ? RLIM_INFINITY : files.rlim_max;
	return *ret_most >= *ret_least;
}

int preflight_check(void)
{
	char missing[MISSING_BYTES], unused[MISSING_BYTES];
	unsigned long long least, most;

	if (geteuid() != 0) {
		terminal_print("recording needs root, and this is uid %u: run it with sudo",
			       geteuid());
		return EXIT_CODE_HOST;
	}
	preflight_missing(missing, sizeof(missing), unused, sizeof(unused));
	if (missing[0]) {
		terminal_print(
			"recording needs %s, which root lacks here: give it to this container",
			missing);
		return EXIT_CODE_HOST;
	}
	if (!preflight_files_suffice(&least, &most)) {
		terminal_print("recording needs %llu descriptors here, and the hard limit is %llu: "
			       "raise it (ulimit -Hn, LimitNOFILE=)",
			       least, most);
		return EXIT_CODE_HOST;
	}
	if (tm_time_namespace_is_shifted()) {
		terminal_print("%s", TM_TIME_NAMESPACE_REFUSAL);
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
