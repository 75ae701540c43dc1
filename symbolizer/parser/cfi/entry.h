/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * entry - reads one entry of .eh_frame or .debug_frame: a CIE or an FDE
 */

#include "symbolizer/parser/code_ranges.h"
#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/elf/sections.h"

struct entry {
	struct cursor body; /* behind its id */
	uint64_t at;        /* of its length, in the section */
	uint64_t cie;       /* of an FDE: the offset of its CIE in the section */
	bool is_cie;
	bool is_empty; /* its length is zero */
};

struct cie {
	const uint8_t *code; /* the initial instructions, borrowed from the image */
	uint32_t code_bytes;
	uint32_t at; /* of its entry in its section */
	uint64_t code_align;
	int64_t data_align;
	uint32_t return_register;
	uint8_t encoding; /* of its FDEs' addresses */
	bool has_data;    /* 'z': its FDEs have augmentation data */
	bool is_signal;   /* 'S': its functions are signal trampolines */
	bool is_valid;    /* it was understood */
};

/* Reads the next entry. Return: 0; ENTRY_E_END; ENTRY_E_BROKEN: its length leads past the end. */
#define ENTRY_E_END    1
#define ENTRY_E_BROKEN 2
int entry_next(struct cursor *cursor, const struct section *section, enum code_range_source source,
	       struct entry *ret_entry);
/* Reads a CIE; `is_valid` says whether it was understood. */
struct cie entry_read_cie(const struct entry *entry, const struct section *section,
			  enum code_range_source source);
/* Reads an FDE's addresses and instructions into vaddr, cfi, cfi_bytes of @range and @ret_bytes.
 * Return: 0, ENTRY_E_BROKEN. */
int entry_read_fde(const struct entry *entry, const struct section *section, const struct cie *cie,
		   struct code_range *range, uint64_t *ret_bytes);
