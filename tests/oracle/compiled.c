/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiled - compiles a file's unwind table, checks it, and measures the time
 */

#include "tests/oracle/compiled.h"

#include <time.h>

#include "symbolizer/parser/input.h"

static uint64_t cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int compiled_open(struct compiled *compiled, int fd)
{
	struct image_source source;
	struct input input;
	uint64_t begun;
	int r;

	*compiled = (struct compiled){0};
	r = input_open_file(&input, fd, &source);
	if (r)
		return r;
	begun = cpu_ns();
	r = unwind_compile(&compiled->table, &source);
	compiled->cpu_ns = cpu_ns() - begun;
	compiled->file_bytes = source.bytes;
	if (r)
		return r;
	r = tm_unwind_table_check(&compiled->view, compiled->table.data, compiled->table.bytes);
	if (r)
		compiled_close(compiled);
	return r;
}

void compiled_close(struct compiled *compiled)
{
	result_blob_free(&compiled->table);
}
