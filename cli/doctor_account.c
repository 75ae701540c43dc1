/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_account - checks of `tidemark doctor`: the account, its limits and namespaces */

#include <errno.h>
#include <linux/bpf.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/options.h"
#include "cli/perf_events.h"
#include "cli/preflight.h"
#include "cli/table_cache.h"
#include "cli/uid_pool.h"
#include "shared/cleanup.h"
#include "shared/time_namespace.h"

#define CONTAINER "this container or a security module forbids it"
/* Of the first PID namespace: PROC_PID_INIT_INO, include/linux/proc_ns.h. */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCu

static void check_capabilities(struct doctor *doctor)
{
	char missing[DOCTOR_TEXT_BYTES], wanted[DOCTOR_TEXT_BYTES];

	preflight_missing(missing, sizeof(missing), wanted, sizeof(wanted));
	if (missing[0])
		doctor_add(doctor, "capabilities", DOCTOR_FAIL, "give them to this container",
			   "root lacks %s", missing);
	else if (wanted[0])
		doctor_add(doctor, "capabilities", DOCTOR_NOTE,
			   "without CAP_SYSLOG kernels before 6.0 have no kernel symbols; without "
			   "the others private and deleted files no names",
			   "root lacks %s", wanted);
	else
		doctor_add(doctor, "capabilities", DOCTOR_OK, NULL, "all that it can use");
}

static void check_bpf(struct doctor *doctor)
{
	union bpf_attr array;
	_cleanup_(tm_closep) int fd = -1;

	memset(&array, 0, sizeof(array)); /* its padding counts */
	array.map_type = BPF_MAP_TYPE_ARRAY;
	array.key_size = array.value_size = sizeof(uint32_t);
	array.max_entries = 1;
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &array, sizeof(array));
	if (fd < 0)
		doctor_add(doctor, "bpf", DOCTOR_FAIL, CONTAINER, "bpf(2) is refused: %s",
			   strerror(errno));
	else
		doctor_add(doctor, "bpf", DOCTOR_OK, NULL, "bpf(2) makes maps");
}

static void check_perf(struct doctor *doctor)
{
	_cleanup_(tm_freep) unsigned *cpus = calloc(TM_CPUS_MAX, sizeof(*cpus));
	int count = cpus ? perf_events_online(cpus) : -ENOMEM;
	_cleanup_(tm_closep) int fd =
		count > 0 ? tm_cpus_open_event(cpus[0], OPTIONS_HZ_DEFAULT) : count;

	if (fd < 0)
		doctor_add(doctor, "perf", DOCTOR_FAIL, CONTAINER,
			   "perf_event_open(2) is refused: %s", strerror(-fd));
	else
		doctor_add(doctor, "perf", DOCTOR_OK, NULL, "perf_event_open(2) samples %d CPUs",
			   count);
}

static void check_accounts(struct doctor *doctor)
{
	struct uid_pool_account account;

	if (uid_pool_borrow(&account) == 0) {
		uid_pool_return(&account);
		doctor_add(doctor, "accounts", DOCTOR_OK, NULL, "unused ones can be borrowed");
	} else {
		doctor_add(doctor, "accounts", DOCTOR_FAIL,
			   "create those of systemd/tidemark.sysusers",
			   "no unused uid can be borrowed");
	}
}

static void check_limits(struct doctor *doctor)
{
	unsigned long long least, most;

	if (!preflight_files_suffice(&least, &most))
		doctor_add(doctor, "descriptors", DOCTOR_FAIL, "ulimit -Hn, LimitNOFILE=",
			   "%llu are needed, and the hard limit is %llu", least, most);
	if (tm_time_namespace_is_shifted())
		doctor_add(doctor, "clock", DOCTOR_FAIL, "start tidemark outside of it",
			   "this time namespace has another clock than the kernel");
}

static void check_sandbox(struct doctor *doctor)
{
	const uint32_t action = SECCOMP_RET_KILL_PROCESS;

	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0)
		doctor_add(doctor, "sandbox", DOCTOR_FAIL, "a kernel with CONFIG_SECCOMP_FILTER",
			   "there is no seccomp: %s", strerror(errno));
	else if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 0)
		doctor_add(doctor, "sandbox", DOCTOR_NOTE, NULL,
			   "seccomp, but no Landlock (%s): it would restrict files and ports, too",
			   strerror(errno));
	else
		doctor_add(doctor, "sandbox", DOCTOR_OK, NULL, "seccomp and Landlock");
}

static void check_namespace(struct doctor *doctor)
{
	struct stat status;

	if (stat("/proc/self/ns/pid", &status) == 0 && status.st_ino != FIRST_PID_NAMESPACE)
		doctor_add(doctor, "processes", DOCTOR_NOTE,
			   "record from the host's PID namespace to select any process",
			   "this is not the host's PID namespace: -p finds only what is in it");
}

/* The folder above it counts if it is to be made yet. */
static void check_cache(struct doctor *doctor)
{
	if (access(TABLE_CACHE_FOLDER, W_OK) < 0 &&
	    (errno != ENOENT || access("/var/cache", W_OK) < 0))
		doctor_add(doctor, "cache", DOCTOR_NOTE, "--cache FILE elsewhere",
			   "%s cannot be written: each recording makes its tables anew",
			   TABLE_CACHE_FOLDER);
}

void doctor_check_account(struct doctor *doctor)
{
	if (geteuid() != 0) {
		doctor_add(doctor, "account", DOCTOR_FAIL,
			   "run tidemark doctor with sudo, too: most checks need root",
			   "recording needs root, and this is uid %u", geteuid());
	} else {
		doctor_add(doctor, "account", DOCTOR_OK, NULL, "root");
		check_capabilities(doctor);
		check_bpf(doctor);
		check_perf(doctor);
		check_accounts(doctor);
		check_cache(doctor);
	}
	check_limits(doctor);
	check_sandbox(doctor);
	check_namespace(doctor);
}
