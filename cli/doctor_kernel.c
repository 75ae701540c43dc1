/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_kernel - checks of `tidemark doctor`: what the kernel has, and how it is set */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/kernel_types.h"
#include "cli/options.h"
#include "shared/cleanup.h"
#include "shared/cpus.h"

#define KERNEL_STACK_FRAMES 127 /* of the kernel, in a sample */

/* The number in a file of one. Return: whether there is one. */
static bool read_number(const char *path, long *ret_number)
{
	FILE *file = fopen(path, "re");
	bool found = file && fscanf(file, "%ld", ret_number) == 1;

	if (file)
		(void)fclose(file);
	return found;
}

static void check_version(struct doctor *doctor)
{
	unsigned major = 0, minor = 0;
	struct utsname host;

	if (uname(&host) < 0 || sscanf(host.release, "%u.%u", &major, &minor) != 2)
		doctor_add(doctor, "kernel", DOCTOR_FAIL, NULL, "its version cannot be read");
	else if (strcmp(host.machine, "x86_64") != 0)
		doctor_add(doctor, "kernel", DOCTOR_FAIL, NULL, "Linux %s on %s, and not on x86-64",
			   host.release, host.machine);
	else if (major < 5 || (major == 5 && minor < 10))
		doctor_add(doctor, "kernel", DOCTOR_FAIL, "a kernel from 5.10 on is needed",
			   "Linux %s", host.release);
	else if (major < 6 || (major == 6 && minor < 4))
		doctor_add(doctor, "kernel", DOCTOR_NOTE,
			   "from 6.4 on mappings are remembered between samples, which cost less",
			   "Linux %s, x86-64", host.release);
	else
		doctor_add(doctor, "kernel", DOCTOR_OK, NULL, "Linux %s, x86-64", host.release);
}

static void check_types(struct doctor *doctor)
{
	if (access(KERNEL_TYPES_BTF, R_OK) < 0) {
		doctor_add(doctor, "types", DOCTOR_FAIL,
			   "a kernel built with CONFIG_DEBUG_INFO_BTF is needed", "%s: %s",
			   KERNEL_TYPES_BTF, strerror(errno));
		return;
	}
	doctor_add(doctor, "types", DOCTOR_OK, NULL, "%s", KERNEL_TYPES_BTF);
	if (kernel_types_find_tracepoint(KERNEL_TYPES_BTF, "sched_exit_tp") == 0)
		doctor_add(doctor, "off-cpu", DOCTOR_OK, NULL,
			   "stacks of waiting threads are taken as they run again");
	else
		doctor_add(doctor, "off-cpu", DOCTOR_NOTE, NULL,
			   "stacks of waiting threads are taken before they wait: at most 256 "
			   "frames, and times by stack are less exact");
}

/* Its file shows the mode in brackets: kernel_lockdown(7). */
static void check_lockdown(struct doctor *doctor)
{
	_cleanup_(tm_closep) int fd = open("/sys/kernel/security/lockdown", O_RDONLY | O_CLOEXEC);
	char text[64] = "";

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return; /* a kernel without it */
	if (strstr(text, "[confidentiality]"))
		doctor_add(doctor, "lockdown", DOCTOR_FAIL,
			   "boot with lockdown=integrity, or without it",
			   "the kernel is locked down for confidentiality: BPF programs may not "
			   "read its memory");
	else
		doctor_add(doctor, "lockdown", DOCTOR_OK, NULL, "not for confidentiality");
}

static void check_sampling(struct doctor *doctor)
{
	unsigned most = tm_cpus_rate_most();
	long frames = KERNEL_STACK_FRAMES, jit = 1;

	if (most > 0 && most < OPTIONS_HZ_DEFAULT)
		doctor_add(doctor, "rate", DOCTOR_NOTE, "sysctl kernel.perf_event_max_sample_rate",
			   "kernel.perf_event_max_sample_rate is %u, less than the %u of record",
			   most, OPTIONS_HZ_DEFAULT);
	if (read_number("/proc/sys/kernel/perf_event_max_stack", &frames) &&
	    frames < KERNEL_STACK_FRAMES)
		doctor_add(doctor, "depth", DOCTOR_NOTE, "sysctl kernel.perf_event_max_stack=127",
			   "kernel.perf_event_max_stack is %ld: deeper stacks of the kernel are "
			   "cut (kernel_depth)",
			   frames);
	if (read_number("/proc/sys/net/core/bpf_jit_enable", &jit) && jit == 0)
		doctor_add(doctor, "jit", DOCTOR_NOTE, "sysctl net.core.bpf_jit_enable=1",
			   "BPF programs are interpreted, so samples cost far more");
}

/* A page that NUMA balancing has taken away cannot be read until its thread touches it. */
static void check_numa(struct doctor *doctor)
{
	long on = 0;

	if (access("/sys/devices/system/node/node1", F_OK) == 0 &&
	    read_number("/proc/sys/kernel/numa_balancing", &on) && on > 0)
		doctor_add(doctor, "numa", DOCTOR_NOTE, "sysctl kernel.numa_balancing=0",
			   "kernel.numa_balancing takes pages away for moments: deep stacks may "
			   "end there (stack_fault)");
}

void doctor_check_kernel(struct doctor *doctor)
{
	check_version(doctor);
	check_types(doctor);
	check_lockdown(doctor);
	check_sampling(doctor);
	check_numa(doctor);
}
