/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * status_units - CPU time and memory of each unit of the services, as its cgroup says
 *
 * Source     Documentation/admin-guide/cgroup-v2.rst: cpu.stat, memory.current. Where the host has
 *            no cgroup v2, or a controller is off, a figure is not known.
 */

#include <stdbool.h>
#include <stdint.h>

enum status_units_name {
	STATUS_UNITS_COLLECTOR,
	STATUS_UNITS_OPENER,
	STATUS_UNITS_SYMBOLIZER,
	STATUS_UNITS_PARSER,
	STATUS_UNITS_EXPORTER,
	STATUS_UNITS_SPOOL,
	STATUS_UNITS_N,
};

struct status_unit {
	bool has_cpu, has_memory;
	uint64_t cpu_us;
	uint64_t memory_bytes;
};

const char *status_units_name(enum status_units_name unit);
void status_units_read(struct status_unit ret_units[STATUS_UNITS_N]);
