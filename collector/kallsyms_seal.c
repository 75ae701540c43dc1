/* SPDX-License-Identifier: Apache-2.0 */
/* kallsyms_seal - turns the symbols that were read into runs and a table without addresses */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/kallsyms.h"
#include "shared/cleanup.h"
#include "shared/region.h"

/* At one address the global name comes first; among equals the one that was read first. */
static int by_address(const void *a, const void *b)
{
	const struct kallsyms_entry *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static int by_module(const void *a, const void *b)
{
	const struct kallsyms_entry *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static void keep_one_name_each(struct kallsyms *symbols)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->count; i++)
		if (kept == 0 || symbols->entries[kept - 1].address != symbols->entries[i].address)
			symbols->entries[kept++] = symbols->entries[i];
	symbols->count = kept;
}

static int make_runs(struct kallsyms *symbols, uint64_t *bases)
{
	struct kallsyms_run *run = NULL;

	/* more than enough: untouched pages cost nothing */
	symbols->runs = calloc(symbols->count + 1, sizeof(*symbols->runs));
	if (!symbols->runs)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct kallsyms_entry *entry = &symbols->entries[i];

		if (!run || entry->module != run->module) {
			if (run && run->end > entry->address)
				run->end = entry->address;
			run = &symbols->runs[symbols->run_count++];
			run->start = entry->address;
			run->module = entry->module;
			if (!bases[entry->module])
				bases[entry->module] = entry->address;
			run->base = bases[entry->module];
		}
		run->end = entry->address + KALLSYMS_TAIL_BYTES;
		if (run->end < entry->address)
			run->end = UINT64_MAX;
	}
	return 0;
}

static void fill_table(const struct kallsyms *symbols, const uint64_t *bases,
		       struct tm_kernel_table *table)
{
	struct tm_kernel_module *modules = (void *)(table + 1);
	struct tm_kernel_symbol *out = (void *)(modules + symbols->module_count);
	size_t at = 0;

	*table = (struct tm_kernel_table){.magic = TM_KERNEL_MAGIC,
					  .modules = symbols->module_count,
					  .symbols = (uint32_t)symbols->count,
					  .name_bytes = (uint32_t)symbols->name_bytes};
	for (uint32_t m = 0; m < symbols->module_count; m++) {
		modules[m].name = symbols->modules[m];
		modules[m].first_symbol = (uint32_t)at;
		for (; at < symbols->count && symbols->entries[at].module == m; at++) {
			out[at].offset = symbols->entries[at].address - bases[m];
			out[at].name = symbols->entries[at].name;
			out[at].module = m;
			modules[m].bytes = out[at].offset + KALLSYMS_TAIL_BYTES;
		}
	}
	if (symbols->name_bytes)
		memcpy(out + symbols->count, symbols->names, symbols->name_bytes);
}

static void free_symbols(struct kallsyms *symbols)
{
	free(symbols->entries);
	free(symbols->names);
	symbols->entries = NULL;
	symbols->names = NULL;
	symbols->count = symbols->name_bytes = 0;
}

int kallsyms_seal(struct kallsyms *symbols)
{
	_cleanup_(tm_freep) uint64_t *bases = calloc(TM_KERNEL_MODULES_MAX, sizeof(*bases));
	_cleanup_(tm_freep) struct tm_kernel_table *table = NULL;
	size_t bytes;
	int r;

	if (!bases)
		return -ENOMEM;
	if (symbols->count)
		qsort(symbols->entries, symbols->count, sizeof(*symbols->entries), by_address);
	keep_one_name_each(symbols);
	r = make_runs(symbols, bases);
	if (r < 0)
		return r;
	if (symbols->count)
		qsort(symbols->entries, symbols->count, sizeof(*symbols->entries), by_module);
	bytes = sizeof(*table) + symbols->module_count * sizeof(struct tm_kernel_module) +
		symbols->count * sizeof(struct tm_kernel_symbol) + symbols->name_bytes;
	table = calloc(1, bytes); /* zeroed, so that no other data is sent along */
	if (!table)
		return -ENOMEM;
	fill_table(symbols, bases, table);
	free_symbols(symbols);
	return tm_region_seal_blob("tidemark-kernel", table, bytes);
}
