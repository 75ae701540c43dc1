/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fuzz - the function that libFuzzer, or fuzz_main.c over a corpus, calls with hostile bytes
 */

#include <stddef.h>
#include <stdint.h>

/* Return: 0. A broken promise aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
