/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * launch - starts one program under another account, with exactly the capabilities it needs
 *
 * Order      own session, null stdio but stderr (a pipe to us), every descriptor closed on exec but
 *            the listed ones, bounding set cut, groups, gid, uid, capabilities (permitted,
 *            inheritable, ambient), no_new_privs, death signal, execveat of the given descriptor
 *            with an empty environment.
 * Errors     each step is mandatory; the first that fails is printed by its name.
 */

#include <stdbool.h>
#include <stddef.h>

#include "cli/credentials.h"

#define LAUNCH_ARGUMENTS_MAX 8300u /* one per CPU and some */

struct child;

struct launch {
	const char *name; /* argv[0] */
	struct credentials credentials;
	char **arguments; /* owned; as in the credentials */
	size_t argument_count;
	int *kept;   /* owned; descriptors borrowed */
	bool failed; /* an argument could not be added: out of memory, or too many */
};

/* Return: 0, -ENOMEM. */
int launch_init(struct launch *launch, const char *name, int program,
		struct uid_pool_account account);
void launch_capability(struct launch *launch, cap_value_t capability);
/* Adds "--option=N" and lets N stay open; a failure is kept until launch_start. */
void launch_descriptor(struct launch *launch, const char *option, int fd);
/* Adds "--option=PREFIX:N" and lets N stay open. */
void launch_pair(struct launch *launch, const char *option, const char *prefix, int fd);
void launch_argument(struct launch *launch, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* What was added since launch_mark can be taken off again, for another start. */
struct launch_mark {
	size_t arguments;
	size_t kept;
};
struct launch_mark launch_mark(const struct launch *launch);
void launch_return_to(struct launch *launch, struct launch_mark mark);
/* Return: 0, or an exit code, after printing why. @ret_program: pid, pidfd and stderr are set. */
int launch_start(const struct launch *launch, struct child *ret_program);
void launch_deinit(struct launch *launch);
