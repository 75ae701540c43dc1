/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gomake - a small pclntab in each of its forms, for the text of cfimake
 */

#include "tests/unit/parser/gomake.h"

#include <string.h>

#define ENTRIES 0x200u /* behind the list */

static void put(uint8_t *bytes, uint32_t at, uint64_t value, uint32_t count)
{
	memcpy(bytes + at, &value, count);
}

/* The parts that the header leads to. */
static void put_header(uint8_t *bytes, enum gomake_form form, uint64_t count)
{
	static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};
	uint32_t first = form == GOMAKE_1_16 ? 8 + 2 * 8 : 8 + 3 * 8;

	memset(bytes, 0, GOMAKE_BYTES);
	put(bytes, 0, magics[form], 4);
	bytes[6] = 1;
	bytes[7] = 8;
	put(bytes, 8, count, 8);
	if (form == GOMAKE_1_2)
		return;
	if (form >= GOMAKE_1_18)
		put(bytes, 24, CFIMAKE_VADDR, 8);
	put(bytes, first, GOMAKE_NAMES, 8);
	put(bytes, first + 24, GOMAKE_STEPS, 8);
	put(bytes, first + 32, GOMAKE_LIST, 8);
}

/* What describes one function, at @at of the table. */
static void put_entry(uint8_t *bytes, enum gomake_form form, uint32_t at, uint8_t flags,
		      uint32_t name, uint32_t steps)
{
	uint32_t fields = form >= GOMAKE_1_18 ? 0 : 4;

	put(bytes, at + fields + 4, name, 4);
	put(bytes, at + fields + 16, steps, 4);
	if (form != GOMAKE_1_2)
		bytes[at + fields + (form == GOMAKE_1_20 ? 41 : 37)] = flags;
}

void gomake(uint8_t *bytes, enum gomake_form form, const struct gomake_function *functions)
{
	uint32_t width = form >= GOMAKE_1_18 ? 4 : 8, count = 0, names = 1, steps = 1;
	uint32_t list = form == GOMAKE_1_2 ? 16 : GOMAKE_LIST;
	uint32_t relative = form == GOMAKE_1_2 ? 0 : GOMAKE_LIST;
	uint64_t base = form >= GOMAKE_1_18 ? CFIMAKE_TEXT : -(uint64_t)CFIMAKE_DELTA;

	while (functions[count].name)
		count++;
	put_header(bytes, form, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry = GOMAKE_LIST + ENTRIES + 64 * i;
		const struct gomake_function *made = &functions[i];
		uint32_t name_bytes = (uint32_t)strlen(made->name) + 1;

		put(bytes, list + 2 * i * width, made->offset - base, width);
		put(bytes, list + (2 * i + 1) * width, entry - relative, width);
		put_entry(bytes, form, entry, made->flags,
			  names + (form == GOMAKE_1_2 ? GOMAKE_NAMES : 0),
			  steps + (form == GOMAKE_1_2 ? GOMAKE_STEPS : 0));
		memcpy(bytes + GOMAKE_NAMES + names, made->name, name_bytes);
		memcpy(bytes + GOMAKE_STEPS + steps, made->steps.bytes, made->steps.count);
		names += name_bytes;
		steps += made->steps.count;
	}
	put(bytes, list + 2 * count * width, functions[count].offset - base, width);
}
