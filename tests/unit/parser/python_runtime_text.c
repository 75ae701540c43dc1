/* SPDX-License-Identifier: Apache-2.0 */
/*
 * python_runtime_text - prints what the parser says of the CPython interpreter in a file
 *
 * usage: python_runtime_text FILE
 * A line for each field: name and value. Nothing, if the file has no interpreter.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "shared/runtime.h"
#include "shared/unwind_table.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/unwind_compile.h"

#define FIELD(name)                                     \
	{                                               \
#name, offsetof(struct tm_python, name) \
	}

static const struct {
	const char *name;
	size_t at;
} fields[] = {
	FIELD(entry),
	FIELD(flags),
	FIELD(owner_entry),
	FIELD(unit_shift),
	FIELD(runtime_interpreters),
	FIELD(interpreter_next),
	FIELD(interpreter_threads),
	FIELD(thread_previous),
	FIELD(thread_next),
	FIELD(thread_interpreter),
	FIELD(thread_id),
	FIELD(thread_frame),
	FIELD(chain_frame),
	FIELD(chain_previous),
	FIELD(frame_previous),
	FIELD(frame_code),
	FIELD(frame_instruction),
	FIELD(frame_owner),
	FIELD(code_file),
	FIELD(code_name),
	FIELD(code_lines),
	FIELD(code_first_line),
	FIELD(code_instructions),
	FIELD(string_length),
	FIELD(string_hash),
	FIELD(string_state),
	FIELD(string_ascii),
	FIELD(string_wide),
	FIELD(string_kind),
	FIELD(bytes_length),
	FIELD(bytes_data),
};

static void print(const struct tm_runtime *runtime)
{
	(void)printf("version %" PRIu32 "\nstate %" PRId64 "\n", runtime->version, runtime->state);
	for (uint32_t i = 0; i < TM_RUNTIME_LOOPS_MAX; i++)
		(void)printf("loop_%" PRIu32 " %" PRIu32 "\nloop_end_%" PRIu32 " %" PRIu32 "\n", i,
			     runtime->loops[i].start, i, runtime->loops[i].end);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const uint8_t *python = (const void *)&runtime->python;

		(void)printf("%s %u\n", fields[i].name,
			     *(const uint16_t *)(const void *)(python + fields[i].at));
	}
}

int main(int argc, char **argv)
{
	struct tm_unwind_table_view view;
	struct image_source source;
	struct result_blob result;
	struct input input;
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 || input_open_file(&input, fd, &source) || unwind_compile(&result, &source) ||
	    tm_unwind_table_check(&view, result.data, result.bytes) < 0)
		return 1;
	if (view.runtime)
		print(view.runtime);
	result_blob_free(&result);
	(void)close(fd);
	return 0;
}
