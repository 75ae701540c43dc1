/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ksyms - names of kernel frames, from the sealed table of (module, offset)
 */

#include "symbolizer/base/ksyms.h"

#include <errno.h>
#include <stdbool.h>

#include "shared/cleanup.h"

#define KSYMS_MAX_BYTES                                            \
	(sizeof(struct tm_kernel_table) +                          \
	 TM_KERNEL_MODULES_MAX * sizeof(struct tm_kernel_module) + \
	 TM_KERNEL_SYMBOLS_MAX * sizeof(struct tm_kernel_symbol) + TM_KERNEL_NAMES_MAX)

static bool modules_are_good(const struct ksyms *kernel, uint32_t name_bytes)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < kernel->module_count; i++) {
		const struct tm_kernel_module *module = &kernel->modules[i];

		if (module->name >= name_bytes || module->first_symbol < first ||
		    module->first_symbol > kernel->symbol_count)
			return 0;
		first = module->first_symbol;
	}
	return kernel->module_count == 0 || kernel->modules[0].first_symbol == 0;
}

static uint32_t end_of_module(const struct ksyms *kernel, uint32_t module)
{
	return module + 1 < kernel->module_count ? kernel->modules[module + 1].first_symbol
						 : kernel->symbol_count;
}

static int symbols_are_good(const struct ksyms *kernel, uint32_t name_bytes)
{
	if (!kernel->module_count)
		return kernel->symbol_count == 0;
	for (uint32_t i = 0; i < kernel->module_count; i++) {
		uint64_t offset = 0;

		for (uint32_t s = kernel->modules[i].first_symbol; s < end_of_module(kernel, i);
		     s++) {
			const struct tm_kernel_symbol *symbol = &kernel->symbols[s];

			if (symbol->module != i || symbol->name >= name_bytes ||
			    symbol->offset < offset)
				return 0;
			offset = symbol->offset;
		}
	}
	return 1;
}

int ksyms_parse(struct ksyms *kernel, const void *table, size_t bytes)
{
	const struct tm_kernel_table *header = table;
	const uint8_t *at = table;
	uint64_t need = sizeof(*header);

	if (bytes < need || header->magic != TM_KERNEL_MAGIC ||
	    header->modules > TM_KERNEL_MODULES_MAX || header->symbols > TM_KERNEL_SYMBOLS_MAX ||
	    !header->name_bytes || header->name_bytes > TM_KERNEL_NAMES_MAX)
		return -EBADMSG;
	kernel->module_count = header->modules;
	kernel->symbol_count = header->symbols;
	kernel->modules = (const void *)(at + need);
	need += header->modules * sizeof(struct tm_kernel_module);
	kernel->symbols = (const void *)(at + need);
	need += header->symbols * sizeof(struct tm_kernel_symbol);
	kernel->names = (const char *)(at + need);
	need += header->name_bytes;
	/* Less than a page may follow: a memfd's size may have been rounded. */
	if (bytes < need || bytes - need >= 4096 || kernel->names[header->name_bytes - 1] != '\0' ||
	    !modules_are_good(kernel, header->name_bytes) ||
	    !symbols_are_good(kernel, header->name_bytes)) {
		kernel->module_count = 0;
		kernel->symbol_count = 0;
		return -EBADMSG;
	}
	return 0;
}

int ksyms_open(struct ksyms *kernel, int fd)
{
	struct ksyms opened = KSYMS_NULL;
	int r;

	r = tm_region_open_blob(&opened.region, fd, KSYMS_MAX_BYTES);
	if (r < 0) {
		(void)tm_close(fd);
		return r;
	}
	r = ksyms_parse(&opened, opened.region.addr, opened.region.bytes);
	if (r < 0) {
		ksyms_deinit(&opened);
		return r;
	}
	ksyms_deinit(kernel);
	*kernel = opened;
	return 0;
}

void ksyms_deinit(struct ksyms *kernel)
{
	tm_region_close(&kernel->region);
	*kernel = KSYMS_NULL;
}

const char *ksyms_module(const struct ksyms *kernel, uint64_t module)
{
	return module < kernel->module_count ? kernel->names + kernel->modules[module].name : NULL;
}

const char *ksyms_symbol(const struct ksyms *kernel, uint64_t module, uint64_t offset)
{
	uint32_t low, high;

	if (module >= kernel->module_count || offset >= kernel->modules[module].bytes)
		return NULL;
	low = kernel->modules[module].first_symbol;
	high = end_of_module(kernel, (uint32_t)module);
	if (low == high || kernel->symbols[low].offset > offset)
		return NULL;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (kernel->symbols[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return kernel->names + kernel->symbols[low].name;
}

uint64_t ksyms_offset(uint64_t word)
{
	const uint64_t offset = word & TM_FRAME_KOFFSET_MAX;

	return word & TM_FRAME_RETURN && offset ? offset - 1 : offset;
}

const char *ksyms_frame(const struct ksyms *kernel, uint64_t word)
{
	const char *symbol = NULL;

	if (word >> TM_FRAME_KIND_SHIFT == TM_FRAME_KERNEL)
		symbol = ksyms_symbol(kernel, word >> TM_FRAME_MODULE_SHIFT & TM_FRAME_MODULE_MAX,
				      ksyms_offset(word));
	return symbol ? symbol : "";
}
