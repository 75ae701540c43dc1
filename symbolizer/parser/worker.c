/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - the disposable process that parses one file
 */

#include "symbolizer/parser/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/sandbox.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/symbolize.h"
#include "symbolizer/parser/symbols/symbols_compile.h"
#include "symbolizer/parser/unwind_compile.h"
#include "worker_filter.h"

struct worker_limits {
	rlim_t cpu_seconds;
	uint64_t heap_bytes;
};

static struct worker_limits limits_of(uint32_t kind)
{
	switch (kind) {
	case PARSER_SYMBOLS:
		return (struct worker_limits){WORKER_SYMBOLS_CPU_SECONDS,
					      WORKER_SYMBOLS_HEAP_BYTES};
	default:
		return (struct worker_limits){WORKER_CPU_SECONDS, WORKER_HEAP_BYTES};
	}
}

static int enter_sandbox(uint32_t kind, uint64_t file_bytes)
{
	const struct worker_limits limits = limits_of(kind);
	const struct rlimit cpu = {limits.cpu_seconds, limits.cpu_seconds};
	uint64_t space = file_bytes < IMAGE_MAX_BYTES ? file_bytes : 0;

	if (setrlimit(RLIMIT_CPU, &cpu) < 0 ||
	    tm_sandbox_limits(0, space + limits.heap_bytes) < 0 ||
	    tm_sandbox_filter(&worker_filter) < 0)
		return PARSER_FAILED;
	return 0;
}

static int symbolize(const struct worker_job *job, const struct image_source *source,
		     struct result_blob *result)
{
	struct tm_region offsets = TM_REGION_NULL;

	if (tm_region_open_blob(&offsets, job->parts[0], PARSER_OFFSETS_MAX * sizeof(uint64_t)) ||
	    offsets.bytes < job->request.count * sizeof(uint64_t))
		return PARSER_REFUSED;
	return symbolize_offsets(result, source, offsets.addr, job->request.count);
}

static int run(const struct worker_job *job, const struct image_source *source,
	       struct result_blob *result)
{
	switch (job->request.kind) {
	case PARSER_ROWS:
		return unwind_compile(result, source);
	case PARSER_SYMBOLS:
		return symbols_compile(result, source);
	default:
		return symbolize(job, source, result);
	}
}

static int parse(const struct worker_job *job, struct result_blob *result)
{
	struct image_source source;
	struct input input;
	int r;

	r = job->file < 0 ? input_open_vdso(&input, &source)
			  : input_open_file(&input, job->file, &source);
	if (r)
		return r;
	r = enter_sandbox(job->request.kind, source.bytes);
	if (r)
		return r;
	r = run(job, &source, result);
	return !r && !input_is_unchanged(&input) ? PARSER_CHANGED : r;
}

_Noreturn void worker_run(int channel, const struct worker_job *job)
{
	struct parser_message result = {.kind = PARSER_RESULT, .id = job->request.id};
	struct result_blob blob = {0};
	int fd = -1;

	/* If the server dies, so does its worker. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	result.status = (uint32_t)parse(job, &blob);
	if (result.status == PARSER_OK) {
		fd = tm_region_seal_blob(job->request.kind == PARSER_ROWS ? "tidemark-rows"
									  : "tidemark-symbols",
					 blob.data, blob.bytes);
		if (fd < 0)
			result.status = PARSER_FAILED;
	}
	(void)tm_fdpass_send(channel, &result, sizeof(result), fd, 0);
	_exit(0);
}
