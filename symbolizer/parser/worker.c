/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker - the disposable process that parses one file, or demangles names
 */

#include "symbolizer/parser/worker.h"

#include <libdeflate.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "shared/sandbox.h"
#include "symbolizer/parser/demangle.h"
#include "symbolizer/parser/dwarf/lines.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/jit/jitdump.h"
#include "symbolizer/parser/jit/perf_map.h"
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
	case PARSER_PERF_MAP:
	case PARSER_JITDUMP:
		return (struct worker_limits){WORKER_SYMBOLS_CPU_SECONDS, WORKER_HEAP_BYTES};
	case PARSER_LINES:
		return (struct worker_limits){WORKER_LINES_CPU_SECONDS, WORKER_LINES_HEAP_BYTES};
	case PARSER_DEMANGLE:
		return (struct worker_limits){WORKER_DEMANGLE_CPU_SECONDS,
					      WORKER_DEMANGLE_HEAP_BYTES};
	default:
		return (struct worker_limits){WORKER_CPU_SECONDS, WORKER_HEAP_BYTES};
	}
}

static uint64_t granted_bytes(const struct parser_message *request)
{
	const uint64_t bytes = (uint64_t)request->memory_kib << 10;

	return bytes && bytes < PARSER_MEMORY_MOST ? bytes : PARSER_MEMORY_MOST;
}

static uint64_t result_bytes_max(const struct parser_message *request)
{
	return granted_bytes(request) / WORKER_RESULT_PART;
}

/* The result is a file in memory. A sanitizer's own memory is without a limit (sandbox.h). */
static int limit_memory(const struct parser_message *request)
{
	const uint64_t result = result_bytes_max(request);
	const uint64_t rest = WORKER_START_BYTES + granted_bytes(request) - result;
	const struct rlimit data = {rest, rest};
	const struct rlimit file = {result, result};

	if (setrlimit(RLIMIT_FSIZE, &file) < 0)
		return PARSER_FAILED;
	return TM_SANITIZED || setrlimit(RLIMIT_DATA, &data) == 0 ? 0 : PARSER_FAILED;
}

/* @space: address space for copies of files. */
static int enter_sandbox(const struct parser_message *request, uint64_t space)
{
	const struct worker_limits limits = limits_of(request->kind);
	const rlim_t most = (request->cpu_ms + 999ull) / 1000;
	const rlim_t seconds = most && most < limits.cpu_seconds ? most : limits.cpu_seconds;
	/* The lower limit ends it by a signal of its own, SIGXCPU. */
	const struct rlimit cpu = {seconds, seconds + 1};

	if (setrlimit(RLIMIT_CPU, &cpu) < 0 || limit_memory(request) ||
	    tm_sandbox_limits(0, space + limits.heap_bytes) < 0 ||
	    tm_sandbox_filter(&worker_filter) < 0)
		return PARSER_FAILED;
	return 0;
}

/* What the copy of a file needs. */
static uint64_t image_space(const struct image_source *source)
{
	return source->bytes < IMAGE_MAX_BYTES ? source->bytes : 0;
}

/* Maps the part of a request that is `count` 64-bit numbers. */
static int open_numbers(const struct worker_job *job, struct tm_region *ret_region)
{
	*ret_region = TM_REGION_NULL;
	if (tm_region_open_blob(ret_region, job->parts[0], PARSER_OFFSETS_MAX * sizeof(uint64_t)) ||
	    ret_region->bytes < job->request.count * sizeof(uint64_t))
		return PARSER_REFUSED;
	return 0;
}

static int demangle(const struct worker_job *job, struct result_blob *result)
{
	struct tm_region names = TM_REGION_NULL;
	int r = enter_sandbox(&job->request, 0);

	if (r)
		return r;
	if (tm_region_open_blob(&names, job->parts[0], PARSER_DEMANGLE_BYTES_MAX))
		return PARSER_REFUSED;
	return demangle_names(result, names.addr, names.bytes, job->request.count);
}

/* The file, and the parts that are files. */
static int open_inputs(const struct worker_job *job, struct input *inputs,
		       struct image_source *sources, uint64_t *ret_space)
{
	int r = 0;

	*ret_space = 0;
	for (uint32_t i = 0; !r && i < job->request.parts; i++) {
		r = input_open_file(&inputs[i], i ? job->parts[i] : job->file, &sources[i]);
		*ret_space += r ? 0 : image_space(&sources[i]);
	}
	return r;
}

/* @r: of parsing. What was not a failure to read was one of memory. */
static int status_of(int r, const struct input *inputs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (inputs[i].unreadable)
			return r;
	return r == PARSER_FAILED ? PARSER_MEMORY : r;
}

static int parse_lines(const struct worker_job *job, struct result_blob *result)
{
	struct image_source sources[PARSER_PARTS_MAX];
	struct input inputs[PARSER_PARTS_MAX];
	uint32_t count = job->request.parts;
	const struct debug_sources debug = {.file = &sources[0],
					    .debug = count > 1 ? &sources[1] : NULL,
					    .alternate = count > 2 ? &sources[2] : NULL};
	struct tm_region vaddrs;
	uint64_t space;
	int r = open_inputs(job, inputs, sources, &space);

	if (!r)
		r = enter_sandbox(&job->request, space);
	if (!r)
		r = open_numbers(job, &vaddrs);
	if (!r)
		r = status_of(lines_find(result, &debug, vaddrs.addr, job->request.count), inputs,
			      count);
	for (uint32_t i = 0; !r && i < count; i++)
		r = input_is_unchanged(&inputs[i]) ? 0 : PARSER_CHANGED;
	return r;
}

/* It may grow while it is read. */
static int parse_jit_file(const struct worker_job *job, struct result_blob *result)
{
	struct image_source source;
	struct input input;
	int r = input_open_file(&input, job->file, &source);

	if (!r)
		r = enter_sandbox(&job->request, 0);
	if (r)
		return r;
	r = job->request.kind == PARSER_JITDUMP
		    ? jitdump_compile(result, &source)
		    : perf_map_compile(result, &source, (uint64_t)job->request.count << 20);
	return status_of(r, &input, 1);
}

/* Of the whole file, for the debug link that names it. */
static int add_crc(struct result_blob *result, const struct image_source *source)
{
	struct parser_symbol_table *header = result->data;
	static uint8_t chunk[1 << 16];
	uint32_t crc = 0;

	for (uint64_t at = 0; at < source->bytes;) {
		size_t bytes = source->bytes - at < sizeof(chunk) ? (size_t)(source->bytes - at)
								  : sizeof(chunk);

		if (source->read(source->context, chunk, at, bytes) < 0)
			return PARSER_FAILED;
		crc = libdeflate_crc32(crc, chunk, bytes);
		at += bytes;
	}
	header->has_crc = 1;
	header->crc = crc;
	return 0;
}

static int parse_file(const struct worker_job *job, struct result_blob *result)
{
	struct image_source source;
	struct input input;
	int r;

	r = job->file < 0 ? input_open_vdso(&input, &source)
			  : input_open_file(&input, job->file, &source);
	if (!r)
		r = enter_sandbox(&job->request, image_space(&source));
	if (r)
		return r;
	r = job->request.kind == PARSER_ROWS ? unwind_compile(result, &source)
					     : symbols_compile(result, &source);
	if (!r && job->request.kind == PARSER_SYMBOLS && job->request.count)
		r = add_crc(result, &source);
	r = status_of(r, &input, 1);
	return !r && !input_is_unchanged(&input) ? PARSER_CHANGED : r;
}

static const char *blob_name(uint32_t kind)
{
	switch (kind) {
	case PARSER_ROWS:
		return "tidemark-rows";
	case PARSER_LINES:
		return "tidemark-lines";
	case PARSER_DEMANGLE:
		return "tidemark-texts";
	default:
		return "tidemark-symbols";
	}
}

static int parse(const struct worker_job *job, struct result_blob *result)
{
	switch (job->request.kind) {
	case PARSER_LINES:
		return parse_lines(job, result);
	case PARSER_DEMANGLE:
		return demangle(job, result);
	case PARSER_PERF_MAP:
	case PARSER_JITDUMP:
		return parse_jit_file(job, result);
	default:
		return parse_file(job, result);
	}
}

void worker_answer(int socket, struct parser_message *result, int fd)
{
	if (tm_fdpass_send(socket, result, sizeof(*result), fd, 0) != TM_FDPASS_E_AGAIN)
		return;
	result->status = PARSER_FAILED;
	(void)tm_fdpass_send(socket, result, sizeof(*result), -1, 0);
}

_Noreturn void worker_run(int channel, const struct worker_job *job)
{
	struct parser_message result = {.kind = PARSER_RESULT, .id = job->request.id};
	struct result_blob blob = {0};
	int fd = -1;

	/* If the server dies, so does its worker. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	result.status = (uint32_t)parse(job, &blob);
	if (result.status == PARSER_OK && blob.bytes > result_bytes_max(&job->request))
		result.status = PARSER_MEMORY;
	if (result.status == PARSER_OK) {
		fd = tm_region_seal_blob(blob_name(job->request.kind), blob.data, blob.bytes);
		if (fd < 0)
			result.status = PARSER_FAILED;
	}
	worker_answer(channel, &result, fd);
	_exit(0);
}
