/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * height_set - the distinct heights met in one file, each by a number from 1 on
 */

#include "symbolizer/parser/x86/stack_height.h"

#define STATES_MAX 65535u

struct states {
	struct height *list;  /* owned; the first is not used */
	uint16_t *slots;      /* owned; numbers by hash, 0: free */
	uint32_t count, most; /* numbers given, and to be given */
	uint8_t cut;          /* there were more */
};

/* @most: there cannot be more; nor more than STATES_MAX. Return: 0, PARSER_FAILED (memory). */
int states_open(struct states *states, uint32_t most);
/* Return: the number; 0: too many. */
uint32_t states_number(struct states *states, const struct height *height);
/* The number of what holds in both; 0: nothing that is of use. */
uint32_t states_merge(struct states *states, uint32_t number, uint32_t other);
void states_close(struct states *states);
