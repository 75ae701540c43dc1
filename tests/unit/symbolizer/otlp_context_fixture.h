/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_context_fixture - a report of processes that say of themselves what they are, or not
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbolizer/output/report.h"

enum { /* strings */
	NONE,
	PYTHON,
	SHOP_EXE,
	COMM,
	UNIT,
	CONTAINER,
	SHOP,
	NAMELESS,
	BAD_NAME,
	CONTEXT, /* what a test says */
	STRINGS_N,
};

static const char *strings[STRINGS_N] = {
	[NONE] = "",
	[PYTHON] = "/usr/bin/python3",
	[SHOP_EXE] = "/opt/shop",
	[COMM] = "a thread",
	[UNIT] = "/system.slice/shop.service",
	[CONTAINER] = "0123",
	[SHOP] = "service.version=2,service.name=shop,service.instance.id=x%2Cy",
	[NAMELESS] = "service.version=2,service.names=no,xservice.name=no",
	[BAD_NAME] = "service.name=%zz,service.name=",
};

enum { /* processes */
	IN_UNIT,
	DECLARED,
	SAME_EXE,
	DECLARED_TOO,
	IN_CONTAINER,
	UNIT_DECLARED,
	HAS_NO_NAME,
	HAS_BAD_NAME,
	IN_CONTAINER_BY_EXE,
	KTHREAD,
	SAMPLED_N,
	UNSAMPLED = SAMPLED_N,
	PROCESSES_N,
};

static struct report_process processes[PROCESSES_N];
static struct report_sample samples[SAMPLED_N];
static struct report_resource resource;
static struct report report;

static const struct report_call call = {.name = COMM};
static const struct report_frame frame = {.call_count = 1,
					  .file = REPORT_NO_FILE,
					  .segment = REPORT_NO_SEGMENT,
					  .process = REPORT_NO_PROCESS};
static const struct report_stack stack = {0, 1};
static const uint32_t stack_frame = 0;

static const struct report_process all[PROCESSES_N] = {
	[IN_UNIT] = {.exe = PYTHON, .cgroup = UNIT},
	[DECLARED] = {.exe = PYTHON, .context = SHOP},
	[SAME_EXE] = {.exe = SHOP_EXE},
	[DECLARED_TOO] = {.context = SHOP},
	[IN_CONTAINER] = {.exe = PYTHON, .cgroup = UNIT, .container = CONTAINER, .context = SHOP},
	[UNIT_DECLARED] = {.exe = PYTHON, .cgroup = UNIT, .context = SHOP},
	[HAS_NO_NAME] = {.exe = PYTHON, .context = NAMELESS},
	[HAS_BAD_NAME] = {.exe = PYTHON, .context = BAD_NAME},
	[IN_CONTAINER_BY_EXE] = {.exe = SHOP_EXE, .container = CONTAINER},
	[KTHREAD] = {.context = SHOP},
	[UNSAMPLED] = {.context = SHOP},
};

static inline int begin(void **state)
{
	for (uint32_t i = 0; i < PROCESSES_N; i++) {
		processes[i] = all[i];
		processes[i].tgid = processes[i].ns_tgid = i + 1;
		processes[i].comm = COMM;
	}
	for (uint32_t i = 0; i < SAMPLED_N; i++)
		samples[i] = (struct report_sample){
			.process = i, .tid = i + 1, .comm = COMM, .count = 1, .value = 1};
	samples[KTHREAD].flags = TM_FLAG_KTHREAD;
	resource = (struct report_resource){.service_name = ""};
	report = (struct report){
		.strings = strings,
		.string_count = STRINGS_N,
		.calls = &call,
		.call_count = 1,
		.frames = &frame,
		.frame_count = 1,
		.stack_frames = &stack_frame,
		.stack_frame_count = 1,
		.stacks = &stack,
		.stack_count = 1,
		.processes = processes,
		.process_count = PROCESSES_N,
		.samples = samples,
		.sample_count = SAMPLED_N,
		.kinds = 1u << TM_SAMPLE_ON_CPU,
		.period_ns = 1,
		.resource = &resource,
	};
	return 0;
}
