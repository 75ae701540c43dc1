/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * counts - adds the kernel room's counters up into struct tm_counts
 *
 * Balance    `taken` is read after the round's drain and after every drop, so in each report
 *            taken >= pushed + drops; what is missing lies in the BPF rings. Once sampling is disabled and
 *            the rings are empty both sides are equal.
 */

#include "shared/record.h"

/* Each adds one CPU slot, one nesting level. */
void counts_add_slot(struct tm_counts *counts, const struct tm_cpu_slot *slot);
void counts_add_level(struct tm_counts *counts, const struct tm_level_counts *level);
/* Return: taken - pushed - drops: samples on their way. */
int64_t counts_missing(const struct tm_counts *counts);
