/* SPDX-License-Identifier: Apache-2.0 */
/* kallsyms - reads the kernel's symbols, and turns kernel addresses into (module, offset) */

#include "collector/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = memchr(digits, c, 16);

	return digit ? (int)(digit - digits) : -1;
}

/* "[name]" behind the tab. */
static int parse_module(const char *text, size_t bytes, struct kallsyms_line *symbol)
{
	if (bytes < 3 || bytes - 2 >= KALLSYMS_MODULE_MAX || text[0] != '[' ||
	    text[bytes - 1] != ']')
		return -EBADMSG;
	symbol->module = text + 1;
	symbol->module_bytes = bytes - 2;
	return 0;
}

int kallsyms_parse(const char *line, size_t bytes, struct kallsyms_line *ret_symbol)
{
	struct kallsyms_line symbol = {.module = ""};
	const char *tab;
	size_t at = 0;

	for (; at < bytes && hex_digit(line[at]) >= 0; at++)
		symbol.address = symbol.address << 4 | (uint64_t)hex_digit(line[at]);
	if (at == 0 || at > 16 || bytes - at < 4 || line[at] != ' ' || line[at + 2] != ' ')
		return -EBADMSG;
	symbol.type = line[at + 1];
	symbol.name = line + at + 3;
	symbol.name_bytes = bytes - at - 3;
	tab = memchr(symbol.name, '\t', symbol.name_bytes);
	if (tab) {
		size_t rest = symbol.name_bytes - (size_t)(tab + 1 - symbol.name);

		symbol.name_bytes = (size_t)(tab - symbol.name);
		if (parse_module(tab + 1, rest, &symbol) < 0)
			return -EBADMSG;
	}
	if (symbol.name_bytes == 0 || symbol.name_bytes >= KALLSYMS_NAME_MAX ||
	    memchr(symbol.name, '\0', symbol.name_bytes))
		return -EBADMSG;
	*ret_symbol = symbol;
	return 0;
}

static bool starts(const struct kallsyms_line *symbol, const char *prefix)
{
	size_t n = strlen(prefix);

	return symbol->name_bytes >= n && memcmp(symbol->name, prefix, n) == 0;
}

/* Whether a frame can lie in it: text, and not the padding before a function. */
static bool is_code(const struct kallsyms_line *symbol)
{
	return strchr("tTwW", symbol->type) && symbol->type != '\0' && !starts(symbol, "__pfx_") &&
	       !starts(symbol, "__cfi_");
}

/* Return: whether it fits into TM_KERNEL_NAMES_MAX. */
static bool add_name(struct kallsyms *symbols, const char *name, size_t bytes, uint32_t *ret_name)
{
	char *to = symbols->names + symbols->name_bytes;

	if (symbols->name_bytes + bytes + 1 > TM_KERNEL_NAMES_MAX)
		return false;
	memcpy(to, name, bytes);
	to[bytes] = '\0';
	*ret_name = (uint32_t)symbols->name_bytes;
	symbols->name_bytes += bytes + 1;
	return true;
}

/* Finds or adds the module. Lines of one module are adjacent, so the newest is compared first.
 * Return: whether it is within the limits. */
static bool find_module(struct kallsyms *symbols, const struct kallsyms_line *symbol,
			uint16_t *ret_module)
{
	uint32_t *added = &symbols->modules[symbols->module_count];

	*ret_module = 0;
	if (symbol->module_bytes == 0)
		return true;
	for (unsigned i = symbols->module_count; i-- > 1;) {
		const char *name = symbols->names + symbols->modules[i];

		*ret_module = (uint16_t)i;
		if (strncmp(name, symbol->module, symbol->module_bytes) == 0 &&
		    name[symbol->module_bytes] == '\0')
			return true;
	}
	*ret_module = (uint16_t)symbols->module_count;
	if (symbols->module_count == TM_KERNEL_MODULES_MAX ||
	    !add_name(symbols, symbol->module, symbol->module_bytes, added))
		return false;
	symbols->module_count++;
	return true;
}

void kallsyms_deinit(struct kallsyms *symbols)
{
	free(symbols->entries);
	free(symbols->names);
	free(symbols->runs);
	memset(symbols, 0, sizeof(*symbols)); /* too large for a second one on the stack */
}

/* Allocates for all that the limits allow: untouched pages cost nothing. */
static int allocate(struct kallsyms *symbols)
{
	symbols->entries = malloc(TM_KERNEL_SYMBOLS_MAX * sizeof(*symbols->entries));
	symbols->names = malloc(TM_KERNEL_NAMES_MAX);
	if (!symbols->entries || !symbols->names)
		return -ENOMEM;
	(void)add_name(symbols, "kernel", sizeof("kernel") - 1, &symbols->modules[0]);
	symbols->module_count = 1;
	return 0;
}

static int add(struct kallsyms *symbols, const struct kallsyms_line *symbol)
{
	struct kallsyms_entry entry = {.address = symbol->address};

	if (!is_code(symbol) || !symbol->address)
		return 0;
	if (symbols->module_count == 0 && allocate(symbols) < 0)
		return -ENOMEM;
	entry.global = symbol->type == 'T' || symbol->type == 'W';
	if (symbols->count < TM_KERNEL_SYMBOLS_MAX && find_module(symbols, symbol, &entry.module) &&
	    add_name(symbols, symbol->name, symbol->name_bytes, &entry.name))
		symbols->entries[symbols->count++] = entry;
	return 0;
}

int kallsyms_read(struct kallsyms *symbols, FILE *text)
{
	_cleanup_(tm_freep) char *line = NULL;
	struct kallsyms_line symbol;
	size_t line_bytes = 0;
	ssize_t n;
	int r = 0;

	while (r == 0 && (n = getline(&line, &line_bytes, text)) > 0)
		if (kallsyms_parse(line, (size_t)n - (line[n - 1] == '\n'), &symbol) == 0)
			r = add(symbols, &symbol);
	return r == 0 && ferror(text) ? -EIO : r;
}

uint64_t kallsyms_rebase(struct kallsyms *symbols, uint64_t address)
{
	uint64_t frame = (uint64_t)TM_FRAME_KERNEL << TM_FRAME_KIND_SHIFT;
	size_t low = 0, high = symbols->run_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->runs[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && address < symbols->runs[low - 1].end) {
		const struct kallsyms_run *run = &symbols->runs[low - 1];

		return frame | (uint64_t)run->module << TM_FRAME_MODULE_SHIFT |
		       ((address - run->base) & TM_FRAME_KOFFSET_MAX);
	}
	symbols->unknown++;
	return frame | (uint64_t)TM_FRAME_MODULE_UNKNOWN << TM_FRAME_MODULE_SHIFT;
}
