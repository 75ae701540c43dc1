/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_known_code - entry points, PLTs and sigreturn trampolines without CFI get built-in rules
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/parser/compiled_table.h"

#define CALL   "sp+8 ra=*(cfa-8) fp=same"
#define SIGNAL "*(sp+160)+0 ra=*(sp+168) fp=*(sp+120) signal"

static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
static struct cfi_builder builder;

static int setup(void **state)
{
	cfi_builder_open(&builder);
	return 0;
}

static int teardown(void **state)
{
	compiled_table_close();
	return 0;
}

static void put_code(uint32_t offset, struct cfi_builder_bytes code)
{
	memcpy(builder.file + offset, code.bytes, code.count);
}

static void add_cfi(uint32_t offset, uint32_t bytes)
{
	uint32_t cie = cfi_builder_plain_cie(&builder);

	(void)cfi_builder_fde(&builder, CFI_BUILDER_EH_FRAME, cie, offset, bytes, BYTES(0));
}

static void entry_point_without_cfi_is_outermost(void **state)
{
	builder.header->e_entry = CFI_BUILDER_VADDR + 0x100;
	put_code(0x1100, BYTES(0x48, 0x31, 0xed, 0x48, 0x89, 0xe7)); /* musl */
	add_cfi(0x1140, 0x20);
	compiled_table_open(&builder);
	compiled_table_expect(0x10ff, "no row");
	compiled_table_expect(0x1100, "end");
	compiled_table_expect(0x113f, "end");
	compiled_table_expect(0x1140, CALL);
	compiled_table_expect(0x1160, "none");
	put_code(0x1100, BYTES(0xf3, 0x0f, 0x1e, 0xfa, 0x31, 0xed));
	compiled_table_open(&builder);
	compiled_table_expect(0x1100, "end");
	put_code(0x1100, BYTES(0x48, 0x89, 0xe7, 0xe8)); /* the dynamic linker */
	compiled_table_open(&builder);
	compiled_table_expect(0x1100, "end");
}

static void entry_point_of_a_library_is_an_ordinary_function(void **state)
{
	builder.header->e_entry = CFI_BUILDER_VADDR + 0x100;
	put_code(0x1100, BYTES(0x55, 0x48, 0x89, 0xe5)); /* push, mov: an ordinary function */
	compiled_table_open(&builder);
	assert_int_equal(compiled_table_header()->rows, 0);
	add_cfi(0x1100, 0x20);
	compiled_table_open(&builder);
	compiled_table_expect(0x1100, CALL);
	compiled_table_expect(0x1120, "none");
}

static void entry_point_of_a_program_is_outermost_whatever_it_does(void **state)
{
	builder.header->e_entry = CFI_BUILDER_VADDR + 0x100;
	put_code(0x1100, BYTES(0x55, 0x48, 0x89, 0xe5, 0xf4));
	builder.header->e_type = ET_EXEC;
	compiled_table_open(&builder);
	compiled_table_expect(0x1100, "end");
	compiled_table_expect(0x1105, "none");
	builder.header->e_type = ET_DYN;
	builder.segments[2].p_type = PT_INTERP;
	compiled_table_open(&builder);
	compiled_table_expect(0x1104, "end");
}

static void entry_point_with_ordinary_cfi_is_outermost(void **state)
{
	builder.header->e_entry = CFI_BUILDER_VADDR + 0x100;
	put_code(0x1100, BYTES(0x31, 0xed));
	add_cfi(0x1100, 0x20);
	add_cfi(0x1120, 0x20);
	compiled_table_open(&builder);
	compiled_table_expect(0x1100, "end");
	compiled_table_expect(0x111f, "end");
	compiled_table_expect(0x1120, CALL);
}

/* The sections .text and .eh_frame, which is filled until their sizes are set. */
static void name_sections(void)
{
	memcpy((char *)builder.file + builder.sections[1].sh_offset + builder.sections[2].sh_name,
	       ".text", 6);
	builder.sections[2].sh_addr = CFI_BUILDER_VADDR;
	builder.sections[2].sh_offset = CFI_BUILDER_TEXT;
	builder.sections[2].sh_size = 0x1000;
	memcpy((char *)builder.file + builder.sections[1].sh_offset + builder.sections[3].sh_name,
	       ".eh_frame", 10);
	builder.sections[3].sh_offset = CFI_BUILDER_DATA;
	builder.sections[3].sh_addr = CFI_BUILDER_DATA + CFI_BUILDER_AWAY;
}

static void start_context_is_outermost(void **state)
{
	/* mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi; je: as glibc's __start_context */
	put_code(0x1210,
		 BYTES(0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74, 8));
	name_sections();
	add_cfi(0x11c0, 0x48);
	add_cfi(0x1210, 0x20);
	builder.sections[3].sh_size = builder.filled[CFI_BUILDER_EH_FRAME];
	builder.sections[2].sh_size = 0x1000;
	compiled_table_open(&builder);
	compiled_table_expect(0x1207, CALL);
	compiled_table_expect(0x120f, "end"); /* a return to the first byte is looked up here */
	compiled_table_expect(0x1210, "end");
	compiled_table_expect(0x122f, "end");
}

static void root_of_a_fiber_is_outermost(void **state)
{
	/* push %rbp; jmp *%rbx; xor %rdi,%rdi; call; hlt: as Boost.Context's make_fcontext; with
	 * endbr64 likewise; with another call it is none */
	put_code(0x1210, BYTES(0x55, 0xff, 0xe3, 0x48, 0x31, 0xff, 0xe8, 1, 0, 0, 0, 0xf4));
	put_code(0x1240, BYTES(0x55, 0xff, 0xe3, 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x31, 0xff, 0xe8, 1,
			       0, 0, 0, 0xf4));
	put_code(0x1270, BYTES(0x55, 0xff, 0xe3, 0x48, 0x31, 0xf6, 0xe8, 1, 0, 0, 0, 0xf4));
	name_sections();
	add_cfi(0x1200, 0x10);
	builder.sections[3].sh_size = builder.filled[CFI_BUILDER_EH_FRAME];
	builder.sections[2].sh_size = 0x1000;
	compiled_table_open(&builder);
	compiled_table_expect(0x120f, CALL);
	compiled_table_expect(0x1210, "end");
	compiled_table_expect(0x1212, "end"); /* a return to what is behind the jump */
	compiled_table_expect(0x121b, "end");
	compiled_table_expect(0x121c, "none");
	compiled_table_expect(0x1246, "end");
	compiled_table_expect(0x124f, "end");
	compiled_table_expect(0x1272, "none");
}

static void plt_of_a_static_program_has_jumps_alone(void **state)
{
	uint8_t plt[64] = {0xff, 0x25};

	(void)cfi_builder_put(&builder, CFI_BUILDER_PLT_SECTION, plt, sizeof(plt));
	compiled_table_open(&builder);
	compiled_table_expect(CFI_BUILDER_PLT, CALL);
	compiled_table_expect(CFI_BUILDER_PLT + 63, CALL);
}

static void plt_without_cfi_has_built_in_rules(void **state)
{
	uint8_t plt[64] = {0xff, 0x35};

	plt[16] = 0xff; /* jmp *slot */
	(void)cfi_builder_put(&builder, CFI_BUILDER_PLT_SECTION, plt, sizeof(plt));
	compiled_table_open(&builder);
	compiled_table_expect(CFI_BUILDER_PLT, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(CFI_BUILDER_PLT + 5, "sp+16 ra=*(cfa-8) fp=same");
	compiled_table_expect(CFI_BUILDER_PLT + 6, "sp+24 ra=*(cfa-8) fp=same");
	compiled_table_expect(CFI_BUILDER_PLT + 16, "plt sp+8 from 11 ra=*(cfa-8) fp=same");
	compiled_table_expect(CFI_BUILDER_PLT + 63, "plt sp+8 from 11 ra=*(cfa-8) fp=same");
	builder.file[CFI_BUILDER_PLT + 16] = 0xf3; /* endbr64 */
	compiled_table_open(&builder);
	compiled_table_expect(CFI_BUILDER_PLT + 16, "plt sp+8 from 9 ra=*(cfa-8) fp=same");
}

static void cfi_of_a_plt_wins(void **state)
{
	uint8_t plt[64] = {0xff, 0x35};

	(void)cfi_builder_put(&builder, CFI_BUILDER_PLT_SECTION, plt, sizeof(plt));
	add_cfi(CFI_BUILDER_PLT, 0x40);
	compiled_table_open(&builder);
	compiled_table_expect(CFI_BUILDER_PLT, CALL);
	compiled_table_expect(CFI_BUILDER_PLT + 0x20, CALL);
}

static void plain_plt_is_one_jump(void **state)
{
	char *name =
		(char *)builder.file + builder.sections[1].sh_offset + builder.sections[2].sh_name;

	memcpy(name, ".plt.got", 9);
	builder.sections[2].sh_addr = CFI_BUILDER_VADDR + 0x40;
	builder.sections[2].sh_size = 0x20;
	compiled_table_open(&builder);
	compiled_table_expect(0x1040, CALL);
	compiled_table_expect(0x105f, CALL);
	compiled_table_expect(0x1060, "none");
}

static void sigreturn_trampoline_is_found_by_its_instructions(void **state)
{
	add_cfi(0x1000, 0x20);
	put_code(0x1200, (struct cfi_builder_bytes){sigreturn, sizeof(sigreturn)});
	put_code(0x1300, (struct cfi_builder_bytes){sigreturn, sizeof(sigreturn) - 1});
	add_cfi(0x1400, 0x20);
	compiled_table_open(&builder);
	compiled_table_expect(0x11fe, "none");
	compiled_table_expect(0x11ff, SIGNAL); /* a handler returns to the first byte */
	compiled_table_expect(0x1208, SIGNAL);
	compiled_table_expect(0x1209, "none");
	compiled_table_expect(0x1300, "none");
	compiled_table_expect(0x1400, CALL);
}

static void cfi_of_a_sigreturn_trampoline_wins(void **state)
{
	put_code(0x1200, (struct cfi_builder_bytes){sigreturn, sizeof(sigreturn)});
	add_cfi(0x1180, 0x100);
	compiled_table_open(&builder);
	compiled_table_expect(0x1200, CALL);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		claim(entry_point_without_cfi_is_outermost),
		claim(entry_point_of_a_library_is_an_ordinary_function),
		claim(entry_point_of_a_program_is_outermost_whatever_it_does),
		claim(entry_point_with_ordinary_cfi_is_outermost),
		claim(start_context_is_outermost),
		claim(root_of_a_fiber_is_outermost),
		claim(plt_of_a_static_program_has_jumps_alone),
		claim(plt_without_cfi_has_built_in_rules),
		claim(cfi_of_a_plt_wins),
		claim(plain_plt_is_one_jump),
		claim(sigreturn_trampoline_is_found_by_its_instructions),
		claim(cfi_of_a_sigreturn_trampoline_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
