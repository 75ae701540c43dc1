/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * worker - the disposable process that parses one file
 */

#include "symbolizer/parser/parser.h"

#define WORKER_CPU_SECONDS 2
#define WORKER_HEAP_BYTES  (768ull << 20) /* address space beside the copy of the file */

struct worker_job {
	struct parser_message request;
	int file;    /* -1: the vDSO */
	int offsets; /* a sealed blob of request.count offsets; -1 for a request of rows */
};

/* In the child: enters the sandbox, parses, sends the result to @channel, and exits. */
_Noreturn void worker_run(int channel, const struct worker_job *job);
