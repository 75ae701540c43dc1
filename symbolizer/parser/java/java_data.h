/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * java_data - a file's writable data as they are when its initializers have run
 *
 * Shape      a copy of the writable segments, relocated as if the file were loaded at address 0,
 *            with the constants that the functions of .init_array store (x86/constant_stores.h).
 *            A byte is not known if something else may be stored there, if it gets two different
 *            constants, or if a relocation depends on other files.
 * Limits     JAVA_DATA_BYTES_MAX: of more there are no data. JAVA_DATA_SEGMENTS: those behind are
 *            left out. JAVA_DATA_RELOCATIONS_MAX, JAVA_DATA_INITIALIZERS_MAX: larger lists are not
 *            read. JAVA_DATA_INITIALIZER_BYTES, and CONSTANT_STORES_CODE_MAX from the lowest
 *            initializer on: code behind them is not followed.
 */

#include "symbolizer/parser/elf/sections.h"

#define JAVA_DATA_SEGMENTS          4u
#define JAVA_DATA_BYTES_MAX         (16u << 20)
#define JAVA_DATA_RELOCATIONS_MAX   (32u << 20) /* bytes */
#define JAVA_DATA_INITIALIZERS_MAX  65536u
#define JAVA_DATA_INITIALIZER_BYTES (256u << 10) /* from the last initializer on */

struct java_segment {
	uint64_t vaddr;
	uint64_t size;
	uint8_t *bytes;  /* in the data */
	uint8_t *states; /* of each byte, likewise */
};

struct java_data {
	uint8_t *memory; /* owned */
	struct java_segment segments[JAVA_DATA_SEGMENTS];
	uint32_t segment_count;
};

/* Return: 0, or an enum parser_status; the data are to be closed in each case. */
int java_data_open(struct java_data *data, const struct sections *sections);
/* Reads a number. @bytes: 1 to 8. Return: false: it is not known, or not there. */
bool java_data_read(const struct java_data *data, uint64_t vaddr, uint32_t bytes,
		    uint64_t *ret_number);
/* Whether an initializer stores a constant at that address. */
bool java_data_is_stored(const struct java_data *data, uint64_t vaddr);
void java_data_close(struct java_data *data);
