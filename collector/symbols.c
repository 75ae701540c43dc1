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
static int find_module(struct symbols *symbols, const struct kallsyms_symbol *symbol,
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

void symbols_init(struct symbols *symbols)
{
	*symbols = (struct symbols){0};
}

void symbols_deinit(struct symbols *symbols)
{
	free(symbols->entries);
	free(symbols->names);
	free(symbols->runs);
	symbols_init(symbols);
}

int symbols_add(struct symbols *symbols, const struct kallsyms_symbol *symbol)
{
	struct symbols_entry entry = {.address = symbol->address};
	int r;

	if (!kallsyms_is_code(symbol) || !symbol->address)
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

int symbols_feed_lines(struct symbols *symbols, const char *text, size_t bytes, size_t *ret_used)
{
	size_t at = 0;

	for (;;) {
		const char *end = memchr(text + at, '\n', bytes - at);
		struct kallsyms_symbol symbol;
		int r;

		*ret_used = at;
		if (!end)
			return 0;
		if (kallsyms_parse(text + at, (size_t)(end - (text + at)), &symbol) == 0) {
			r = symbols_add(symbols, &symbol);
			if (r < 0)
				return r;
		}
		at = (size_t)(end + 1 - text);
	}
}

int symbols_feed_records(struct symbols *symbols, const char *text, size_t bytes, size_t *ret_used)
{
	size_t at = 0;

	for (;;) {
		struct kallsyms_symbol symbol;
		size_t used = 0;
		int r = kallsyms_decode(text + at, bytes - at, &symbol, &used);

		*ret_used = at;
		if (r != 0)
			return r < 0 ? r : 0;
		r = symbols_add(symbols, &symbol);
		if (r < 0)
			return r;
		at += used;
	}
}

int symbols_read(struct symbols *symbols, int fd, symbols_feed_fn feed)
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
		r = feed(symbols, text, held, &used);
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
