/* SPDX-License-Identifier: Apache-2.0 */
/* kallsyms - reads the kernel's symbols, and turns kernel addresses into (module, offset) */

#include "collector/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At most 16 digits from *@at on, which is moved behind them. */
static uint64_t parse_hex(const char **at, const char *end)
{
	static const char digits[] = "0123456789abcdef";
	const char *from = *at, *digit;
	uint64_t value = 0;

	for (; *at < end && *at - from < 16 && (digit = memchr(digits, **at, 16)); ++*at)
		value = value << 4 | (uint64_t)(digit - digits);
	return value;
}

/* "name+0x0/0xsize [module]". Return: 0: it has no size. */
static uint32_t parse_size(const char *text, size_t bytes)
{
	static const char mark[] = "+0x0/0x";
	const char *at = memmem(text, bytes, mark, sizeof(mark) - 1);
	uint64_t size;

	if (!at)
		return 0;
	at += sizeof(mark) - 1;
	size = parse_hex(&at, text + bytes);
	return size <= UINT32_MAX ? (uint32_t)size : 0;
}

/* "[name]" behind the tab, and perhaps the size behind another. */
static int parse_module(const char *text, size_t bytes, struct kallsyms_line *symbol)
{
	const char *tab = memchr(text, '\t', bytes);

	if (tab) {
		size_t before = (size_t)(tab - text);

		symbol->bytes = parse_size(tab + 1, bytes - before - 1);
		bytes = before;
	}
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
	const char *at = line, *end = line + bytes, *tab;

	symbol.address = parse_hex(&at, end);
	if (at == line || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return -EBADMSG;
	symbol.type = at[1];
	symbol.name = at + 3;
	symbol.name_bytes = (size_t)(end - symbol.name);
	tab = memchr(symbol.name, '\t', symbol.name_bytes);
	if (tab) {
		symbol.name_bytes = (size_t)(tab - symbol.name);
		if (parse_module(tab + 1, (size_t)(end - tab - 1), &symbol) < 0)
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

static bool is_name(const struct kallsyms *symbols, uint32_t name, const char *text, size_t bytes)
{
	const char *known = symbols->names + name;

	return strncmp(known, text, bytes) == 0 && known[bytes] == '\0';
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
		*ret_module = (uint16_t)i;
		if (is_name(symbols, symbols->modules[i], symbol->module, symbol->module_bytes))
			return true;
	}
	*ret_module = (uint16_t)symbols->module_count;
	if (symbols->module_count == TM_KERNEL_MODULES_MAX ||
	    !add_name(symbols, symbol->module, symbol->module_bytes, added))
		return false;
	symbols->module_count++;
	return true;
}

void kallsyms_abort(struct kallsyms *symbols)
{
	free(symbols->entries);
	free(symbols->names);
	symbols->entries = NULL;
	symbols->names = NULL;
	symbols->count = symbols->name_bytes = symbols->text_bytes = 0;
}

void kallsyms_deinit(struct kallsyms *symbols)
{
	kallsyms_abort(symbols);
	free(symbols->known);
	free(symbols->runs.items);
	free(symbols->before.items);
	tm_region_close(&symbols->table);
	memset(symbols, 0, sizeof(*symbols)); /* too large for a second one on the stack */
	symbols->table = TM_REGION_NULL;
}

/* Allocates for all that the limits allow: untouched pages cost nothing. */
int kallsyms_begin(struct kallsyms *symbols, uint64_t now)
{
	const struct tm_kernel_table *table = symbols->table.addr;

	symbols->entries = malloc(TM_KERNEL_SYMBOLS_MAX * sizeof(*symbols->entries));
	symbols->names = malloc(TM_KERNEL_NAMES_MAX);
	if (!symbols->entries || !symbols->names) {
		kallsyms_abort(symbols);
		return -ENOMEM;
	}
	symbols->started = now;
	for (size_t i = 0; i < symbols->known_count; i++)
		symbols->known[i].seen = false;
	if (table) {
		symbols->module_count = table->modules;
		symbols->name_bytes = table->name_bytes;
		memcpy(symbols->names,
		       (const uint8_t *)table + symbols->table.bytes - table->name_bytes,
		       table->name_bytes);
		return 0;
	}
	(void)add_name(symbols, "kernel", sizeof("kernel") - 1, &symbols->modules[0]);
	symbols->module_count = 1;
	return 0;
}

static int compare_with_entry(const void *key, const void *element)
{
	const struct kallsyms_entry *entry = element;
	const uint64_t *address = key;

	return (*address > entry->address) - (*address < entry->address);
}

/* Whether it is one that was there in the last reading, which is noted. */
static bool is_known(struct kallsyms *symbols, const struct kallsyms_line *symbol, uint16_t module)
{
	struct kallsyms_entry *entry = NULL;

	if (symbols->known_count)
		entry = bsearch(&symbol->address, symbols->known, symbols->known_count,
				sizeof(*entry), compare_with_entry);
	if (!entry || entry->module != module || entry->bytes != symbol->bytes ||
	    !is_name(symbols, entry->name, symbol->name, symbol->name_bytes))
		return false;
	entry->seen = true;
	return true;
}

static void add(struct kallsyms *symbols, const struct kallsyms_line *symbol)
{
	struct kallsyms_entry entry = {.address = symbol->address, .bytes = symbol->bytes};
	bool again = symbols->table.addr != NULL;

	if (!is_code(symbol) || !symbol->address || (again && symbol->module_bytes == 0))
		return;
	entry.global = symbol->type == 'T' || symbol->type == 'W';
	if (symbols->count < TM_KERNEL_SYMBOLS_MAX && find_module(symbols, symbol, &entry.module) &&
	    !is_known(symbols, symbol, entry.module) &&
	    add_name(symbols, symbol->name, symbol->name_bytes, &entry.name))
		symbols->entries[symbols->count++] = entry;
}

/* Takes the complete lines of the text, and, at the end of all, an incomplete one. */
static void take_lines(struct kallsyms *symbols, bool all)
{
	const char *line = symbols->text, *end = line + symbols->text_bytes, *newline;
	struct kallsyms_line symbol;

	while ((newline = memchr(line, '\n', (size_t)(end - line))) || (all && line < end)) {
		const char *to = newline ? newline : end;

		if (kallsyms_parse(line, (size_t)(to - line), &symbol) == 0)
			add(symbols, &symbol);
		line = newline ? newline + 1 : end;
	}
	symbols->text_bytes = (size_t)(end - line);
	memmove(symbols->text, line, symbols->text_bytes);
}

int kallsyms_read(struct kallsyms *symbols, int fd)
{
	ssize_t n;

	if (symbols->text_bytes > KALLSYMS_READ_BYTES) {
		symbols->text[0] = '?'; /* such a line is no symbol, and its end shall be none */
		symbols->text_bytes = 1;
	}
	n = read(fd, symbols->text + symbols->text_bytes, KALLSYMS_READ_BYTES);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	symbols->text_bytes += (size_t)n;
	take_lines(symbols, /* all= */ n == 0);
	return n == 0 ? KALLSYMS_E_END : 0;
}

static int compare_with_run(const void *key, const void *element)
{
	const struct kallsyms_run *run = element;
	const uint64_t *address = key;

	return (*address >= run->end) - (*address < run->start);
}

static const struct kallsyms_run *find_run(const struct kallsyms_runs *runs, uint64_t address)
{
	if (!runs->count)
		return NULL;
	return bsearch(&address, runs->items, runs->count, sizeof(*runs->items), compare_with_run);
}

uint64_t kallsyms_rebase(struct kallsyms *symbols, uint64_t address, uint64_t ktime)
{
	uint64_t frame = (uint64_t)TM_FRAME_KERNEL << TM_FRAME_KIND_SHIFT;
	const struct kallsyms_run *run = NULL;

	if (ktime < symbols->runs.from)
		run = find_run(&symbols->before, address);
	if (!run)
		run = find_run(&symbols->runs, address);
	if (run)
		return frame | (uint64_t)run->module << TM_FRAME_MODULE_SHIFT |
		       ((address - run->base) & TM_FRAME_KOFFSET_MAX);
	symbols->unknown++;
	symbols->unknown_pages |= UINT64_C(1) << address / KALLSYMS_PAGE_BYTES % 64;
	return frame | (uint64_t)TM_FRAME_MODULE_UNKNOWN << TM_FRAME_MODULE_SHIFT;
}

void kallsyms_rebase_stack(struct kallsyms *symbols, uint64_t *frames, unsigned count,
			   uint64_t ktime)
{
	for (unsigned i = 0; i < count; i++)
		frames[i] = kallsyms_rebase(symbols, frames[i], ktime) | (i ? TM_FRAME_RETURN : 0);
}
