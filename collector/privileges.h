/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * privileges - what the collector may still do once it is loaded: CAP_BPF and CAP_PERFMON, no file, no exec
 */

#include <stdbool.h>
#include <sys/capability.h>

/* Gives up every capability but @rights, of those that are held at all.
 * @over_exec: they pass to the program that is exec'd, and work only there. Return: 0, -errno. */
int privileges_keep(const cap_value_t *rights, unsigned count, bool over_exec);
/* For good, once everything is loaded: no new privileges, not dumpable, capabilities, limits, filter.
 * Not earlier: what cannot be dumped cannot read its own /proc/self/fdinfo, where the kernel says what
 * our maps weigh. @descriptors: how many may be open. Return: 0, -errno. */
int privileges_confine(unsigned long descriptors);
