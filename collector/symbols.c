/* SPDX-License-Identifier: Apache-2.0 */
/* symbols - collects the kernel's code symbols and rebases addresses to (module, offset) */

#include "collector/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define READ_BYTES    (64u << 10)
#define ROOM_AT_START 4096u

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = memchr(digits, c, 16);

	return digit ? (int)(digit - digits) : -1;
}

/* "[name]" behind the tab. */
static int parse_module(const char *text, size_t bytes, struct symbols_line *symbol)
{
	if (bytes < 3 || bytes - 2 >= SYMBOLS_MODULE_MAX || text[0] != '[' ||
	    text[bytes - 1] != ']')
		return -EBADMSG;
	symbol->module = text + 1;
	symbol->module_bytes = bytes - 2;
	return 0;
}

int symbols_parse(const char *line, size_t bytes, struct symbols_line *ret_symbol)
{
	struct symbols_line symbol = {.module = ""};
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
	if (symbol.name_bytes == 0 || symbol.name_bytes >= SYMBOLS_NAME_MAX ||
	    memchr(symbol.name, '\0', symbol.name_bytes))
		return -EBADMSG;
	*ret_symbol = symbol;
	return 0;
}

static bool starts(const struct symbols_line *symbol, const char *prefix)
{
	size_t n = strlen(prefix);

	return symbol->name_bytes >= n && memcmp(symbol->name, prefix, n) == 0;
}

/* Whether a stack can lie in it: text, and no padding before a function. */
static bool is_code(const struct symbols_line *symbol)
{
	return strchr("tTwW", symbol->type) && symbol->type != '\0' && !starts(symbol, "__pfx_") &&
	       !starts(symbol, "__cfi_");
}

static int grow(void **memory, size_t *room, size_t need, size_t item_bytes)
{
	size_t wanted = *room ? *room : ROOM_AT_START;
	void *grown;

	while (wanted < need)
		wanted *= 2;
	if (wanted == *room)
		return 0;
	grown = reallocarray(*memory, wanted, item_bytes);
	if (!grown)
		return -ENOMEM;
	*memory = grown;
	*room = wanted;
	return 0;
}

/* Return: 0 and *ret_name; -ENOSPC beyond TM_KERNEL_NAMES_MAX; -ENOMEM. */
static int add_name(struct symbols *symbols, const char *name, size_t bytes, uint32_t *ret_name)
{
	int r;

	if (symbols->name_bytes + bytes + 1 > TM_KERNEL_NAMES_MAX)
		return -ENOSPC;
	r = grow((void **)&symbols->names, &symbols->name_room, symbols->name_bytes + bytes + 1, 1);
	if (r < 0)
		return r;
	memcpy(symbols->names + symbols->name_bytes, name, bytes);
	symbols->names[symbols->name_bytes + bytes] = '\0';
	*ret_name = (uint32_t)symbols->name_bytes;
	symbols->name_bytes += bytes + 1;
	return 0;
}

/* Lines of one module follow each other, so the newest is looked at first. */
static int find_module(struct symbols *symbols, const struct symbols_line *symbol,
		       uint16_t *ret_module)
{
	int r;

	if (symbol->module_bytes == 0) {
		*ret_module = 0;
		return 0;
	}
	for (unsigned i = symbols->module_count; i-- > 1;) {
		const char *name = symbols->names + symbols->modules[i];

		if (strncmp(name, symbol->module, symbol->module_bytes) == 0 &&
		    name[symbol->module_bytes] == '\0') {
			*ret_module = (uint16_t)i;
			return 0;
		}
	}
	if (symbols->module_count == TM_KERNEL_MODULES_MAX)
		return -ENOSPC;
	r = add_name(symbols, symbol->module, symbol->module_bytes,
		     &symbols->modules[symbols->module_count]);
	if (r == 0)
		*ret_module = (uint16_t)symbols->module_count++;
	return r;
}

void symbols_deinit(struct symbols *symbols)
{
	free(symbols->entries);
	free(symbols->names);
	free(symbols->runs);
	*symbols = (struct symbols){0};
}

static int add(struct symbols *symbols, const struct symbols_line *symbol)
{
	struct symbols_entry entry = {.address = symbol->address};
	int r;

	if (!is_code(symbol) || !symbol->address)
		return 0;
	if (symbols->module_count == 0) {
		r = add_name(symbols, "kernel", sizeof("kernel") - 1, &symbols->modules[0]);
		if (r < 0)
			return r;
		symbols->module_count = 1;
	}
	if (symbols->count == TM_KERNEL_SYMBOLS_MAX)
		return 0;
	r = find_module(symbols, symbol, &entry.module);
	if (r == 0)
		r = add_name(symbols, symbol->name, symbol->name_bytes, &entry.name);
	if (r < 0)
		return r == -ENOSPC ? 0 : r;
	entry.global = symbol->type == 'T' || symbol->type == 'W';
	r = grow((void **)&symbols->entries, &symbols->room, symbols->count + 1, sizeof(entry));
	if (r == 0)
		symbols->entries[symbols->count++] = entry;
	return r;
}

int symbols_feed(struct symbols *symbols, const char *text, size_t bytes, size_t *ret_used)
{
	size_t at = 0;

	for (;;) {
		const char *end = memchr(text + at, '\n', bytes - at);
		struct symbols_line symbol;
		int r;

		*ret_used = at;
		if (!end)
			return 0;
		if (symbols_parse(text + at, (size_t)(end - (text + at)), &symbol) == 0) {
			r = add(symbols, &symbol);
			if (r < 0)
				return r;
		}
		at = (size_t)(end + 1 - text);
	}
}

int symbols_read(struct symbols *symbols, int fd)
{
	_cleanup_(tm_freep) char *text = malloc(READ_BYTES);
	size_t held = 0;

	if (!text)
		return -ENOMEM;
	for (;;) {
		ssize_t n = read(fd, text + held, READ_BYTES - held);
		size_t used;
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		held += (size_t)n;
		r = symbols_feed(symbols, text, held, &used);
		if (r < 0)
			return r;
		if (used == 0 && held == READ_BYTES)
			return -EBADMSG; /* no symbol is this long */
		memmove(text, text + used, held - used);
		held -= used;
	}
}

uint64_t symbols_rebase(struct symbols *symbols, uint64_t address)
{
	uint64_t word = (uint64_t)TM_FRAME_KERNEL << TM_FRAME_KIND_SHIFT;
	size_t low = 0, high = symbols->run_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->runs[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && address < symbols->runs[low - 1].end) {
		const struct symbols_run *run = &symbols->runs[low - 1];

		return word | (uint64_t)run->module << TM_FRAME_MODULE_SHIFT |
		       ((address - run->base) & TM_FRAME_KOFFSET_MAX);
	}
	symbols->unknown++;
	return word | (uint64_t)TM_FRAME_MODULE_UNKNOWN << TM_FRAME_MODULE_SHIFT;
}
