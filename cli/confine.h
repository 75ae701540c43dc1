/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * confine - takes from the two processes of a recording's command whatever they do not need
 *
 * Command    none of the caller's descriptors but stdout and stderr; an unused account without
 *            capabilities; Landlock, where there is one: it may read /proc and the list of CPUs; a
 *            seccomp filter (record.seccomp). COMMAND and the starter are forked before.
 * Starter    root with the capabilities for files and accounts and those that it hands on; a filter
 *            (starter/starter.seccomp), which its programs inherit.
 */

#include "cli/uid_pool.h"

/* Both: Return: 0, or an exit code, after printing why. */
int confine_command(struct uid_pool_account account);
int confine_starter(void);
