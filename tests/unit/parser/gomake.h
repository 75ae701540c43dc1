/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * gomake - a small pclntab in each of its forms, for the text of cfimake
 */

#include "tests/unit/parser/cfimake.h"

#define GOMAKE_BYTES CFIMAKE_PART
#define GOMAKE_NAMES 0x200u /* in the table */
#define GOMAKE_STEPS 0x400u
#define GOMAKE_LIST  0x600u /* since 1.16 */

enum gomake_form {
	GOMAKE_1_2,
	GOMAKE_1_16,
	GOMAKE_1_18,
	GOMAKE_1_20
};

/* flags */
#define GOMAKE_TOP_FRAME 1
#define GOMAKE_SP_WRITE  2
#define GOMAKE_ASSEMBLY  4

struct gomake_function {
	const char *name;
	uint32_t offset; /* of the file; the last one's is where the code ends */
	uint8_t flags;
	struct cfimake_bytes steps;
};

/* Fills GOMAKE_BYTES. @functions: closed by one without a name. */
void gomake(uint8_t *bytes, enum gomake_form form, const struct gomake_function *functions);
