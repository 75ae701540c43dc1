/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * constants - the C constants that a .seccomp table may name
 */

#include <stdint.h>

/*
 * @word: a constant by its C name, a number (decimal or 0x), or several of either joined by '|'.
 * Changed in place. Return: 0, -EINVAL (an unknown name, *ret_word tells which).
 */
int constants_value(char *word, int64_t *ret_value, const char **ret_word);
