/* SPDX-License-Identifier: Apache-2.0 */
/*
 * functions - lists the functions of .eh_frame or .debug_frame as libdw reads them
 */

#include "tests/oracle/functions.h"

#include <dwarf.h>
#include <string.h>

#define ENCODED_POINTER (-1)

/* The encoding of addresses in FDEs of this CIE; -1: not implemented here. */
static int encoding_of(const Dwarf_CIE *cie)
{
	const unsigned char *data = cie->augmentation_data;

	if (cie->augmentation[0] != 'z')
		return 0;
	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		switch (*letter) {
		case 'R':
			return *data;
		case 'L':
			data++;
			break;
		case 'P':
			/* encoding, pointer */
			if ((data[0] & 0x0f) == 0x0b || (data[0] & 0x0f) == 0x03)
				data += 5;
			else if ((data[0] & 0x0f) == 0x00 || (data[0] & 0x0f) == 0x0c)
				data += 9;
			else
				return ENCODED_POINTER;
			break;
		default:
			break;
		}
	}
	return 0;
}

static int read_range(const struct functions *from, const Dwarf_FDE *fde, int encoding,
		      uint64_t *ret_start, uint64_t *ret_end)
{
	const unsigned char *place = fde->start;
	uint64_t start, bytes, here;

	here = from->vaddr + (uint64_t)(place - (const unsigned char *)from->data->d_buf);
	switch (encoding & 0x0f) {
	case 0x00: /* absptr */
	case 0x0c: /* sdata8 */
		memcpy(&start, place, 8);
		memcpy(&bytes, place + 8, 8);
		break;
	case 0x03:   /* udata4 */
	case 0x0b: { /* sdata4 */
		int32_t words[2];

		memcpy(words, place, 8);
		start = (encoding & 0x0f) == 3 ? (uint32_t)words[0] : (uint64_t)(int64_t)words[0];
		bytes = (uint32_t)words[1];
		break;
	}
	default:
		return -1;
	}
	if ((encoding & 0xf0) == 0x10)
		start += here;
	else if (encoding & 0xf0)
		return -1;
	*ret_start = start;
	*ret_end = start + bytes;
	return 0;
}

int functions_next(struct functions *functions, uint64_t *ret_start, uint64_t *ret_end)
{
	Dwarf_CFI_Entry entry, cie;
	Dwarf_Off next, unused;
	int encoding, r;

	for (;;) {
		r = dwarf_next_cfi(functions->ident, functions->data, functions->is_eh_frame,
				   functions->at, &next, &entry);
		if (r == 1 || (r < 0 && next == (Dwarf_Off)-1))
			return 1;
		functions->at = next;
		if (r < 0)
			return -1;
		if (!dwarf_cfi_cie_p(&entry))
			break;
	}
	if (dwarf_next_cfi(functions->ident, functions->data, functions->is_eh_frame,
			   entry.fde.CIE_pointer, &unused, &cie) != 0 ||
	    !dwarf_cfi_cie_p(&cie))
		return -1;
	encoding = encoding_of(&cie.cie);
	if (encoding < 0)
		return -1;
	return read_range(functions, &entry.fde, encoding, ret_start, ret_end);
}
