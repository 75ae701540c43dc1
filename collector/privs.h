/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * privs - what the collector may still do once it is loaded: CAP_BPF and CAP_PERFMON, no file, no exec
 */

/* The name that tools show. */
void privs_begin(void);
/* For good, once everything is loaded: no new privileges, not dumpable, capabilities, limits, filter.
 * Not earlier: what cannot be dumped cannot read its own /proc/self/fdinfo, where the kernel says what
 * our maps weigh. @descriptors: how many may be open. Return: 0, -errno. */
int privs_drop(unsigned long descriptors);
