/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * functions - lists the functions of .eh_frame or .debug_frame as libdw reads them
 */

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct functions {
	const unsigned char *ident; /* e_ident */
	Elf_Data *data;
	uint64_t vaddr; /* of the section */
	bool is_eh_frame;
	Dwarf_Off at;
};

/* Return: 0 with the next function, 1: no more, -1: an entry that could not be read. */
int functions_next(struct functions *functions, uint64_t *ret_start, uint64_t *ret_end);
