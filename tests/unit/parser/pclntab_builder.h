/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pclntab_builder - builds a small pclntab of each version for the code of cfi_builder
 */

#include "tests/unit/parser/cfi_builder.h"

#define PCLNTAB_BUILDER_BYTES   CFI_BUILDER_PART
#define PCLNTAB_BUILDER_NAMES   0x200u /* in the table */
#define PCLNTAB_BUILDER_PCTAB   0x400u
#define PCLNTAB_BUILDER_FUNCTAB 0x600u /* since 1.16 */

enum pclntab_builder_version {
	PCLNTAB_BUILDER_1_2,
	PCLNTAB_BUILDER_1_16,
	PCLNTAB_BUILDER_1_18,
	PCLNTAB_BUILDER_1_20
};

/* flags of a function, as in its _func */
#define PCLNTAB_BUILDER_TOP_FRAME 1
#define PCLNTAB_BUILDER_SP_WRITE  2
#define PCLNTAB_BUILDER_ASSEMBLY  4

struct pclntab_builder_function {
	const char *name;
	uint32_t offset; /* of the file; that of the last one is the end of the code */
	uint8_t flags;
	struct cfi_builder_bytes pcsp;
};

/* Fills PCLNTAB_BUILDER_BYTES. @functions: the last one has no name. */
void pclntab_builder_fill(uint8_t *bytes, enum pclntab_builder_version version,
			  const struct pclntab_builder_function *functions);
