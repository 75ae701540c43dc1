/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * preflight - checks that this host and this account can record, before anything is changed
 */

#include <stdbool.h>

#include "cli/options.h"

/* Root, its capabilities, BTF. Return: 0, or an exit code, after printing why. */
int preflight_check(void);
/* Prints in which way stacks of waiting threads are taken, unless it is the usual one. */
void preflight_describe_off_cpu(void);
/* Every process of -p exists. Return: 0, or an exit code, after printing why. */
int preflight_check_processes(const struct options *options);
/* Whether processes were selected and all of them still exist. */
bool preflight_finds_processes(const struct options *options);
/* Raises the limits on descriptors, and on locked memory where BPF maps count as such. */
void preflight_raise_limits(void);
/* Of descriptors alone. */
void preflight_raise_files(void);
