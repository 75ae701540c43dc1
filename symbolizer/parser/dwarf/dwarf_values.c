/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf_values - strings, addresses and references that the values of attributes mean
 */

#include "symbolizer/parser/dwarf/constants.h"
#include "symbolizer/parser/dwarf/dwarf.h"

/* An entry of a table of equal numbers. Return: whether it is there. */
static bool read_entry(struct debug_section *section, uint64_t base, uint64_t index, uint32_t bytes,
		       uint64_t *ret_number)
{
	struct cursor cursor;

	if (index > section->size || base > section->size)
		return false;
	cursor = debug_section_read(section, base + index * bytes, bytes);
	*ret_number = cursor_number(&cursor, bytes);
	return !cursor.is_past_end;
}

static const char *indexed_string(struct dwarf *dwarf, const struct unit *unit, uint64_t index)
{
	uint64_t offset;

	if (!read_entry(&dwarf->sections.list[DEBUG_STR_OFFSETS], unit->str_offsets, index,
			unit->header.sizes.offset, &offset))
		return NULL;
	return debug_section_string(&dwarf->sections.list[DEBUG_STR], offset);
}

const char *dwarf_string(struct dwarf *dwarf, const struct unit *unit,
			 const struct attribute_value *value)
{
	if (!value)
		return NULL;
	switch (value->form) {
	case DW_FORM_string:
		return debug_section_string(&dwarf->sections.list[DEBUG_INFO], value->number);
	case DW_FORM_strp:
		return debug_section_string(&dwarf->sections.list[DEBUG_STR], value->number);
	case DW_FORM_line_strp:
		return debug_section_string(&dwarf->sections.list[DEBUG_LINE_STR], value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return dwarf->alternate
			       ? debug_section_string(&dwarf->alternate->sections.list[DEBUG_STR],
						      value->number)
			       : NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_string(dwarf, unit, value->number);
	default:
		return NULL;
	}
}

bool dwarf_address(struct dwarf *dwarf, const struct unit *unit,
		   const struct attribute_value *value, uint64_t *ret_address)
{
	switch (value->form) {
	case DW_FORM_addr:
		*ret_address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return read_entry(&dwarf->sections.list[DEBUG_ADDR], unit->addr, value->number,
				  unit->header.sizes.address, ret_address);
	default:
		return false;
	}
}

bool dwarf_reference(struct dwarf *dwarf, const struct unit *unit,
		     const struct attribute_value *value, struct dwarf **ret_dwarf,
		     uint64_t *ret_offset)
{
	*ret_dwarf = dwarf;
	*ret_offset = value->number;
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (value->number > unit->header.end - unit->header.offset)
			return false;
		*ret_offset += unit->header.offset;
		return true;
	case DW_FORM_ref_addr:
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*ret_dwarf = dwarf->alternate;
		return dwarf->alternate != NULL;
	default:
		return false;
	}
}
