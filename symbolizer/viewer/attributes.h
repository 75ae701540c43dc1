/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * attributes - what the attributes of an OTLP request say, as values of the profile
 *
 * Trust      keys and values are a file's; a value of another type than its key's is as if it were
 *            not there. Texts are borrowed and not cleaned.
 */

#include <stdint.h>

#include "otlp.pb-c.h"

enum attributes_kind {
	ATTRIBUTES_NONE, /* unknown to us, or of the wrong type */
	ATTRIBUTES_THREAD_ID,
	ATTRIBUTES_THREAD_NAME,
	ATTRIBUTES_STOP,  /* number: enum tm_stop */
	ATTRIBUTES_STATE, /* number: enum tm_thread_state */
	ATTRIBUTES_SAMPLE_FLAGS,
	ATTRIBUTES_SAMPLE_COUNT,
	ATTRIBUTES_SAMPLE_NS,
	ATTRIBUTES_COUNTS,
	ATTRIBUTES_BUILD_ID,
	ATTRIBUTES_GO_BUILD_ID,
	ATTRIBUTES_HTLHASH,
	ATTRIBUTES_FILE_FLAGS,
	ATTRIBUTES_FRAME_TYPE,
	ATTRIBUTES_FRAME_FLAGS,
	ATTRIBUTES_FRAME_FILE,
	ATTRIBUTES_PROCESS, /* from here on: of a process */
	ATTRIBUTES_PID = ATTRIBUTES_PROCESS,
	ATTRIBUTES_NS_PID,
	ATTRIBUTES_PROCESS_START,
	ATTRIBUTES_PROCESS_EXEC,
	ATTRIBUTES_PROCESS_COMM,
	ATTRIBUTES_EXE,
	ATTRIBUTES_CGROUP,
	ATTRIBUTES_CONTAINER,
	ATTRIBUTES_POD,
	ATTRIBUTES_N,
};

struct attribute {
	enum attributes_kind kind;
	uint32_t string;  /* for the reader: number + 1 of the text once it is merged; else 0 */
	uint64_t number;  /* of numbers, and of names that have one */
	const char *text; /* of texts; else NULL */
};

struct attribute attributes_read(const char *key, const Otlp__AnyValue *value);
