/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * method_announce - writes the METHOD records of the functions that a sample found due
 *
 * Behind the sample: the records are made where its frames were (bpf/method.bpf.h).
 */

#include "bpf/java_announce.bpf.h"
#include "bpf/python_announce.bpf.h"

static __always_inline void method_begin(struct scratch *s, __u64 number)
{
	struct tm_method *record = method_record(s);

	__builtin_memset(record, 0, sizeof(*record));
	record->event = s->sample.event;
	record->event.type = TM_EVENT_METHOD;
	record->event.bytes = sizeof(*record);
	record->event.flags = 0;
	record->number = number;
	record->name_width = 1;
	record->file_width = 1;
	if (s->method.key.kind == METHOD_PYTHON) {
		record->runtime = TM_RUNTIME_PYTHON;
		record->version = s->python.runtime.version;
	} else {
		record->runtime = TM_RUNTIME_JAVA;
		record->version = s->java.runtime.version;
	}
}

/* Whether this sample has met the runtime of the function with s->method.key; one that waits may be
 * of a sample before. */
static __always_inline bool method_has_runtime(struct scratch *s, __u32 level)
{
	if (s->method.key.kind == METHOD_PYTHON)
		return s->runtimes.python_table;
	if (!s->runtimes.java_begun)
		java_begin(level);
	return s->runtimes.java_known;
}

/* Announces one function. */
__noinline int method_announce(__u32 level, __u32 index)
{
	struct scratch *s = nesting_scratch(level);
	struct method_state *state;

	if (!s)
		return 0;
	s->method.key = s->method.due[index & (METHODS_DUE - 1)];
	state = bpf_map_lookup_elem(&methods, &s->method.key);
	if (!state || !method_is_due(s, state))
		return 0;
	if (!method_has_runtime(s, level)) {
		method_is_late(s, 1);
		return 0;
	}
	s->method.before = *(volatile __u32 *)&state->epoch;
	s->method.part = method_part(state, s->method.before);
	method_begin(s, state->number);
	if (s->method.key.kind == METHOD_PYTHON)
		python_announce(level);
	else if (s->method.key.kind == METHOD_JAVA)
		java_announce(level);
	else
		java_announce_stub(level);
	method_finish(s, state);
	return 0;
}

/* Announces what is due, what was met last first, at most @most, as long as there is time. The
 * sample's frames are lost. */
__noinline int method_announce_all(__u32 level, __u32 most)
{
	struct scratch *s = nesting_scratch(level);
	__u64 began = bpf_ktime_get_ns(), now = began;

	if (!s)
		return 0;
	owner_find(level, false);
	for (__u32 i = 0; i < METHODS_DUE && s->runtimes.methods_due; i++) {
		if (i >= most || !method_has_time(s, began, now)) {
			method_is_late(s, s->runtimes.methods_due);
			break;
		}
		method_announce(level, --s->runtimes.methods_due);
		now = bpf_ktime_get_ns();
	}
	method_charge_time(s, now - began);
	return 0;
}
