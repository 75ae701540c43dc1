/* SPDX-License-Identifier: Apache-2.0 */
/* attributes - what the attributes of an OTLP request say, as values of the profile */

#include "symbolizer/viewer/attributes.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "shared/reasons.h"
#include "symbolizer/output/otlp_names.h"

static const struct {
	const char *key;
	bool is_number;
} names[ATTRIBUTES_N] = {
	[ATTRIBUTES_THREAD_ID] = {OTLP_THREAD_ID, true},
	[ATTRIBUTES_THREAD_NAME] = {OTLP_THREAD_NAME, false},
	[ATTRIBUTES_STOP] = {OTLP_TRUNCATED, false},
	[ATTRIBUTES_STATE] = {OTLP_STATE, false},
	[ATTRIBUTES_SAMPLE_FLAGS] = {OTLP_SAMPLE_FLAGS, true},
	[ATTRIBUTES_SAMPLE_COUNT] = {OTLP_SAMPLE_COUNT, true},
	[ATTRIBUTES_SAMPLE_NS] = {OTLP_SAMPLE_NS, true},
	[ATTRIBUTES_COUNTS] = {OTLP_COUNTS, false},
	[ATTRIBUTES_BUILD_ID] = {OTLP_GNU_BUILD_ID, false},
	[ATTRIBUTES_GO_BUILD_ID] = {OTLP_GO_BUILD_ID, false},
	[ATTRIBUTES_HTLHASH] = {OTLP_HTLHASH, false},
	[ATTRIBUTES_FILE_FLAGS] = {OTLP_FILE_FLAGS, true},
	[ATTRIBUTES_FRAME_TYPE] = {OTLP_FRAME_TYPE, false},
	[ATTRIBUTES_FRAME_FLAGS] = {OTLP_FRAME_FLAGS, true},
	[ATTRIBUTES_FRAME_FILE] = {OTLP_FRAME_FILE, false},
	[ATTRIBUTES_PID] = {OTLP_PID, true},
	[ATTRIBUTES_NS_PID] = {OTLP_NS_PID, true},
	[ATTRIBUTES_PROCESS_START] = {OTLP_PROCESS_START, true},
	[ATTRIBUTES_PROCESS_EXEC] = {OTLP_PROCESS_EXEC, true},
	[ATTRIBUTES_PROCESS_COMM] = {OTLP_PROCESS_COMM, false},
	[ATTRIBUTES_EXE] = {OTLP_EXE, false},
	[ATTRIBUTES_CGROUP] = {OTLP_CGROUP, false},
	[ATTRIBUTES_CONTAINER] = {OTLP_CONTAINER, false},
	[ATTRIBUTES_POD] = {OTLP_POD, false},
};

static enum attributes_kind kind_of(const char *key)
{
	for (unsigned kind = ATTRIBUTES_NONE + 1; kind < ATTRIBUTES_N; kind++)
		if (strcmp(names[kind].key, key) == 0)
			return (enum attributes_kind)kind;
	return ATTRIBUTES_NONE;
}

/* Return: the number of this name; 0, which means none: there is no such name. */
static uint64_t number_of(const char *text, const char *(*name)(unsigned), unsigned end)
{
	for (unsigned i = 1; i < end; i++)
		if (strcmp(name(i), text) == 0)
			return i;
	return 0;
}

struct attribute attributes_read(const char *key, const Otlp__AnyValue *value)
{
	struct attribute attribute = {.kind = kind_of(key)};
	const struct attribute none = {.kind = ATTRIBUTES_NONE};
	int type = value ? (int)value->value_case : OTLP__ANY_VALUE__VALUE__NOT_SET;

	if (attribute.kind == ATTRIBUTES_NONE)
		return none;
	if (names[attribute.kind].is_number) {
		if (type != OTLP__ANY_VALUE__VALUE_INT_VALUE || value->int_value < 0)
			return none;
		attribute.number = (uint64_t)value->int_value;
		return attribute;
	}
	if (type != OTLP__ANY_VALUE__VALUE_STRING_VALUE || !value->string_value)
		return none;
	attribute.text = value->string_value;
	if (attribute.kind == ATTRIBUTES_STOP)
		attribute.number = number_of(attribute.text, tm_reasons_stop, TM_STOP_N);
	else if (attribute.kind == ATTRIBUTES_STATE)
		attribute.number = number_of(attribute.text, tm_reasons_thread, TM_THREAD_STATES_N);
	return attribute;
}
