/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * privileges - drops the capabilities that are no longer needed, and confines the collector
 *
 * Result     after privileges_confine the collector has CAP_BPF and CAP_PERFMON, as far as it was
 *            given them, and its seccomp filter: it opens no path and executes nothing.
 * Errors     -errno of the call that failed; fatal to the caller.
 * Source     capabilities(7), cap_get_proc(3).
 */

#include <sys/capability.h>

/* Drops every capability but @capabilities; those of them that are not held stay so. */
int privileges_keep(const cap_value_t *capabilities, unsigned count);
/* Call once everything is loaded: sets no_new_privs, not dumpable, capabilities, limits and the
 * filter. Not earlier: a process that is not dumpable cannot read its own /proc/self/fdinfo, which
 * has the memory use of BPF maps. @descriptors: how many may be open. */
int privileges_confine(unsigned long descriptors);
