/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ksyms - names of kernel frames, from the sealed table of (module, offset)
 *
 * The table is read in place: sealed against writing, checked once, then searched.
 */

#include "shared/region.h"
#include "shared/wire.h"

struct ksyms {
	struct tm_region region; /* owned; null until a table came */
	const struct tm_kernel_module *modules;
	const struct tm_kernel_symbol *symbols;
	const char *names;
	uint32_t module_count;
	uint32_t symbol_count;
};

#define KSYMS_NULL ((struct ksyms){.region = TM_REGION_NULL})

/* Checks a whole table and points into it. Return: 0, -EBADMSG. */
int ksyms_parse(struct ksyms *kernel, const void *table, size_t bytes);
/* Takes @fd in any case. Return: 0, -EBADMSG, -errno. */
int ksyms_open(struct ksyms *kernel, int fd);
void ksyms_deinit(struct ksyms *kernel);
/* NULL when the module is not in the table. */
const char *ksyms_module(const struct ksyms *kernel, uint64_t module);
/* The symbol at or before @offset in @module, or NULL. */
const char *ksyms_symbol(const struct ksyms *kernel, uint64_t module, uint64_t offset);
/* The offset in its module by which a frame is named: a return address is in its call. */
uint64_t ksyms_offset(uint64_t word);
/* The symbol of an encoded frame, "" if it is not known, or no frame of the kernel. */
const char *ksyms_frame(const struct ksyms *kernel, uint64_t word);
