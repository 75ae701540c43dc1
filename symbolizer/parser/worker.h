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
	int target;  /* -1: the vDSO */
	int offsets; /* sealed blob of request.count offsets; -1 when rows are wanted */
};

/* In the child: walls, parse, answer on @channel, exit. */
_Noreturn void worker_run(int channel, const struct worker_job *job);
