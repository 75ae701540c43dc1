/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pointer - reads the encoded pointers of .eh_frame (DW_EH_PE_*)
 */

#include "symbolizer/parser/cfi/pointer.h"

#define FORMAT   0x0fu
#define BASE     0x70u
#define PCREL    0x10u
#define ALIGNED  0x50u
#define INDIRECT 0x80u

static int read_plain(struct cursor *cursor, uint8_t format, uint64_t *ret_value)
{
	switch (format) {
	case 0x00: /* absptr */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		*ret_value = cursor_number(cursor, 8);
		return 0;
	case 0x01: /* uleb128 */
		*ret_value = cursor_unsigned(cursor);
		return 0;
	case 0x02: /* udata2 */
		*ret_value = cursor_number(cursor, 2);
		return 0;
	case 0x03: /* udata4 */
		*ret_value = cursor_number(cursor, 4);
		return 0;
	case 0x09: /* sleb128 */
		*ret_value = (uint64_t)cursor_signed(cursor);
		return 0;
	case 0x0a: /* sdata2 */
		*ret_value = (uint64_t)(int16_t)cursor_number(cursor, 2);
		return 0;
	case 0x0b: /* sdata4 */
		*ret_value = (uint64_t)(int32_t)cursor_number(cursor, 4);
		return 0;
	default:
		return POINTER_E_UNKNOWN;
	}
}

int pointer_read(struct cursor *cursor, uint8_t encoding, uint64_t vaddr, uint64_t *ret_value)
{
	uint8_t base = encoding & BASE;
	int r;

	if (encoding & INDIRECT || (base && base != PCREL && base != ALIGNED))
		return POINTER_E_UNKNOWN;
	if (base == ALIGNED) {
		cursor_skip(cursor, -vaddr & 7);
		*ret_value = cursor_number(cursor, 8);
		return 0;
	}
	r = read_plain(cursor, encoding & FORMAT, ret_value);
	if (!r && base == PCREL)
		*ret_value += vaddr;
	return r;
}

int pointer_read_length(struct cursor *cursor, uint8_t encoding, uint64_t *ret_value)
{
	return read_plain(cursor, encoding & FORMAT, ret_value);
}

int pointer_skip(struct cursor *cursor, uint8_t encoding, uint64_t vaddr)
{
	uint64_t value;

	if (encoding == POINTER_OMITTED)
		return 0;
	if ((encoding & BASE) == ALIGNED)
		return pointer_read(cursor, ALIGNED, vaddr, &value);
	return read_plain(cursor, encoding & FORMAT, &value);
}
