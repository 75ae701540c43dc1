/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * progress - one live line on a terminal while it records; nothing where stderr is no terminal
 */

#include <stdint.h>

#include "shared/wire.h"

/* @reports: written so far, by --every. */
void progress_show(uint64_t elapsed_ns, const struct tm_counts *counts, unsigned reports);
/* Instead of the numbers, while the outputs are being written. */
void progress_word(const char *word);
