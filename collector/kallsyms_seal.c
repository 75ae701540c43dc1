/* SPDX-License-Identifier: Apache-2.0 */
/* kallsyms_seal - turns the symbols that were read into runs and a table without addresses */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/kallsyms.h"
#include "shared/cleanup.h"

struct table { /* within a sealed table, or one that is being made */
	struct tm_kernel_table *header;
	struct tm_kernel_module *modules;
	struct tm_kernel_symbol *symbols;
	char *names;
};

struct extent {         /* of one module */
	uint64_t bytes; /* offsets that have a meaning */
	uint64_t base;  /* as in struct kallsyms_run, for what is placed next */
	bool placed;
};

static int order(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Known symbols come first. At one address the global name comes first; among equals the one that
 * was read first. */
static int by_address(const void *a, const void *b)
{
	const struct kallsyms_entry *x = a, *y = b;

	int r = order(x->address, y->address);

	r = r ? r : order(y->seen, x->seen);
	r = r ? r : order(y->global, x->global);
	return r ? r : order(x->name, y->name);
}

static int by_module(const void *a, const void *b)
{
	const struct kallsyms_entry *x = a, *y = b;

	return x->module != y->module ? order(x->module, y->module) : order(x->offset, y->offset);
}

static int by_start(const void *a, const void *b)
{
	const struct kallsyms_run *x = a, *y = b;

	return order(x->start, y->start);
}

static void sort(struct kallsyms *symbols, int (*compare)(const void *, const void *))
{
	qsort(symbols->entries, symbols->count, sizeof(*symbols->entries), compare);
}

/* The known symbols that were read again join the new ones. Return: whether they fit. */
static bool join_known(struct kallsyms *symbols)
{
	for (size_t i = 0; i < symbols->known_count; i++) {
		if (symbols->count == TM_KERNEL_SYMBOLS_MAX)
			return false;
		if (symbols->known[i].seen)
			symbols->entries[symbols->count++] = symbols->known[i];
	}
	return true;
}

static void keep_one_name_each(struct kallsyms *symbols)
{
	size_t kept = 0;

	sort(symbols, by_address);
	for (size_t i = 0; i < symbols->count; i++)
		if (kept == 0 || symbols->entries[kept - 1].address != symbols->entries[i].address)
			symbols->entries[kept++] = symbols->entries[i];
	symbols->count = kept;
}

/* Bytes from its address that belong to it, unless another symbol follows within them. */
static uint64_t tail_of(const struct kallsyms_entry *entry)
{
	if (entry->bytes)
		return entry->bytes;
	return entry->module ? KALLSYMS_PAGE_BYTES - entry->address % KALLSYMS_PAGE_BYTES
			     : KALLSYMS_TAIL_BYTES;
}

/* Gives what is new an offset that its module never had. Return: how many are new. */
static size_t place(struct kallsyms *symbols, struct extent *extents)
{
	size_t placed = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		struct kallsyms_entry *entry = &symbols->entries[i];
		struct extent *extent = &extents[entry->module];

		if (entry->seen)
			continue;
		if (!extent->placed || entry->bytes)
			extent->base = entry->address - extent->bytes;
		extent->placed = true;
		entry->offset = entry->address - extent->base;
		extent->bytes = entry->offset + tail_of(entry);
		placed++;
	}
	return placed;
}

/* Adds the runs of the symbols to those of the kernel itself, which are known since the first
 * reading. */
static void fill_runs(const struct kallsyms *symbols, struct kallsyms_runs *runs)
{
	struct kallsyms_run *run = NULL;

	for (size_t i = 0; i < symbols->runs.count; i++)
		if (symbols->runs.items[i].module == 0)
			runs->items[runs->count++] = symbols->runs.items[i];
	for (size_t i = 0; i < symbols->count; i++) {
		const struct kallsyms_entry *entry = &symbols->entries[i];
		uint64_t base = entry->address - entry->offset;

		if (!run || entry->module != run->module || base != run->base) {
			run = &runs->items[runs->count++];
			*run = (struct kallsyms_run){entry->address, 0, base, entry->module};
		}
		run->end = entry->address + tail_of(entry);
		if (run->end < entry->address)
			run->end = UINT64_MAX;
	}
	qsort(runs->items, runs->count, sizeof(*runs->items), by_start);
	for (size_t i = 1; i < runs->count; i++)
		if (runs->items[i - 1].end > runs->items[i].start)
			runs->items[i - 1].end = runs->items[i].start;
}

static int make_runs(struct kallsyms *symbols)
{
	struct kallsyms_runs runs = {.from = symbols->started};

	/* more than enough: untouched pages cost nothing */
	runs.items = calloc(symbols->runs.count + symbols->count + 1, sizeof(*runs.items));
	if (!runs.items)
		return -ENOMEM;
	fill_runs(symbols, &runs);
	free(symbols->before.items);
	symbols->before = symbols->runs;
	symbols->runs = runs;
	return 0;
}

/* Keeps what a later reading compares with. */
static void keep_known(struct kallsyms *symbols)
{
	size_t count = 0;
	void *less;

	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->entries[i].module)
			symbols->entries[count++] = symbols->entries[i];
	less = realloc(symbols->entries, (count + 1) * sizeof(*symbols->entries));
	free(symbols->known);
	symbols->known = less ? less : symbols->entries;
	symbols->known_count = count;
	symbols->entries = NULL;
}

static struct table table_at(void *memory, uint32_t modules, uint32_t symbols)
{
	struct table table = {.header = memory};

	table.modules = (void *)(table.header + 1);
	table.symbols = (void *)(table.modules + modules);
	table.names = (void *)(table.symbols + symbols);
	return table;
}

/* The old symbols of each module, then its new ones, which have the larger offsets. */
static void fill_table(const struct kallsyms *symbols, const struct extent *extents,
		       const struct table *old, struct table *table)
{
	uint32_t from = 0, to = 0;
	size_t at = 0;

	for (uint32_t m = 0; m < symbols->module_count; m++) {
		table->modules[m] =
			(struct tm_kernel_module){symbols->modules[m], to, extents[m].bytes};
		for (; from < old->header->symbols && old->symbols[from].module == m; from++)
			table->symbols[to++] = old->symbols[from];
		for (; at < symbols->count && symbols->entries[at].module == m; at++)
			if (!symbols->entries[at].seen)
				table->symbols[to++] = (struct tm_kernel_symbol){
					symbols->entries[at].offset, symbols->entries[at].name, m};
	}
	memcpy(table->names, symbols->names, symbols->name_bytes);
}

static int make_table(struct kallsyms *symbols, const struct extent *extents,
		      const struct table *old, size_t placed)
{
	struct tm_kernel_table header = {TM_KERNEL_MAGIC, symbols->module_count,
					 old->header->symbols + (uint32_t)placed,
					 (uint32_t)symbols->name_bytes};
	size_t bytes = sizeof(header) + header.modules * sizeof(struct tm_kernel_module) +
		       header.symbols * sizeof(struct tm_kernel_symbol) + header.name_bytes;
	_cleanup_(tm_region_close) struct tm_region made = TM_REGION_NULL;
	struct table table;
	int r = tm_region_begin_blob(&made, "tidemark-kernel", bytes);

	if (r < 0)
		return r;
	table = table_at(made.addr, header.modules, header.symbols);
	*table.header = header;
	sort(symbols, by_module);
	fill_table(symbols, extents, old, &table);
	sort(symbols, by_address);
	r = tm_region_end_blob(&made);
	if (r < 0)
		return r;
	tm_region_close(&symbols->table);
	symbols->table = made;
	made = TM_REGION_NULL;
	return 0;
}

static int seal(struct kallsyms *symbols, struct extent *extents)
{
	struct tm_kernel_table none = {0};
	const struct tm_kernel_table *before = symbols->table.addr ? symbols->table.addr : &none;
	struct table old = table_at((void *)(uintptr_t)before, before->modules, before->symbols);
	size_t placed;
	bool same;
	int r = 0;

	for (uint32_t m = 0; m < before->modules; m++)
		extents[m].bytes = old.modules[m].bytes;
	if (!join_known(symbols))
		return -ENOMEM;
	keep_one_name_each(symbols);
	placed = place(symbols, extents);
	if (before->symbols + placed > TM_KERNEL_SYMBOLS_MAX)
		return -ENOMEM;
	same = placed == 0 && symbols->table.addr;
	/* The table first: what is in none must be new to the next reading. */
	if (!same)
		r = make_table(symbols, extents, &old, placed);
	if (r == 0)
		r = make_runs(symbols);
	if (r == 0)
		keep_known(symbols);
	return r == 0 && same ? KALLSYMS_E_SAME : r;
}

int kallsyms_seal(struct kallsyms *symbols)
{
	_cleanup_(tm_freep) struct extent *extents =
		calloc(TM_KERNEL_MODULES_MAX, sizeof(*extents));
	int r = extents ? seal(symbols, extents) : -ENOMEM;

	kallsyms_abort(symbols);
	/* It stays, but need not be in our memory until the next reading. */
	if (symbols->table.addr)
		(void)madvise(symbols->table.addr, symbols->table.bytes, MADV_DONTNEED);
	return r;
}
