/* SPDX-License-Identifier: Apache-2.0 */
/* kallsyms - parses kernel symbols in either of their two forms */

#include "collector/kallsyms.h"

#include <errno.h>
#include <string.h>

#include "shared/event.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* "[name]" behind the tab. */
static int parse_module(const char *text, size_t bytes, struct kallsyms_symbol *symbol)
{
	if (bytes < 3 || bytes - 2 >= KALLSYMS_MODULE_MAX || text[0] != '[' ||
	    text[bytes - 1] != ']')
		return -EBADMSG;
	symbol->module = text + 1;
	symbol->module_bytes = bytes - 2;
	return 0;
}

int kallsyms_parse(const char *line, size_t bytes, struct kallsyms_symbol *ret_symbol)
{
	struct kallsyms_symbol symbol = {.module = ""};
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

int kallsyms_decode(const char *record, size_t bytes, struct kallsyms_symbol *ret_symbol,
		    size_t *ret_used)
{
	struct tm_symbol head;
	size_t names;

	if (bytes < sizeof(head))
		return KALLSYMS_E_SHORT;
	memcpy(&head, record, sizeof(head));
	names = (size_t)head.name_bytes + head.module_bytes;
	if (head.name_bytes == 0 || head.name_bytes >= KALLSYMS_NAME_MAX ||
	    head.module_bytes >= KALLSYMS_MODULE_MAX || head.bytes < sizeof(head) + names)
		return -EBADMSG;
	if (bytes < head.bytes)
		return KALLSYMS_E_SHORT;
	if (memchr(record + sizeof(head), '\0', names))
		return -EBADMSG;
	*ret_symbol = (struct kallsyms_symbol){.address = head.address,
					       .type = (char)head.type,
					       .name = record + sizeof(head),
					       .name_bytes = head.name_bytes,
					       .module = record + sizeof(head) + head.name_bytes,
					       .module_bytes = head.module_bytes};
	*ret_used = head.bytes;
	return 0;
}

static bool starts(const struct kallsyms_symbol *symbol, const char *prefix)
{
	size_t n = strlen(prefix);

	return symbol->name_bytes >= n && memcmp(symbol->name, prefix, n) == 0;
}

bool kallsyms_is_code(const struct kallsyms_symbol *symbol)
{
	return strchr("tTwW", symbol->type) && symbol->type != '\0' && !starts(symbol, "__pfx_") &&
	       !starts(symbol, "__cfi_");
}
