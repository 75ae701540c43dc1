/* SPDX-License-Identifier: Apache-2.0 */
/* report_case_runtimes - functions of language runtimes, between those of libraries */

#include "shared/runtime.h"
#include "tests/interop/report_builder.h"

#define PYTHON "/usr/bin/python3.11"
#define WORK   "/srv/app/work.py"
#define JAVA   "/usr/lib/jvm/bin/java"

/* @path: "" if it is not known, as line 0. */
static uint32_t add(struct report_builder *builder, const char *name, const char *path,
		    uint32_t line, uint32_t start_line)
{
	uint32_t frame = report_builder_frame(builder, name, REPORT_NO_FILE, 0, REPORT_RUNTIME);

	report_builder_system_name(builder, "");
	report_builder_source(builder, path, line, start_line);
	return frame;
}

/* @system_name: "" of a stub. */
static uint32_t add_java(struct report_builder *builder, const char *name, const char *system_name,
			 const char *path, uint32_t line, uint32_t start_line)
{
	uint32_t frame = add(builder, name, path, line, start_line);
	const struct report *report = report_builder_report(builder);

	((struct report_frame *)(uintptr_t)report->frames)[frame].runtime = TM_RUNTIME_JAVA;
	report_builder_system_name(builder, system_name);
	return frame;
}

static void sample(struct report_builder *builder, uint32_t process, const uint32_t *stack,
		   uint32_t count, uint64_t samples)
{
	const struct report *report = report_builder_report(builder);
	const struct report_process *of = &report->processes[process];

	report_builder_sample(builder, process, of->tgid, report->strings[of->comm],
			      report_builder_stack(builder, stack, count), TM_STOP_NONE, samples);
}

/* Two methods of one name, and one at two places. */
static void java(struct report_builder *builder)
{
	uint32_t file = report_builder_file(builder, JAVA, "ff66", 0);
	uint32_t process = report_builder_process(builder, 700, "java", JAVA);
	uint32_t main = report_builder_frame(builder, "JavaMain", file, 0x1100, REPORT_NATIVE);
	uint32_t call = add_java(builder, "StubRoutines (1)", "", "", 0, 0);
	uint32_t adapter = add_java(builder, "I2C/C2I adapters", "", "", 0, 0);
	uint32_t run =
		add_java(builder, "app.Work$$Lambda.run", "app/Work$$Lambda.run()V", "", 0, 0);
	uint32_t step =
		add_java(builder, "app.Work.step", "app/Work.step(I)I", "Work.java", 28, 27);
	uint32_t again =
		add_java(builder, "app.Work.step", "app/Work.step(I)I", "Work.java", 30, 27);
	uint32_t of_int = add_java(builder, "java.lang.String.valueOf",
				   "java/lang/String.valueOf(I)Ljava/lang/String;", "String.java",
				   4557, 4557);
	uint32_t of_char = add_java(builder, "java.lang.String.valueOf",
				    "java/lang/String.valueOf(C)Ljava/lang/String;", "String.java",
				    4539, 4539);
	const uint32_t stacks[][5] = {
		{step, run, call, main},
		{again, run, call, main},
		{of_int, run, call, main},
		{of_char, run, call, main},
		{adapter, of_char, run, call, main},
	};

	sample(builder, process, stacks[0], 4, 5);
	sample(builder, process, stacks[1], 4, 3);
	sample(builder, process, stacks[2], 4, 2);
	sample(builder, process, stacks[3], 4, 1);
	sample(builder, process, stacks[4], 5, 1);
}

static void python(struct report_builder *builder)
{
	uint32_t library = report_builder_file(builder, "/usr/lib/libcrypto.so.3", "dd44", 0);
	uint32_t program = report_builder_file(builder, PYTHON, "ee55", 0);
	uint32_t process = report_builder_process(builder, 600, "python3", PYTHON);
	uint32_t start = report_builder_frame(builder, "_start", program, 0x1100, REPORT_NATIVE);
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

void report_case_runtimes(struct report_builder *builder)
{
	python(builder);
	java(builder);
}
