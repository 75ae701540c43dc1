/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_disassembly - rules for code without CFI come from its instructions, or there are none
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/parser/compiled_table.h"

#define CALL "sp+8 ra=*(cfa-8) fp=same"

static struct cfi_builder builder;
static uint32_t fill; /* the end of the code of the entry point, which calls all functions */

static int setup(void **state)
{
	cfi_builder_open(&builder);
	builder.header->e_entry = CFI_BUILDER_VADDR + 0x100;
	/* The entry point of a library: an ordinary function. */
	memcpy(builder.file + 0x1100, "\x55\x48\x89\xe5", 4);
	fill = 0x1104;
	return 0;
}

static int teardown(void **state)
{
	compiled_table_close();
	return 0;
}

/* Adds a function at @offset, and a call of it to the entry point. */
static void put_function(uint32_t offset, struct cfi_builder_bytes code)
{
	int32_t distance = (int32_t)(offset - (fill + 5));

	memcpy(builder.file + offset, code.bytes, code.count);
	builder.file[fill] = 0xe8;
	memcpy(builder.file + fill + 1, &distance, 4);
	fill += 5;
	memcpy(builder.file + fill, "\xc9\xc3", 2);
}

static void pushes_and_pops_are_followed(void **state)
{
	put_function(0x1200, BYTES(0x41, 0x57, 0x55, 0x48, 0x83, 0xec, 0x18, 0x31, 0xed, 0x48, 0x83,
				   0xc4, 0x18, 0x5d, 0x41, 0x5f, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x1200, CALL);
	compiled_table_expect(0x1202, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1203, "sp+24 ra=*(cfa-8) fp=*(cfa-24)");
	compiled_table_expect(0x1207, "sp+48 ra=*(cfa-8) fp=*(cfa-24)");
	compiled_table_expect(0x120d, "sp+24 ra=*(cfa-8) fp=*(cfa-24)");
	compiled_table_expect(0x120e, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1210, CALL);
	compiled_table_expect(0x1220, "none");
}

static void pushed_rbx_is_marked_as_saved(void **state)
{
	put_function(0x1200, BYTES(0x50, 0x53, 0x50, 0x58, 0x5b, 0x58, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x1201, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1202, "sp+24 ra=*(cfa-8) fp=same rbx saved");
	compiled_table_expect(0x1203, "sp+32 ra=*(cfa-8) fp=same rbx saved");
	compiled_table_expect(0x1205, "sp+16 ra=*(cfa-8) fp=same");
}

static void frame_record_is_used_where_there_is_one(void **state)
{
	put_function(0x1200, BYTES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xe0, 0x48, 0x29, 0xc4,
				   0xc9, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x1201, "sp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x1204, "fp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x120b, "fp+16 ra=*(cfa-8) fp=*(cfa-16)");
	compiled_table_expect(0x120c, CALL);
}

static void both_paths_of_a_branch_are_followed(void **state)
{
	/* je over a push and a pop; then ret */
	put_function(0x1200, BYTES(0x74, 3, 0x50, 0x90, 0x59, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x1203, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1205, CALL);
}

static void two_stack_heights_at_one_address_reject_the_function(void **state)
{
	put_function(0x1200, BYTES(0x74, 1, 0x50, 0x90, 0x90, 0x59, 0xc3));
	put_function(0x1240, BYTES(0x50, 0x58, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x1200, "none");
	compiled_table_expect(0x1206, "none");
	compiled_table_expect(0x1241, "sp+16 ra=*(cfa-8) fp=same");
}

static void return_that_finds_no_address_rejects_the_function(void **state)
{
	put_function(0x1200, BYTES(0x50, 0xc3));
	put_function(0x1240, BYTES(0x55, 0x31, 0xed, 0x58, 0xc3)); /* loses the caller's fp */
	put_function(0x1280, BYTES(0x58, 0x50, 0xc3));             /* pops its return address */
	compiled_table_open(&builder);
	compiled_table_expect(0x1200, "none");
	compiled_table_expect(0x1240, "none");
	compiled_table_expect(0x1280, "none");
}

static void unknown_instruction_rejects_only_its_function(void **state)
{
	put_function(0x1200, BYTES(0x50, 0x06, 0x58, 0xc3));
	put_function(0x1240, BYTES(0x50, 0x58, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x1200, "none");
	compiled_table_expect(0x1240, CALL);
}

static void call_that_does_not_return_ends_its_function(void **state)
{
	/* It calls 0x1280, which never returns. The next function begins right after the call. */
	put_function(0x1200, BYTES(0x50, 0xe8, 0x7a, 0, 0, 0));
	put_function(0x1206, BYTES(0x50, 0x50, 0x58, 0x58, 0xc3));
	put_function(0x1280, BYTES(0x50, 0xf4));
	compiled_table_open(&builder);
	compiled_table_expect(0x1205, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1206, CALL);
	compiled_table_expect(0x1208, "sp+24 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x1281, "sp+16 ra=*(cfa-8) fp=same");
}

static void cases_of_a_jump_table_have_its_height(void **state)
{
	/* push; add; jmp *%rdx; a case (pop, ret) between two blocks that jumps reach */
	put_function(0x1200, BYTES(0x50, 0x74, 9, 0x48, 0x01, 0xca, 0xff, 0xe2, 0x90, 0x90, 0x59,
				   0xc3, 0x58, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x120a, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(0x120b, CALL);
	compiled_table_expect(0x120c, "sp+16 ra=*(cfa-8) fp=same");
}

static void child_of_a_clone_begins_its_stack(void **state)
{
	/* syscall; test; jne to ret; then as musl: xor %ebp,%ebp; pop; call; hlt */
	put_function(0x1200, BYTES(0x0f, 0x05, 0x85, 0xc0, 0x75, 7, 0x31, 0xed, 0x5f, 0x41, 0xff,
				   0xd1, 0xf4, 0xc3));
	compiled_table_open(&builder);
	compiled_table_expect(0x1206, CALL);
	compiled_table_expect(0x1208, "end");
	compiled_table_expect(0x120b, "end");
	compiled_table_expect(0x120d, CALL);
}

static void function_that_begins_without_a_frame_pointer_is_outermost(void **state)
{
	put_function(0x1200, BYTES(0x31, 0xed, 0x50, 0xf4));
	compiled_table_open(&builder);
	compiled_table_expect(0x1200, CALL);
	compiled_table_expect(0x1202, "end");
	compiled_table_expect(0x1203, "end");
}

static void code_with_cfi_is_not_disassembled(void **state)
{
	uint32_t cie = cfi_builder_plain_cie(&builder);

	put_function(0x1200, BYTES(0x50, 0x50, 0x58, 0x58, 0xc3));
	(void)cfi_builder_fde(&builder, CFI_BUILDER_EH_FRAME, cie, 0x1200, 5, BYTES(0));
	compiled_table_open(&builder);
	compiled_table_expect(0x1202, CALL);
}

static void code_without_an_end_is_read_to_the_end_of_its_segment(void **state)
{
	builder.header->e_entry = CFI_BUILDER_VADDR + CFI_BUILDER_DATA - CFI_BUILDER_TEXT - 3;
	memcpy(builder.file + CFI_BUILDER_DATA - 3, "\x50\x50\x48", 3);
	compiled_table_open(&builder);
	compiled_table_expect(CFI_BUILDER_DATA - 3, "no row");
}

#define claim(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(pushes_and_pops_are_followed),
		claim(pushed_rbx_is_marked_as_saved),
		claim(frame_record_is_used_where_there_is_one),
		claim(both_paths_of_a_branch_are_followed),
		claim(two_stack_heights_at_one_address_reject_the_function),
		claim(return_that_finds_no_address_rejects_the_function),
		claim(unknown_instruction_rejects_only_its_function),
		claim(call_that_does_not_return_ends_its_function),
		claim(cases_of_a_jump_table_have_its_height),
		claim(child_of_a_clone_begins_its_stack),
		claim(function_that_begins_without_a_frame_pointer_is_outermost),
		claim(code_with_cfi_is_not_disassembled),
		claim(code_without_an_end_is_read_to_the_end_of_its_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
