/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * symbol_seeds - builds the seeds of the corpus symbols: ELF files, well-formed and hostile
 */

#include "tests/fuzz/unwind_seeds.h"

void symbol_seeds_put(unwind_seeds_put_fn put);
