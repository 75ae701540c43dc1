/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_names - names of attributes in OTLP requests, which `tidemark view` finds again
 *
 * Ours begin with "tidemark." and hold what the protocol has no place for. Where a number is 0 or
 * follows from the rest, there is no attribute.
 */

#include "shared/event.h"

#define OTLP_HTLHASH      "process.executable.build_id.htlhash"
#define OTLP_GNU_BUILD_ID "process.executable.build_id.gnu"
#define OTLP_GO_BUILD_ID  "process.executable.build_id.go"
#define OTLP_FRAME_TYPE   "profile.frame.type"
#define OTLP_TYPE_JAVA    "jvm" /* two values of that */
#define OTLP_TYPE_PYTHON  "cpython"
#define OTLP_THREAD_ID    "thread.id"
#define OTLP_THREAD_NAME  "thread.name"

/* of processes */
#define OTLP_PID           "process.pid"
#define OTLP_NS_PID        "process.vpid" /* in its own PID namespace, where it is another */
#define OTLP_EXE           "process.executable.path"
#define OTLP_CGROUP        "process.linux.cgroup"
#define OTLP_CONTAINER     "container.id"
#define OTLP_POD           "k8s.pod.uid"
#define OTLP_CONTEXT       "tidemark.process.context"         /* self-declared: an attribute list */
#define OTLP_MISSING       "tidemark.process.context.missing" /* of it: process_context.h */
#define OTLP_NAME_SOURCE   "tidemark.service.name.source"     /* "process": self-declared */
#define OTLP_PROCESS_COMM  "tidemark.process.comm"
#define OTLP_PROCESS_START "tidemark.process.start"
#define OTLP_PROCESS_EXEC  "tidemark.process.exec_id"

/* of profiles */
#define OTLP_COMPLETENESS "tidemark.completeness"
#define OTLP_COUNTS       "tidemark.counts" /* the same to read by programs: report_counts.h */

/* of samples */
#define OTLP_TRUNCATED    "tidemark.truncated"
#define OTLP_STATE        "tidemark.thread.state"
#define OTLP_SAMPLE_FLAGS "tidemark.sample.flags"
#define OTLP_SAMPLE_COUNT "tidemark.sample.count" /* where it is not the value, or off-CPU not 1 */
#define OTLP_SAMPLE_NS    "tidemark.sample.ns"    /* on-CPU, where it is not value times period */

enum {
	OTLP_SAMPLE_EXITING = TM_FLAG_EXITING,
	OTLP_SAMPLE_KTHREAD = TM_FLAG_KTHREAD,
	OTLP_SAMPLE_WOKEN = 1 << 2,
	OTLP_SAMPLE_EVENT_FLAGS = OTLP_SAMPLE_EXITING | OTLP_SAMPLE_KTHREAD,
};

/* of locations */
#define OTLP_FRAME_FLAGS "tidemark.frame.flags"
#define OTLP_FRAME_FILE \
	"tidemark.frame.file" /* of one without a mapping: [kernel], [vdso], a path */

enum {
	OTLP_FRAME_KIND = 3, /* enum report_kind */
	OTLP_FRAME_UNNAMED = 1 << 2,
	OTLP_FRAME_RETURN = 1 << 3,
	OTLP_FRAME_ANONYMOUS = 1 << 4, /* memory of the process that is sampled */
	OTLP_FRAME_OURS = 1 << 5,      /* so that there is an attribute */
	OTLP_FRAME_DELETED = 1 << 7,   /* its file was, when it was sampled */
	OTLP_FRAME_STOP = 1 << 6,      /* no frame: stands for a root that is missing */
};

/* of mappings */
#define OTLP_FILE_FLAGS "tidemark.file.flags"

enum {
	OTLP_FILE_SYMBOLS = 1 << 0,
	OTLP_FILE_DELETED = 1 << 1,
	OTLP_FILE_GO = 1 << 2,
};
