/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * worker - the disposable process that parses one file, or demangles names
 */

#include "shared/cleanup.h"
#include "symbolizer/parser/parser.h"

/*
 * What a worker starts with, of the memory that the kernel counts (RLIMIT_DATA). Of what its
 * request grants beyond, one part is for its result.
 */
#define WORKER_START_BYTES (2ull << 20)
#define WORKER_RESULT_PART 4u

/* Of the CPU, and of address space beside the copy of the file. */
#define WORKER_CPU_SECONDS          2
#define WORKER_HEAP_BYTES           (768ull << 20)
#define WORKER_SYMBOLS_CPU_SECONDS  5
#define WORKER_LINES_CPU_SECONDS    20
#define WORKER_LINES_HEAP_BYTES     (1792ull << 20) /* with the copy of the DWARF sections */
#define WORKER_DEMANGLE_CPU_SECONDS 1
#define WORKER_DEMANGLE_HEAP_BYTES  (192ull << 20)

struct worker_job {
	struct parser_message request;
	int file;                    /* -1: the vDSO */
	int parts[PARSER_PARTS_MAX]; /* request.parts of them, the others -1 */
};

#define WORKER_JOB_NULL ((struct worker_job){.file = -1, .parts = {-1, -1, -1}})

/* Closes its descriptors. */
static inline void worker_job_close(struct worker_job *job)
{
	job->file = tm_close(job->file);
	for (unsigned i = 0; i < PARSER_PARTS_MAX; i++)
		job->parts[i] = tm_close(job->parts[i]);
}

/* Sends a result. If its descriptor cannot be sent now, PARSER_FAILED goes instead. */
void worker_answer(int socket, struct parser_message *result, int fd);
/* In the child: enters the sandbox, parses, sends the result to @channel, and exits. */
_Noreturn void worker_run(int channel, const struct worker_job *job);
