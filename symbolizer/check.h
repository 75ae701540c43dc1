/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * check - whether a record copied out of the shared ring is what its header says
 *
 * Pure. Every length and count is checked against the bytes that were copied; frame words and
 * reasons that no honest collector writes make the whole record bad.
 */

#include <stdint.h>

#include "shared/event.h"

enum {
	CHECK_E_BAD = 1,
};

/* @record: 8-byte aligned private copy. Return: 0, CHECK_E_BAD. */
int check_record(const void *record, uint32_t bytes);
