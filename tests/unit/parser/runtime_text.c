/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime_text - prints what the parser says of the language runtime in a file
 *
 * usage: runtime_text FILE
 * A line for each field: name and value. Nothing, if the file has no runtime.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shared/runtime.h"
#include "shared/unwind_table.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/unwind_compile.h"

struct field {
	const char *name;
	size_t at; /* in struct tm_runtime */
};

#define FIELD(name)                                             \
	{                                                       \
#name, offsetof(struct tm_runtime, python.name) \
	}
static const struct field of_python[] = {
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
	FIELD(thread_chain),
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
	FIELD(frame_copy),
	FIELD(code_copies),
	FIELD(bytes_length),
	FIELD(bytes_data),
};

#undef FIELD
#define FIELD(name)                                           \
	{                                                     \
#name, offsetof(struct tm_runtime, java.name) \
	}
static const struct field of_java[] = {
	FIELD(scopes),
	FIELD(flags),
	FIELD(array_length),
	FIELD(array_data),
	FIELD(heap_low),
	FIELD(heap_high),
	FIELD(heap_segments),
	FIELD(heap_shift),
	FIELD(block_used),
	FIELD(block_bytes),
	FIELD(blob_name),
	FIELD(blob_frame_words),
	FIELD(blob_complete),
	FIELD(blob_complete_bytes),
	FIELD(blob_code),
	FIELD(blob_code_bytes),
	FIELD(blob_data),
	FIELD(blob_relocations),
	FIELD(nmethod_method),
	FIELD(nmethod_compile_id),
	FIELD(nmethod_original_pc),
	FIELD(nmethod_deopt),
	FIELD(nmethod_deopt_bytes),
	FIELD(nmethod_immutable),
	FIELD(nmethod_mutable),
	FIELD(nmethod_pcs),
	FIELD(nmethod_pcs_end),
	FIELD(nmethod_scopes),
	FIELD(nmethod_metadata),
	FIELD(method_const),
	FIELD(const_pool),
	FIELD(const_words),
	FIELD(const_flags),
	FIELD(const_lines),
	FIELD(const_code_bytes),
	FIELD(const_name),
	FIELD(const_signature),
	FIELD(const_code),
	FIELD(pool_holder),
	FIELD(pool_entries),
	FIELD(pool_file),
	FIELD(class_file),
	FIELD(class_name),
	FIELD(symbol_length),
	FIELD(symbol_text),
	FIELD(frame_method),
	FIELD(frame_code),
	FIELD(stub_next),
	FIELD(stub_name),
	FIELD(stub_begin),
	FIELD(stub_end),
	FIELD(queue_codelets),
	FIELD(codelet_bytes),
	FIELD(codelet_name),
};

static void print_fields(const struct tm_runtime *runtime, const struct field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint16_t value;

		memcpy(&value, (const uint8_t *)runtime + fields[i].at, sizeof(value));
		(void)printf("%s %u\n", fields[i].name, value);
	}
}

static void print(const struct tm_runtime *runtime)
{
	(void)printf("version %" PRIu32 "\nstate %" PRId64 "\n", runtime->version, runtime->state);
	for (uint32_t i = 0; i < TM_RUNTIME_LOOPS_MAX; i++)
		(void)printf("loop_%" PRIu32 " %" PRIu32 "\nloop_end_%" PRIu32 " %" PRIu32 "\n", i,
			     runtime->loops[i].start, i, runtime->loops[i].end);
	if (runtime->kind == TM_RUNTIME_PYTHON) {
		print_fields(runtime, of_python, sizeof(of_python) / sizeof(of_python[0]));
		return;
	}
	print_fields(runtime, of_java, sizeof(of_java) / sizeof(of_java[0]));
	(void)printf("stubs %" PRId64 "\ncodelets %" PRId64 "\n", runtime->java.stubs,
		     runtime->java.codelets);
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
