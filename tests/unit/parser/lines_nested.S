/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines_nested - DWARF 4 by hand: functions within functions, deep calls, a name elsewhere
 *
 * `nested` is described within `around`, as compilers describe a lambda, but lies outside it, and
 * calls itself inlined. The name of `shared` is in a file that dwz would have made.
 */

#define DW_TAG_compile_unit       0x11
#define DW_TAG_inlined_subroutine 0x1d
#define DW_TAG_subprogram         0x2e
#define DW_AT_name                0x03
#define DW_AT_low_pc              0x11
#define DW_AT_high_pc             0x12
#define DW_AT_language            0x13
#define DW_AT_abstract_origin     0x31
#define DW_AT_call_line           0x59
#define DW_FORM_addr              0x01
#define DW_FORM_data8             0x07
#define DW_FORM_string            0x08
#define DW_FORM_data1             0x0b
#define DW_FORM_ref4              0x13
#define DW_FORM_GNU_ref_alt       0x1f20
#define DW_LANG_C_plus_plus       4

	.text
	.globl	main
	.type	main, @function
main:
around:
	xorl	%eax, %eax
	ret
around_end:
	.size	main, . - main
place_nested:
nested:
	ret
nested_end:
place_shared:
shared:
	ret
shared_end:
place_deep:
deep:
	ret
deep_end:

	.section .note.GNU-stack, "", @progbits
	.section .gnu_debugaltlink, "", @progbits
	.string	"/shared.debug"
	.fill	20, 1, 0x5a

	.section .debug_info, "", @progbits
unit:
	.long	unit_end - unit_begin
unit_begin:
	.value	4                       /* DWARF 4 */
	.long	.Labbrev
	.byte	8
	.uleb128 1                      /* the unit */
	.string	"lines_nested.S"
	.byte	DW_LANG_C_plus_plus
	.quad	around
	.quad	deep_end - around
	.uleb128 2                      /* around */
	.string	"around"
	.quad	around
	.quad	around_end - around
nested_die:
	.uleb128 2                      /* nested, within it */
	.string	"nested"
	.quad	nested
	.quad	nested_end - nested
	.uleb128 3                      /* a call of it, inlined in itself */
	.long	nested_die - unit
	.quad	nested
	.quad	nested_end - nested
	.byte	77
	.byte	0
	.byte	0
	.uleb128 4                      /* its name is in another file */
	.quad	shared
	.quad	shared_end - shared
	.long	0x10
	.uleb128 2                      /* 300 calls inlined in each other */
	.string	"deep"
	.quad	deep
	.quad	deep_end - deep
	.rept	300
	.uleb128 5
	.long	nested_die - unit
	.quad	deep
	.quad	deep_end - deep
	.byte	78
	.endr
	.fill	301, 1, 0
	.byte	0
unit_end:

	.section .debug_abbrev, "", @progbits
.Labbrev:
	.uleb128 1
	.uleb128 DW_TAG_compile_unit
	.byte	1
	.uleb128 DW_AT_name, DW_FORM_string, DW_AT_language, DW_FORM_data1
	.uleb128 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
	.byte	0, 0
	.uleb128 2
	.uleb128 DW_TAG_subprogram
	.byte	1
	.uleb128 DW_AT_name, DW_FORM_string
	.uleb128 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
	.byte	0, 0
	.uleb128 3
	.uleb128 DW_TAG_inlined_subroutine
	.byte	0
	.uleb128 DW_AT_abstract_origin, DW_FORM_ref4
	.uleb128 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
	.uleb128 DW_AT_call_line, DW_FORM_data1
	.byte	0, 0
	.uleb128 4
	.uleb128 DW_TAG_subprogram
	.byte	0
	.uleb128 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
	.uleb128 DW_AT_abstract_origin, DW_FORM_GNU_ref_alt
	.byte	0, 0
	.uleb128 5
	.uleb128 DW_TAG_inlined_subroutine
	.byte	1
	.uleb128 DW_AT_abstract_origin, DW_FORM_ref4
	.uleb128 DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
	.uleb128 DW_AT_call_line, DW_FORM_data1
	.byte	0, 0
	.byte	0
