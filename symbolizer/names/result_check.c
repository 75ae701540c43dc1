/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result_check - the parser's result, believed only after every field was checked
 */

#include "symbolizer/names/result_check.h"

#include <errno.h>

static int header_is_good(const struct parser_result *header, uint32_t count)
{
	return header->magic == PARSER_MAGIC && header->count == count &&
	       count <= PARSER_OFFSETS_MAX && header->name_bytes <= PARSER_NAMES_MAX &&
	       header->build_id_bytes <= PARSER_BUILD_ID_MAX &&
	       header->segment_vaddr + header->segment_bytes >= header->segment_vaddr;
}

static int symbols_are_good(const struct result_check *parsed, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (parsed->symbols[i].name != PARSER_NO_NAME &&
		    parsed->symbols[i].name >= parsed->header->name_bytes)
			return 0;
	return 1;
}

int result_check_check(struct result_check *parsed, const void *blob, size_t bytes, uint32_t count)
{
	const struct parser_result *header = blob;
	struct result_check checked = {.header = header};
	uint64_t need = sizeof(*header);

	if (bytes < need || !header_is_good(header, count))
		return -EBADMSG;
	checked.symbols = (const void *)((const uint8_t *)blob + need);
	need += count * sizeof(*checked.symbols);
	checked.names = (const char *)blob + need;
	need += header->name_bytes;
	if (bytes < need || (header->name_bytes && checked.names[header->name_bytes - 1]))
		return -EBADMSG;
	if (!symbols_are_good(&checked, count))
		return -EBADMSG;
	*parsed = checked;
	return 0;
}
