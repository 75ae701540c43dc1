/* SPDX-License-Identifier: Apache-2.0 */
/* report_case_runtimes - functions of an interpreted language, between those of libraries */

#include "tests/interop/report_builder.h"

#define PYTHON "/usr/bin/python3.11"
#define WORK   "/srv/app/work.py"

/* @path: "" if it is not known, as line 0. */
static uint32_t add(struct report_builder *builder, const char *name, const char *path,
		    uint32_t line, uint32_t start_line)
{
	uint32_t frame = report_builder_frame(builder, name, REPORT_NO_FILE, 0, REPORT_RUNTIME);

	report_builder_system_name(builder, "");
	report_builder_source(builder, path, line, start_line);
	return frame;
}

static void sample(struct report_builder *builder, uint32_t process, const uint32_t *stack,
		   uint32_t count, uint64_t samples)
{
	report_builder_sample(builder, process, 600, "python3",
			      report_builder_stack(builder, stack, count), TM_STOP_NONE, samples);
}

void report_case_runtimes(struct report_builder *builder)
{
	uint32_t library = report_builder_file(builder, "/usr/lib/libcrypto.so.3", "dd44", 0);
	uint32_t python = report_builder_file(builder, PYTHON, "ee55", 0);
	uint32_t process = report_builder_process(builder, 600, "python3", PYTHON);
	uint32_t start = report_builder_frame(builder, "_start", python, 0x1100, REPORT_NATIVE);
	uint32_t hash =
		report_builder_frame(builder, "sha256_block", library, 0x2100, REPORT_NATIVE);
	uint32_t module = add(builder, "<module>", "/srv/app/main.py", 40, 1);
	uint32_t run = add(builder, "Worker.run", WORK, 12, 10);
	uint32_t again = add(builder, "Worker.run", WORK, 14, 10);
	uint32_t other = add(builder, "Worker.run", "/srv/other/work.py", 14, 10);
	uint32_t frozen = add(builder, "_load", "<frozen importlib;_bootstrap>", 0, 1022);
	uint32_t unknown = add(builder, "[python]", "", 0, 0);
	const uint32_t stacks[][4] = {
		{hash, run, module, start},
		{again, module, start},
		{other, module, start},
		{unknown, frozen, module, start},
	};

	sample(builder, process, stacks[0], 4, 40);
	sample(builder, process, stacks[1], 3, 20);
	sample(builder, process, stacks[2], 3, 4);
	sample(builder, process, stacks[3], 4, 2);
}
