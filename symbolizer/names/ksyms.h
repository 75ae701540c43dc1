/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ksyms - names of kernel frames, from the sealed table of (module, offset)
 *
 * The table is read in place: sealed against writing, checked once, then searched.
 */

#include "shared/wire.h"
#include "shared/region.h"

struct kernel {
	struct tm_region region; /* owned; null until a table came */
	const struct tm_kernel_module *modules;
	const struct tm_kernel_symbol *symbols;
	const char *names;
	uint32_t module_count;
	uint32_t symbol_count;
};

#define KERNEL_NULL ((struct kernel){.region = TM_REGION_NULL})

/* Checks a whole table and points into it. Return: 0, -EBADMSG. */
int kernel_parse(struct kernel *kernel, const void *table, size_t bytes);
/* Takes @fd in any case. Return: 0, -EBADMSG, -errno. */
int kernel_open(struct kernel *kernel, int fd);
void kernel_deinit(struct kernel *kernel);
/* NULL when the module is not in the table. */
const char *kernel_module(const struct kernel *kernel, uint64_t module);
/* The symbol at or before @offset in @module, or NULL. */
const char *kernel_symbol(const struct kernel *kernel, uint64_t module, uint64_t offset);
