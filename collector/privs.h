/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * privs - what the collector may still do once it is loaded: CAP_BPF and CAP_PERFMON, no file, no exec
 */

/* Before the opener is started and anything is loaded: no new privileges, empty environment.
 * Return: 0, -errno. */
int privs_begin(void);
/* For good: capabilities, limits, filter. @descriptors: how many may be open. Return: 0, -errno. */
int privs_drop(unsigned long descriptors);
