/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_form - reads the value of an attribute as its form says
 */

#include "symbolizer/parser/dwarf/value_form.h"

#include "symbolizer/parser/dwarf/constants.h"

int32_t value_form_bytes(uint16_t form, const struct value_sizes *sizes)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return sizes->address;
	case DW_FORM_ref_addr:
		return sizes->version == 2 ? sizes->address : sizes->offset;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return sizes->offset;
	default:
		return -1;
	}
}

static uint64_t read_string(struct cursor *cursor, const uint8_t *begin)
{
	uint64_t at = (uint64_t)(cursor->at - begin), left = cursor_left(cursor);
	const uint8_t *end = left ? memchr(cursor->at, 0, left) : NULL;

	cursor_skip(cursor, end ? (uint64_t)(end - cursor->at) + 1 : UINT64_MAX);
	return at;
}

static uint64_t skip_block(struct cursor *cursor, uint64_t bytes)
{
	cursor_skip(cursor, bytes);
	return 0;
}

static uint64_t read_varying(struct cursor *cursor, uint16_t form, const uint8_t *begin)
{
	switch (form) {
	case DW_FORM_string:
		return read_string(cursor, begin);
	case DW_FORM_sdata:
		return (uint64_t)cursor_signed(cursor);
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index:
		return cursor_unsigned(cursor);
	case DW_FORM_block1:
		return skip_block(cursor, cursor_byte(cursor));
	case DW_FORM_block2:
		return skip_block(cursor, cursor_number(cursor, 2));
	case DW_FORM_block4:
		return skip_block(cursor, cursor_number(cursor, 4));
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return skip_block(cursor, cursor_unsigned(cursor));
	default:
		cursor_skip(cursor, UINT64_MAX);
		return 0;
	}
}

struct attribute_value value_form_read(struct cursor *cursor, uint16_t form,
				       const struct value_sizes *sizes, int64_t implicit,
				       const uint8_t *begin)
{
	int32_t bytes;

	while (form == DW_FORM_indirect && !cursor->is_past_end)
		form = (uint16_t)cursor_unsigned(cursor);
	bytes = value_form_bytes(form, sizes);
	switch (bytes) {
	case -1:
		return (struct attribute_value){read_varying(cursor, form, begin), form};
	case 0:
		return (struct attribute_value){
			form == DW_FORM_implicit_const ? (uint64_t)implicit : 1, form};
	case 16:
		cursor_skip(cursor, 16);
		return (struct attribute_value){0, form};
	default:
		return (struct attribute_value){cursor_number(cursor, (uint32_t)bytes), form};
	}
}
