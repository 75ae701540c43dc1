/* SPDX-License-Identifier: GPL-2.0 */
/*
 * test_remapped - text copied to anonymous memory is its file's where its neighbours prove it
 */

#include "bpf/kernel_types.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled.h"

#define TEXT             0x400000000ull /* the copy */
#define BYTES            0x200000ull
#define BELOW            (TEXT - 0x1000)
#define ABOVE            (TEXT + BYTES)
#define PAGES            (BYTES >> 12)
#define OFFSET           0x5000ull /* of the text in its file */

#define OF_FILE          FRAME_EXACT(OFFSET + 0x10)

#define expect_of_file() sampled_expect(TM_STOP_NO_TABLE, OF_FILE)
#define expect_nobodys() sampled_expect(TM_STOP_FRAME_POINTER, FRAME_KIND(ANON) | (TEXT + 0x10))

static void copy_text(void)
{
	sampled.registers.rip = TEXT + 0x10;
	sampled_map(TEXT, BYTES, VM_EXEC, SAMPLED_ANONYMOUS, TEXT >> 12);
}

static void map_below(enum sampled_file file, uint64_t flags)
{
	sampled_map(BELOW, 0x1000, flags, file, (OFFSET >> 12) - 1);
}

static void map_above(enum sampled_file file, uint64_t flags)
{
	sampled_map(ABOVE, 0x1000, flags, file, (OFFSET >> 12) + PAGES);
}

static void text_between_mappings_of_one_file_is_that_files(void **state)
{
	copy_text();
	map_below(SAMPLED_LIBRARY_FILE, 0);
	map_above(SAMPLED_LIBRARY_FILE, 0);
	expect_of_file();
	assert_int_equal(bpf_maps_records(TM_EVENT_FILE), 1);
}

static void text_is_unwound_by_the_table_of_its_file(void **state)
{
	copy_text();
	map_below(SAMPLED_PROGRAM_FILE, VM_EXEC);
	map_above(SAMPLED_PROGRAM_FILE, VM_EXEC);
	sampled_row(OFFSET, RULE(SP, 16));
	sampled_row(OFFSET + 0x100, RULE_END);
	sampled_store(SAMPLED_SP + 8, TEXT + 0x108);
	sampled_expect(TM_STOP_NONE, OF_FILE, FRAME_CALL(OFFSET + 0x108));
}

static void text_between_two_files_is_nobodys(void **state)
{
	copy_text();
	map_below(SAMPLED_LIBRARY_FILE, VM_EXEC);
	map_above(SAMPLED_DUMP_FILE, VM_EXEC);
	expect_nobodys();
}

static void text_between_distances_that_differ_is_nobodys(void **state)
{
	copy_text();
	map_below(SAMPLED_LIBRARY_FILE, VM_EXEC);
	sampled_map(ABOVE, 0x1000, VM_EXEC, SAMPLED_LIBRARY_FILE, (OFFSET >> 12) + PAGES + 1);
	expect_nobodys();
}

static void text_beside_a_gap_is_nobodys(void **state)
{
	copy_text();
	map_below(SAMPLED_LIBRARY_FILE, VM_EXEC);
	expect_nobodys();
	sampled_map(ABOVE + 0x1000, 0x1000, VM_EXEC, SAMPLED_LIBRARY_FILE,
		    (OFFSET >> 12) + PAGES + 1);
	expect_nobodys();
}

static void copies_in_a_row_are_passed_up_to_a_limit(void **state)
{
	copy_text();
	map_below(SAMPLED_LIBRARY_FILE, VM_EXEC);
	for (uint64_t i = 0; i < 4; i++)
		sampled_map(ABOVE + 0x1000 * i, 0x1000, VM_EXEC, SAMPLED_ANONYMOUS, 0);
	sampled_map(ABOVE + 0x4000, 0x1000, VM_EXEC, SAMPLED_LIBRARY_FILE,
		    (OFFSET >> 12) + PAGES + 4);
	expect_of_file();
	sampled_map(ABOVE + 0x4000, 0x1000, VM_EXEC, SAMPLED_ANONYMOUS, 0);
	sampled_map(ABOVE + 0x5000, 0x1000, VM_EXEC, SAMPLED_LIBRARY_FILE,
		    (OFFSET >> 12) + PAGES + 5);
	expect_nobodys();
}

/* What is left of the program's text is on one side only. */
static void text_within_the_programs_code_needs_one_neighbour(void **state)
{
	copy_text();
	sampled.start_code = BELOW + 0x20;
	sampled.end_code = ABOVE - 0x20;
	map_below(SAMPLED_PROGRAM_FILE, VM_EXEC);
	expect_of_file();
	sampled_unmap(BELOW);
	map_above(SAMPLED_PROGRAM_FILE, VM_EXEC);
	expect_of_file();
}

static void one_neighbour_must_be_code_of_the_program(void **state)
{
	copy_text();
	sampled.start_code = BELOW;
	sampled.end_code = ABOVE;
	map_below(SAMPLED_PROGRAM_FILE, 0);
	expect_nobodys();
	map_below(SAMPLED_LIBRARY_FILE, VM_EXEC);
	expect_nobodys();
	sampled.end_code = ABOVE - 0x1000;
	map_below(SAMPLED_PROGRAM_FILE, VM_EXEC);
	expect_nobodys();
}

static void text_below_the_start_of_its_file_is_nobodys(void **state)
{
	copy_text();
	sampled.start_code = TEXT;
	sampled.end_code = ABOVE;
	sampled_map(ABOVE, 0x1000, VM_EXEC, SAMPLED_PROGRAM_FILE, PAGES - 1);
	expect_nobodys();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAMPLED_TEST(text_between_mappings_of_one_file_is_that_files),
		SAMPLED_TEST(text_is_unwound_by_the_table_of_its_file),
		SAMPLED_TEST(text_between_two_files_is_nobodys),
		SAMPLED_TEST(text_between_distances_that_differ_is_nobodys),
		SAMPLED_TEST(text_beside_a_gap_is_nobodys),
		SAMPLED_TEST(copies_in_a_row_are_passed_up_to_a_limit),
		SAMPLED_TEST(text_within_the_programs_code_needs_one_neighbour),
		SAMPLED_TEST(one_neighbour_must_be_code_of_the_program),
		SAMPLED_TEST(text_below_the_start_of_its_file_is_nobodys),
	};

	return SAMPLED_RUN(tests);
}
