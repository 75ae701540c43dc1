/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * entry - one length-prefixed entry of .eh_frame or .debug_frame
 */

#include "symbolizer/parser/cfi/fde_list.h"
#include "symbolizer/parser/cursor.h"

struct entry {
	struct cursor body; /* behind its id */
	uint64_t at;        /* of its length, in the section */
	uint64_t cie;       /* where its CIE is, in the section; meaningless if it is one */
	int is_cie;
	int is_empty; /* a zero length */
};

/* Takes the next entry. Return: 0, ENTRY_E_END, ENTRY_E_BROKEN: no way to go on. */
#define ENTRY_E_END    1
#define ENTRY_E_BROKEN 2
int entry_next(struct cursor *walk, const struct section *section, enum span_source source,
	       struct entry *ret_entry);
/* Reads a CIE; `good` says whether it was understood. */
struct cie entry_read_cie(const struct entry *entry, const struct section *section,
			  enum span_source source);
/* Reads a function's range and instructions into vaddr, code, code_bytes and @ret_bytes.
 * Return: 0, ENTRY_E_BROKEN. */
int entry_read_function(const struct entry *entry, const struct section *section,
			const struct cie *cie, struct span *span, uint64_t *ret_bytes);
