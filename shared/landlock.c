/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock - restricts the process to a few files and TCP ports, as far as the kernel can
 */

#include "shared/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shared/cleanup.h"

/* Of later kernels than the oldest headers that this is built with. */
#define ACCESS_FS_1        0x1fffull /* what the first version can restrict */
#define ACCESS_FS_REFER    (1ull << 13)
#define ACCESS_FS_TRUNCATE (1ull << 14)
#define ACCESS_FS_IOCTL    (1ull << 15)
#define ACCESS_NET_BIND    (1ull << 0)
#define ACCESS_NET_CONNECT (1ull << 1)
#define SCOPES             3ull /* abstract unix sockets, signals */
#define RULE_PORT          2
#define ACCESS_FOLDER                                                  \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |  \
	 LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | ACCESS_FS_TRUNCATE)

enum abi { /* the version that brought it */
	ABI_REFER = 2,
	ABI_TRUNCATE = 3,
	ABI_NET = 4,
	ABI_IOCTL = 5,
	ABI_SCOPES = 6,
};

struct ruleset {
	uint64_t access_fs;
	uint64_t access_net;
	uint64_t scoped;
};

struct port_rule {
	uint64_t access;
	uint64_t port;
};

/* A kernel takes a longer structure than its own if what it does not know is zero. */
static struct ruleset ruleset_of(long abi)
{
	struct ruleset ruleset = {.access_fs = ACCESS_FS_1};

	if (abi >= ABI_REFER)
		ruleset.access_fs |= ACCESS_FS_REFER;
	if (abi >= ABI_TRUNCATE)
		ruleset.access_fs |= ACCESS_FS_TRUNCATE;
	if (abi >= ABI_NET)
		ruleset.access_net = ACCESS_NET_BIND | ACCESS_NET_CONNECT;
	if (abi >= ABI_IOCTL)
		ruleset.access_fs |= ACCESS_FS_IOCTL;
	if (abi >= ABI_SCOPES)
		ruleset.scoped = SCOPES;
	return ruleset;
}

static int allow_path(int rules, const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_PATH | O_CLOEXEC);
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
		.parent_fd = fd,
	};

	if (fd < 0)
		return 0; /* there is nothing to be read */
	return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0
		       ? -errno
		       : 0;
}

/* What an older kernel does not know is left out: it cannot restrict it either. */
static int allow_folder(int rules, const struct ruleset *ruleset, int folder)
{
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = ruleset->access_fs & ACCESS_FOLDER,
		.parent_fd = folder,
	};

	return syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0
		       ? -errno
		       : 0;
}

static int allow_port(int rules, uint16_t port)
{
	const struct port_rule rule = {ACCESS_NET_CONNECT, port};

	return syscall(SYS_landlock_add_rule, rules, RULE_PORT, &rule, 0) < 0 ? -errno : 0;
}

int tm_landlock_enter(const struct tm_landlock_allowed *allowed)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	const struct ruleset ruleset = ruleset_of(abi);
	_cleanup_(tm_closep) int rules = -1;
	int r = 0;

	if (abi < 0) /* EPERM: a container's filter, as that of systemd-nspawn, leaves it out */
		return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM ? TM_LANDLOCK_E_NONE
										: -errno;
	rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof(ruleset), 0);
	if (rules < 0)
		return -errno;
	for (size_t i = 0; r == 0 && allowed->paths && allowed->paths[i]; i++)
		r = allow_path(rules, allowed->paths[i]);
	if (r == 0 && allowed->folder)
		r = allow_folder(rules, &ruleset, *allowed->folder);
	for (size_t i = 0; r == 0 && abi >= ABI_NET && i < allowed->port_count; i++)
		r = allow_port(rules, allowed->ports[i]);
	if (r < 0)
		return r;
	return syscall(SYS_landlock_restrict_self, rules, 0) < 0 ? -errno : 0;
}
