/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_seeds - builds the seeds of the corpora cfi, disassembly, java_runtime, pclntab,
 * python_runtime and unwind_table
 */

#include "tests/fuzz/unwind_seeds.h"

#include <string.h>

#include "shared/unwind_table.h"
#include "tests/fuzz/compile_input.h"
#include "tests/unit/parser/pclntab_builder.h"

#define EH    CFI_BUILDER_EH_FRAME
#define DEBUG CFI_BUILDER_DEBUG_FRAME

static struct cfi_builder builder;
static unwind_seeds_put_fn put;

static void put_part(enum cfi_builder_part part, const char *name)
{
	const uint8_t which = part == DEBUG;
	const Elf64_Shdr *section = &builder.sections[2 + part];

	put("cfi", name, &which, 1, false);
	put("cfi", name, builder.file + section->sh_offset, section->sh_size, true);
}

static void put_functions(const char *name)
{
	const struct cfi_builder_bytes codes[] = {
		BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x70, 0x0c, 7, 8, 0xc6),
		BYTES(0x02, 1, 0x0a, 0x03, 1, 0, 0x0b, 0x04, 1, 0, 0, 0, 0x05, 6, 2, 0x06, 6),
		BYTES(0x07, 16, 0x41, 0x08, 6, 0x41, 0x09, 16, 2, 0x41, 0x10, 6, 2, 0x76, 0),
		BYTES(0x0f, 4, 0x77, 0xa0, 1, 0x06, 0x41, 0x12, 7, 0x7e, 0x41, 0x13, 0x7d),
		BYTES(0x14, 6, 1, 0x41, 0x15, 6, 1, 0x41, 0x16, 6, 2, 0x77, 8, 0x2e, 8, 0x2f, 6, 1),
		BYTES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
		BYTES(0x0f, 10, 0x77, 8, 0x79, 0, 0x38, 0x1e, 0x22, 0x06, 0x23, 8),
		BYTES(0x01, 0, 0, 0, 0, 0x0e, 16, 0x1d, 1, 0, 0, 0, 0, 0, 0, 0)};
	uint32_t cie;

	cfi_builder_open(&builder);
	cie = cfi_builder_plain_cie(&builder);
	for (uint32_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		(void)cfi_builder_fde(&builder, EH, cie, 0x1000 + 0x40 * i, 0x40, codes[i]);
	put_part(EH, name);
}

static void put_augmentations(void)
{
	const struct cfi_builder_cie cies[] = {
		{1, "zR", BYTES(0x1b), BYTES(0x0c, 7, 8, 0x90, 1)},
		{1, "zPLRSBG", BYTES(0x9b, 1, 2, 3, 4, 0x1b, 0x1b), BYTES(0x0c, 7, 8, 0x90, 1)},
		{1, "zPR", BYTES(0x50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1b), BYTES(0x0c, 7, 8)},
		{3, "eh", {NULL, 0}, BYTES(0x0c, 7, 8, 0x90, 1)},
	};
	static const uint8_t unterminated[] = {12, 0,   0,   0,   0,   0,   0,   0,
					       1,  'z', 'R', 'R', 'R', 'R', 'R', 'R'};
	uint32_t at;

	cfi_builder_open(&builder);
	for (uint32_t i = 0; i < sizeof(cies) / sizeof(cies[0]); i++) {
		at = cfi_builder_cie(&builder, EH, &cies[i]);
		(void)cfi_builder_fde(&builder, EH, at, 0x1000 + 0x40 * i, 0x40, BYTES(0x0e, 16));
	}
	put_part(EH, "augmentations");
	cfi_builder_open(&builder);
	at = cfi_builder_put(&builder, EH, unterminated, sizeof(unterminated));
	(void)cfi_builder_fde(&builder, EH, at, 0x1000, 0x40, BYTES(0));
	put_part(EH, "unterminated_augmentation");
}

static void put_malformed(void)
{
	uint32_t cie;

	cfi_builder_open(&builder);
	(void)cfi_builder_fde(&builder, EH, 0, 0x1000, 0x40, BYTES(0x0e, 16));
	put_part(EH, "self_referencing");
	cfi_builder_open(&builder);
	cie = cfi_builder_plain_cie(&builder);
	(void)cfi_builder_fde(&builder, EH, cie, 0x3000, 0x40, BYTES(0x0e, 16));
	(void)cfi_builder_fde(&builder, EH, cie, 0x1000, 0x4000, BYTES(0x0e, 24));
	(void)cfi_builder_fde(&builder, EH, cie, 0x2fff, 0x40, BYTES(0x0e, 32));
	(void)cfi_builder_fde(&builder, EH, cie, 0x1000, 0x10, BYTES(0x0e, 40));
	put_part(EH, "overlapping_unsorted");
	cfi_builder_open(&builder);
	cie = cfi_builder_plain_cie(&builder);
	(void)cfi_builder_fde(&builder, EH, cie, 0x1000, 0xffffffff,
			      BYTES(0x0e, 16, 0x04, 0xff, 0xff, 0xff, 0xff, 0x0e, 24, 0x04, 0xff,
				    0xff, 0xff, 0xff, 0x0e, 32, 0x1d, 0xff, 0xff, 0xff, 0xff, 0xff,
				    0xff, 0xff, 0xff, 0x0e, 8));
	put_part(EH, "rows_without_end");
}

static void put_debug_frame(void)
{
	const struct cfi_builder_cie fourth = {4, "", {NULL, 0}, BYTES(0x0c, 7, 8, 0x90, 1)};
	uint32_t cie;

	cfi_builder_open(&builder);
	cie = cfi_builder_cie(&builder, DEBUG, &fourth);
	(void)cfi_builder_fde(&builder, DEBUG, cie, 0x1000, 0x40, BYTES(0x41, 0x0e, 16, 0x86, 2));
	put_part(DEBUG, "debug_frame");
}

static void put_pclntabs(void)
{
	static const char *const names[] = {"go_1_2", "go_1_16", "go_1_18", "go_1_20"};
	const struct pclntab_builder_function functions[] = {
		{"main.one", 0x1000, 0, BYTES(2, 4, 16, 0x30, 15, 4, 0)},
		{"runtime.goexit", 0x1040, PCLNTAB_BUILDER_TOP_FRAME, BYTES(2, 0x40, 0)},
		{"runtime.sigreturn__sigaction", 0x1080, 0, BYTES(2, 0x40, 0)},
		{NULL, 0x10c0, 0, BYTES(0)}};
	static uint8_t bytes[PCLNTAB_BUILDER_BYTES];

	for (enum pclntab_builder_version form = PCLNTAB_BUILDER_1_2; form <= PCLNTAB_BUILDER_1_20;
	     form++) {
		pclntab_builder_fill(bytes, form, functions);
		put("pclntab", names[form], bytes, 0xc00, false);
	}
}

static void put_tables(void)
{
	struct tm_unwind_table vast = {
		.magic = TM_UNWIND_TABLE_MAGIC, .rows = UINT32_MAX, .pages = 1u << 24};
	struct result_blob result;
	struct tm_unwind_table_page *page;

	cfi_builder_open(&builder);
	for (uint32_t i = 0; i < 3; i++)
		(void)cfi_builder_fde(&builder, EH, i ? 0 : cfi_builder_plain_cie(&builder),
				      0x1000 + 0x40 * i, 0x40,
				      BYTES(0x44, 0x0e, 16, 0x44, 0x07, 16));
	if (cfi_builder_compile(&builder, &result) != PARSER_OK)
		return;
	put("unwind_table", "plain", result.data, result.bytes, false);
	page = (void *)((uint8_t *)result.data + result.bytes - sizeof(*page));
	page->offsets[1] = 0x7000;
	put("unwind_table", "unsorted", result.data, result.bytes, false);
	result_blob_free(&result);
	put("unwind_table", "vast", &vast, sizeof(vast), false);
}

/* Functions like those of tests/unit/parser/test_disassembly.c. */
static void put_code(void)
{
	const struct {
		const char *name;
		struct cfi_builder_bytes code;
	} seeds[] = {
		{"pushes", BYTES(0x41, 0x57, 0x55, 0x53, 0x48, 0x83, 0xec, 0x18, 0x31, 0xed, 0x48,
				 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0x41, 0x5f, 0xc3)},
		{"frame_record", BYTES(0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xe0, 0x48, 0x29,
				       0xc4, 0x48, 0x8d, 0x65, 0xf8, 0xc9, 0xc3)},
		{"loop", BYTES(0x50, 0x48, 0x89, 0x2c, 0x24, 0xbd, 1, 0, 0, 0, 0x48, 0x8d, 0x6c,
			       0x24, 8, 0x75, 0xf4, 0x48, 0x8b, 0x2c, 0x24, 0x58, 0xc3)},
		{"table", BYTES(0x50, 0x74, 9, 0x48, 0x01, 0xca, 0xff, 0xe2, 0x90, 0x90, 0x59, 0xc3,
				0x58, 0xc3, 0xff, 0x24, 0xc5, 0, 0, 0, 0)},
		{"clone", BYTES(0x0f, 0x05, 0x85, 0xc0, 0x75, 7, 0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1,
				0xf4, 0xc3)},
		{"calls", BYTES(0x50, 0xe8, 0x0a, 0, 0, 0, 0x50, 0xe8, 4, 0, 0, 0, 0xff, 0xd0, 0x0f,
				0x0b, 0x50, 0x58, 0xc3, 0x48, 0x8d, 0x05, 0xf9, 0, 0, 0)},
		{"vectors",
		 BYTES(0xc5, 0xf8, 0x77, 0xc4, 0xe2, 0xf3, 0xf6, 0xae, 0x88, 0, 0, 0, 0x62, 0xf3,
		       0x75, 0x48, 0x25, 0xc0, 0xff, 0xf0, 0x48, 0x0f, 0xc1, 0x2f, 0xc3)},
	};

	for (uint32_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		put("disassembly", seeds[i].name, seeds[i].code.bytes, seeds[i].code.count, false);
}

static void put_python(const char *name, uint32_t version)
{
	static struct python_builder python;

	python_builder_open(&python, version);
	python_builder_function(&python, COMPILE_INPUT_PART, 0x40);
	python_builder_jump(&python, PYTHON_BUILDER_LOOP, COMPILE_INPUT_PART);
	python_builder_jump(&python, COMPILE_INPUT_PART, PYTHON_BUILDER_LOOP + 8);
	put("python_runtime", name, python.content, sizeof(*python.content), false);
	put("python_runtime", name, python.elf.file + PYTHON_BUILDER_GET,
	    PYTHON_BUILDER_LOOP + 16 - PYTHON_BUILDER_GET, true);
}

static void put_java(const char *name, enum tm_java_scopes scopes)
{
	static struct java_builder java;

	java_builder_open(&java, scopes, NULL);
	put("java_runtime", name, java.content, sizeof(*java.content), false);
	put("java_runtime", name, java.elf.file + JAVA_BUILDER_CODE,
	    java.code_end + 1 - JAVA_BUILDER_CODE, true);
}

void unwind_seeds_put(unwind_seeds_put_fn put_seed)
{
	put = put_seed;
	put_functions("instructions");
	put_augmentations();
	put_malformed();
	put_debug_frame();
	put_code();
	put_pclntabs();
	put_python("printed_version", 0x030902f0);
	put_python("constant_version", 0x030b02f0);
	put_python("published_offsets", 0x030e00f0);
	put_java("scopes_behind", TM_JAVA_OFFSETS);
	put_java("scopes_at_address", TM_JAVA_ADDRESS);
	put_java("scopes_apart", TM_JAVA_IMMUTABLE);
	put_java("metadata_apart", TM_JAVA_MUTABLE);
	put_tables();
}
