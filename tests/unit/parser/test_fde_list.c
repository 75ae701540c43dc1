/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fde_list - reads CIEs and FDEs in all encodings; a malformed one affects only its own
 * functions
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/parser/compiled_table.h"

#define CALL   "sp+8 ra=*(cfa-8) fp=same"
#define PUSHED "sp+16 ra=*(cfa-8) fp=same"
#define EH     CFI_BUILDER_EH_FRAME

static struct cfi_builder builder;
static uint32_t cie;

static int setup(void **state)
{
	cfi_builder_open(&builder);
	cie = cfi_builder_plain_cie(&builder);
	return 0;
}

static int teardown(void **state)
{
	compiled_table_close();
	return 0;
}

static uint32_t function(uint32_t offset, uint32_t bytes)
{
	return cfi_builder_fde(&builder, EH, cie, offset, bytes, BYTES(0x0e, 16));
}

/* Expects @text of a function with this augmentation and CIE, and that the next CIE is read. */
static void expect_of_cie(const char *augmentation, struct cfi_builder_bytes data,
			  struct cfi_builder_bytes code, const char *text)
{
	const struct cfi_builder_cie other = {
		.version = 1, .augmentation = augmentation, .data = data, .code = code};
	uint32_t at;

	cfi_builder_open(&builder);
	at = cfi_builder_cie(&builder, EH, &other);
	/* Long enough that a misread pointer would still find bytes. */
	(void)cfi_builder_fde(&builder, EH, at, 0x1000, 0x40,
			      BYTES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
	cie = cfi_builder_plain_cie(&builder);
	(void)function(0x2000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, text);
	compiled_table_expect(0x2000, PUSHED);
	assert_int_equal(compiled_table_header()->refused, strcmp(text, "no row") == 0);
}

static void expect_augmented(const char *augmentation, struct cfi_builder_bytes data,
			     const char *text)
{
	expect_of_cie(augmentation, data, BYTES(0x0c, 7, 8, 0x90, 1), text);
}

/* Of the kernel's signal frame, as glibc describes it; of any other there is no rule. */
static void signal_frame_is_read(void **state)
{
	expect_of_cie("zRS", BYTES(0x1b),
		      BYTES(0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x10, 16, 3, 0x77, 0xa8, 1, 0x10, 6, 3,
			    0x77, 0xf8, 0, 0x10, 7, 3, 0x77, 0xa0, 1),
		      "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal");
	expect_augmented("zRS", BYTES(0x1b), "no row");
}

static void every_augmentation_in_use_is_read(void **state)
{
	expect_augmented("zR", BYTES(0x1b), CALL);
	expect_augmented("zPLR", BYTES(0x9b, 1, 2, 3, 4, 0x1b, 0x1b), CALL);
	expect_augmented("zPR", BYTES(0x00, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b), CALL);
	expect_augmented("zPR", BYTES(0xff, 0x1b), CALL); /* the personality is omitted */
	expect_augmented("zLR", BYTES(0x1b, 0x1b), CALL);
	/* The personality is aligned to eight: six bytes further on. */
	expect_augmented("zPR", BYTES(0x50, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x1b), CALL);
	expect_augmented("zRB", BYTES(0x1b), CALL);
	expect_augmented("zRG", BYTES(0x1b), CALL);
	expect_augmented("zRX", BYTES(0x1b, 1, 2),
			 CALL); /* unknown, but after all that is needed */
}

static void unknown_augmentation_rejects_its_functions(void **state)
{
	expect_augmented("zXR", BYTES(0x1b, 0x1b), "no row");
	expect_augmented("armcc+", BYTES(0), "no row");
	expect_augmented("zPR", BYTES(0x0d, 0x1b), "no row"); /* a format that does not exist */
	expect_augmented("zR", BYTES(0x7b), "no row");        /* a base that does not exist */
	expect_augmented("zR", BYTES(0x9b), "no row"); /* no function has an indirect address */
}

static void invalid_instruction_in_a_cie_rejects_its_functions(void **state)
{
	const struct cfi_builder_cie broken = {.version = 1,
					       .augmentation = "zR",
					       .data = BYTES(0x1b),
					       .code = BYTES(0x0c, 7, 8, 0x90, 1, 0x3f)};
	const struct cfi_builder_cie placed = {.version = 1,
					       .augmentation = "zR",
					       .data = BYTES(0x1b),
					       .code = BYTES(0x0c, 7, 8, 0x90, 1, 0x41)};
	uint32_t first = cfi_builder_cie(&builder, EH, &broken),
		 second = cfi_builder_cie(&builder, EH, &placed);

	(void)function(0x1000, 0x40);
	(void)cfi_builder_fde(&builder, EH, first, 0x1040, 0x40, BYTES(0x0e, 16));
	(void)cfi_builder_fde(&builder, EH, first, 0x1080, 0x40, BYTES(0x0e, 16));
	(void)cfi_builder_fde(&builder, EH, second, 0x10c0, 0x40, BYTES(0x0e, 16));
	compiled_table_open(&builder);
	compiled_table_expect(0x103f, PUSHED);
	compiled_table_expect(0x1040, "none");
	compiled_table_expect(0x1080, "none");
	compiled_table_expect(0x10c0, "none"); /* a CIE has no location to advance */
	assert_int_equal(compiled_table_header()->refused, 3);
}

static void older_versions_are_read(void **state)
{
	const struct cfi_builder_cie plain = {
		.version = 1, .augmentation = "", .code = BYTES(0x0c, 7, 8, 0x90, 1)};
	const struct cfi_builder_cie gcc2 = {
		.version = 1, .augmentation = "eh", .code = BYTES(0x0c, 7, 8, 0x90, 1)};
	const struct cfi_builder_cie third = {
		.version = 3, .augmentation = "", .code = BYTES(0x0c, 7, 8, 0x90, 1)};
	const struct cfi_builder_cie fourth = {
		.version = 4, .augmentation = "", .code = BYTES(0x0c, 7, 8, 0x90, 1)};
	const struct cfi_builder_cie *const all[] = {&plain, &gcc2, &third, &fourth};

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t at = cfi_builder_cie(&builder, CFI_BUILDER_DEBUG_FRAME, all[i]);

		(void)cfi_builder_fde(&builder, CFI_BUILDER_DEBUG_FRAME, at, 0x3000 + 0x100 * i,
				      0x40, BYTES(0x0e, 16));
	}
	compiled_table_open(&builder);
	for (uint32_t i = 0; i < 4; i++)
		compiled_table_expect(0x3000 + 0x100ull * i, PUSHED);
	assert_int_equal(compiled_table_header()->refused, 0);
}

static void unknown_version_rejects_its_functions(void **state)
{
	const struct cfi_builder_cie second = {
		.version = 2, .augmentation = "", .code = BYTES(0x0c, 7, 8, 0x90, 1)};
	uint32_t at = cfi_builder_cie(&builder, CFI_BUILDER_DEBUG_FRAME, &second);

	(void)cfi_builder_fde(&builder, CFI_BUILDER_DEBUG_FRAME, at, 0x3000, 0x40, BYTES(0x0e, 16));
	(void)function(0x1000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x3000, "none");
	compiled_table_expect(0x1000, PUSHED);
	assert_int_equal(compiled_table_header()->refused, 1);
}

static void eh_frame_wins_over_debug_frame(void **state)
{
	const struct cfi_builder_cie third = {
		.version = 3, .augmentation = "", .code = BYTES(0x0c, 7, 24, 0x90, 1)};
	uint32_t at = cfi_builder_cie(&builder, CFI_BUILDER_DEBUG_FRAME, &third);

	(void)cfi_builder_fde(&builder, CFI_BUILDER_DEBUG_FRAME, at, 0x1000, 0x40, BYTES(0));
	(void)cfi_builder_fde(&builder, CFI_BUILDER_DEBUG_FRAME, at, 0x1010, 0x20, BYTES(0));
	(void)cfi_builder_fde(&builder, CFI_BUILDER_DEBUG_FRAME, at, 0x1040, 0x40, BYTES(0));
	(void)function(0x1000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, PUSHED);
	compiled_table_expect(0x1010, PUSHED);
	compiled_table_expect(0x103f, PUSHED);
	compiled_table_expect(0x1040, "sp+24 ra=*(cfa-8) fp=same");
}

static void fde_without_a_cie_is_refused(void **state)
{
	uint32_t self = builder.filled[EH];

	(void)cfi_builder_fde(&builder, EH, self, 0x1000, 0x40, BYTES(0)); /* it is its own CIE */
	(void)cfi_builder_fde(&builder, EH, 0x7fff, 0x1100, 0x40,
			      BYTES(0)); /* its CIE is before the section */
	(void)cfi_builder_fde(&builder, EH, cie + 1, 0x1200, 0x40,
			      BYTES(0)); /* its CIE is within another entry */
	(void)function(0x2000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, "no row");
	compiled_table_expect(0x1200, "no row");
	compiled_table_expect(0x2000, PUSHED);
	assert_int_equal(compiled_table_header()->frames, 4);
	assert_int_equal(compiled_table_header()->refused, 3);
}

static void unterminated_augmentation_rejects_its_functions(void **state)
{
	const uint8_t bytes[] = {12, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 'R', 'R', 'R', 'R', 'R'};
	uint32_t at = cfi_builder_put(&builder, EH, bytes, sizeof(bytes));

	(void)cfi_builder_fde(&builder, EH, at, 0x1000, 0x40, BYTES(0));
	(void)function(0x2000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, "no row");
	compiled_table_expect(0x2000, PUSHED);
}

static void length_beyond_the_section_truncates_the_table(void **state)
{
	const uint32_t length = 0x10000;

	(void)function(0x1000, 0x40);
	(void)cfi_builder_put(&builder, EH, &length, 4);
	(void)function(0x2000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, PUSHED);
	compiled_table_expect(0x2000, "none");
	assert_int_equal(compiled_table_header()->flags, TM_UNWIND_TABLE_CUT);
}

static void entry_of_zero_length_is_skipped(void **state)
{
	const uint32_t zero = 0;

	(void)function(0x1000, 0x40);
	(void)cfi_builder_put(&builder, EH, &zero, 4);
	(void)function(0x2000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x2000, PUSHED);
}

static void without_sections_the_program_header_leads_to_eh_frame(void **state)
{
	const uint32_t zero = 0;
	uint8_t *hdr = builder.file + 0x10000;
	int32_t distance = 0x9000 - 0x10004;

	(void)function(0x1000, 0x40);
	(void)cfi_builder_put(&builder, EH, &zero, 4);
	memcpy(hdr, (const uint8_t[]){1, 0x1b, 0xff, 0xff}, 4);
	memcpy(hdr + 4, &distance, 4);
	builder.segments[2] = (Elf64_Phdr){.p_type = PT_GNU_EH_FRAME,
					   .p_offset = 0x10000,
					   .p_vaddr = 0x10000 + CFI_BUILDER_AWAY,
					   .p_filesz = 8};
	builder.header->e_shnum = builder.header->e_shstrndx = 0;
	builder.header->e_shoff = 0;
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, PUSHED);
	assert_int_equal(compiled_table_header()->flags, 0);
}

static void functions_out_of_order_are_sorted(void **state)
{
	(void)function(0x3000, 0x40);
	(void)function(0x1000, 0x40);
	(void)function(0x2000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, PUSHED);
	compiled_table_expect(0x1040, "none");
	compiled_table_expect(0x2000, PUSHED);
	compiled_table_expect(0x3000, PUSHED);
}

static void function_ends_where_the_next_begins(void **state)
{
	(void)cfi_builder_fde(&builder, EH, cie, 0x1000, 0x7000, BYTES(0));
	(void)function(0x1100, 0x40);
	(void)function(0x1100, 0x20); /* the first of two with the same start wins */
	compiled_table_open(&builder);
	compiled_table_expect(0x10ff, CALL);
	compiled_table_expect(0x1100, PUSHED);
	compiled_table_expect(0x113f, PUSHED);
	compiled_table_expect(0x1140, "none");
}

static void alignment_between_functions_is_no_gap(void **state)
{
	(void)function(0x1000, 0x31);
	(void)function(0x1040, 0x30);
	(void)function(0x1080, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x1031, PUSHED);
	compiled_table_expect(0x1070, "none");
	compiled_table_expect(0x1080, PUSHED);
}

static void discarded_functions_have_no_rows(void **state)
{
	(void)cfi_builder_fde(&builder, EH, cie, 0x1000 - CFI_BUILDER_VADDR, 0x40,
			      BYTES(0)); /* address 0 */
	/* An address of data. */
	(void)cfi_builder_fde(&builder, EH, cie,
			      CFI_BUILDER_DATA + CFI_BUILDER_AWAY - CFI_BUILDER_DELTA, 0x40,
			      BYTES(0));
	(void)function(0x8fe0, 0x4000); /* clipped to the end of its segment */
	compiled_table_open(&builder);
	compiled_table_expect(0x8fdf, "no row");
	compiled_table_expect(0x8fff, PUSHED);
	compiled_table_expect(0x9000, "none");
	assert_int_equal(compiled_table_header()->rows, 2);
}

/* Linkers without -z separate-code put the header into the executable segment. */
static void elf_header_has_no_rows(void **state)
{
	builder.segments[0].p_offset = 0;
	builder.segments[0].p_vaddr = CFI_BUILDER_DELTA;
	builder.segments[0].p_filesz = CFI_BUILDER_DATA;
	(void)cfi_builder_fde(&builder, EH, cie, 0, 0x800, BYTES(0));
	(void)function(0x1000, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(0x100, "no row");
	compiled_table_expect(0x1000, PUSHED);
}

/* 64-bit DWARF: in .debug_frame the ids have 64 bits, too. */
static void long_lengths_are_read(void **state)
{
	static const uint8_t rest[] = {1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1};
	const uint64_t lengths[] = {8 + sizeof(rest), 8 + 16 + 2}, ids[] = {UINT64_MAX, 0};
	const uint64_t range[] = {CFI_BUILDER_VADDR, 0x40};
	const uint32_t is_long = UINT32_MAX;

	for (int i = 0; i < 2; i++) {
		(void)cfi_builder_put(&builder, CFI_BUILDER_DEBUG_FRAME, &is_long, 4);
		(void)cfi_builder_put(&builder, CFI_BUILDER_DEBUG_FRAME, &lengths[i], 8);
		(void)cfi_builder_put(&builder, CFI_BUILDER_DEBUG_FRAME, &ids[i], 8);
		if (i == 0)
			(void)cfi_builder_put(&builder, CFI_BUILDER_DEBUG_FRAME, rest,
					      sizeof(rest));
	}
	(void)cfi_builder_put(&builder, CFI_BUILDER_DEBUG_FRAME, range, sizeof(range));
	(void)cfi_builder_put(&builder, CFI_BUILDER_DEBUG_FRAME, (const uint8_t[]){0x0e, 16}, 2);
	compiled_table_open(&builder);
	compiled_table_expect(0x1000, PUSHED);
	assert_int_equal(compiled_table_header()->frames, 1);
}

static void file_without_cfi_has_an_empty_table(void **state)
{
	cfi_builder_open(&builder);
	compiled_table_open(&builder);
	assert_int_equal(compiled_table_header()->pages, 0);
	compiled_table_expect(0x1000, "no row");
}

#define claim(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(every_augmentation_in_use_is_read),
		claim(signal_frame_is_read),
		claim(unknown_augmentation_rejects_its_functions),
		claim(invalid_instruction_in_a_cie_rejects_its_functions),
		claim(older_versions_are_read),
		claim(unknown_version_rejects_its_functions),
		claim(eh_frame_wins_over_debug_frame),
		claim(fde_without_a_cie_is_refused),
		claim(unterminated_augmentation_rejects_its_functions),
		claim(length_beyond_the_section_truncates_the_table),
		claim(entry_of_zero_length_is_skipped),
		claim(without_sections_the_program_header_leads_to_eh_frame),
		claim(functions_out_of_order_are_sorted),
		claim(function_ends_where_the_next_begins),
		claim(alignment_between_functions_is_no_gap),
		claim(discarded_functions_have_no_rows),
		claim(elf_header_has_no_rows),
		claim(long_lengths_are_read),
		claim(file_without_cfi_has_an_empty_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
