/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * flood - what marks the samples of the flood: their comm and their truncation reason
 */

#include "shared/event.h"

#define FLOOD_COMM      "flood\0\0\0\0\0\0\0\0\0\0" /* TM_COMM_BYTES with the last NUL */
#define FLOOD_NEST_COMM "flood-nested\0\0\0"
#define FLOOD_STOP      TM_STOP_COMPAT
#define FLOOD_NEST_STOP TM_STOP_NO_REGISTERS
#define FLOOD_FRAME     (((uint64_t)TM_FRAME_ANON << TM_FRAME_KIND_SHIFT) | 0xf100d)

_Static_assert(sizeof(FLOOD_COMM) == TM_COMM_BYTES && sizeof(FLOOD_NEST_COMM) == TM_COMM_BYTES,
	       "a whole comm");
