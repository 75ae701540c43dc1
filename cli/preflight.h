/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * preflight - can this host and this account record at all? asked before anything is touched
 */

#include "cli/options.h"

/* Root, its capabilities, BTF. Return: 0, or an exit_code, having said why. */
int preflight_check(void);
/* Every process of -p exists. Return: 0, or an exit_code, having said why. */
int preflight_check_processes(const struct options *options);
/* Are some asked for, and are they all still there? */
int preflight_holds_processes(const struct options *options);
/* Room for descriptors, and for BPF maps where they still count as locked memory. */
void preflight_raise_limits(void);
