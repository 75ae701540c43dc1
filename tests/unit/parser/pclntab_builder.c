/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pclntab_builder - builds a small pclntab of each version for the code of cfi_builder
 */

#include "tests/unit/parser/pclntab_builder.h"

#include <string.h>

#define FUNCS 0x200u /* behind functab */

static void put(uint8_t *bytes, uint32_t at, uint64_t value, uint32_t count)
{
	memcpy(bytes + at, &value, count);
}

/* The header, with the offsets of the parts. */
static void put_header(uint8_t *bytes, enum pclntab_builder_version version, uint64_t count)
{
	static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};
	uint32_t first = version == PCLNTAB_BUILDER_1_16 ? 8 + 2 * 8 : 8 + 3 * 8;

	memset(bytes, 0, PCLNTAB_BUILDER_BYTES);
	put(bytes, 0, magics[version], 4);
	bytes[6] = 1;
	bytes[7] = 8;
	put(bytes, 8, count, 8);
	if (version == PCLNTAB_BUILDER_1_2)
		return;
	if (version >= PCLNTAB_BUILDER_1_18)
		put(bytes, 24, CFI_BUILDER_VADDR, 8);
	put(bytes, first, PCLNTAB_BUILDER_NAMES, 8);
	put(bytes, first + 24, PCLNTAB_BUILDER_PCTAB, 8);
	put(bytes, first + 32, PCLNTAB_BUILDER_FUNCTAB, 8);
}

/* The _func of one function, at offset @at of the table. */
static void put_func(uint8_t *bytes, enum pclntab_builder_version version, uint32_t at,
		     uint8_t flags, uint32_t name, uint32_t pcsp)
{
	uint32_t fields = version >= PCLNTAB_BUILDER_1_18 ? 0 : 4;

	put(bytes, at + fields + 4, name, 4);
	put(bytes, at + fields + 16, pcsp, 4);
	if (version != PCLNTAB_BUILDER_1_2)
		bytes[at + fields + (version == PCLNTAB_BUILDER_1_20 ? 41 : 37)] = flags;
}

void pclntab_builder_fill(uint8_t *bytes, enum pclntab_builder_version version,
			  const struct pclntab_builder_function *functions)
{
	uint32_t width = version >= PCLNTAB_BUILDER_1_18 ? 4 : 8, count = 0, names = 1, pcsp = 1;
	uint32_t list = version == PCLNTAB_BUILDER_1_2 ? 16 : PCLNTAB_BUILDER_FUNCTAB;
	uint32_t relative = version == PCLNTAB_BUILDER_1_2 ? 0 : PCLNTAB_BUILDER_FUNCTAB;
	uint64_t base =
		version >= PCLNTAB_BUILDER_1_18 ? CFI_BUILDER_TEXT : -(uint64_t)CFI_BUILDER_DELTA;

	while (functions[count].name)
		count++;
	put_header(bytes, version, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry = PCLNTAB_BUILDER_FUNCTAB + FUNCS + 64 * i;
		const struct pclntab_builder_function *function = &functions[i];
		uint32_t name_bytes = (uint32_t)strlen(function->name) + 1;

		put(bytes, list + 2 * i * width, function->offset - base, width);
		put(bytes, list + (2 * i + 1) * width, entry - relative, width);
		put_func(bytes, version, entry, function->flags,
			 names + (version == PCLNTAB_BUILDER_1_2 ? PCLNTAB_BUILDER_NAMES : 0),
			 pcsp + (version == PCLNTAB_BUILDER_1_2 ? PCLNTAB_BUILDER_PCTAB : 0));
		memcpy(bytes + PCLNTAB_BUILDER_NAMES + names, function->name, name_bytes);
		if (function->pcsp.count)
			memcpy(bytes + PCLNTAB_BUILDER_PCTAB + pcsp, function->pcsp.bytes,
			       function->pcsp.count);
		names += name_bytes;
		pcsp += function->pcsp.count;
	}
	put(bytes, list + 2 * count * width, functions[count].offset - base, width);
}
