/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * method - limits and flags of METHOD records (shared/event.h)
 *
 * The collector passes the texts of these records on as they are: it checks that the record has
 * the size that they add up to, and leaves their limits to the reader.
 */

#include "shared/event.h"

#define TM_METHOD_NAME_MAX      1024 /* bytes; what is longer is cut, or for lines left out */
#define TM_METHOD_CLASS_MAX     1024
#define TM_METHOD_SIGNATURE_MAX 512
#define TM_METHOD_FILE_MAX      1024
#define TM_METHOD_LINES_MAX     8192 /* of a part */
#define TM_METHOD_PARTS         4
#define TM_METHOD_NAME_CUT      (1u << 0)
#define TM_METHOD_FILE_CUT      (1u << 1)
#define TM_METHOD_LINES_CUT     (1u << 2) /* longer: there are further parts, if there may be */
#define TM_METHOD_NOT_RESIDENT  (1u << 3) /* a text was not in memory, and is empty */
#define TM_METHOD_STUB          (1u << 4) /* machine code of the runtime's own: a name alone */
#define TM_METHOD_CLASS_CUT     (1u << 5)
#define TM_METHOD_SIGNATURE_CUT (1u << 6)

_Static_assert((TM_METHOD_NAME_CUT | TM_METHOD_FILE_CUT | TM_METHOD_LINES_CUT |
		TM_METHOD_NOT_RESIDENT | TM_METHOD_STUB | TM_METHOD_CLASS_CUT |
		TM_METHOD_SIGNATURE_CUT) == TM_METHOD_FLAGS,
	       "these are all");
