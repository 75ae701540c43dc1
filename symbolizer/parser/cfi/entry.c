/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry - reads one entry of .eh_frame or .debug_frame: a CIE or an FDE
 */

#include "symbolizer/parser/cfi/entry.h"

#include "symbolizer/parser/cfi/pointer.h"

#define LENGTH_64 0xffffffffu

static uint64_t vaddr_of(const struct section *section, const struct cursor *cursor)
{
	return section->vaddr + (uint64_t)(cursor->at - section->bytes);
}

/* The id of an FDE leads to its CIE: backwards (.eh_frame), or from the section's start. */
static void read_id(struct entry *entry, const struct section *section,
		    enum code_range_source source, bool is_64)
{
	uint64_t here = (uint64_t)(entry->body.at - section->bytes);
	uint64_t id;

	if (source == CODE_RANGE_EH_FRAME) {
		id = cursor_number(&entry->body, 4);
		entry->is_cie = id == 0;
		entry->cie = here - id;
		return;
	}
	id = cursor_number(&entry->body, is_64 ? 8 : 4);
	entry->is_cie = id == (is_64 ? UINT64_MAX : UINT32_MAX);
	entry->cie = id;
}

int entry_next(struct cursor *cursor, const struct section *section, enum code_range_source source,
	       struct entry *ret_entry)
{
	struct entry entry = {.at = (uint64_t)(cursor->at - section->bytes)};
	uint64_t length;
	bool is_64 = false;

	if (cursor_left(cursor) < 4)
		return ENTRY_E_END;
	length = cursor_number(cursor, 4);
	if (length == LENGTH_64) {
		is_64 = true;
		length = cursor_number(cursor, 8);
	}
	if (cursor->is_past_end || length > cursor_left(cursor))
		return ENTRY_E_BROKEN;
	entry.body = cursor_of(cursor->at, length);
	cursor_skip(cursor, length);
	entry.is_empty = length == 0;
	if (!entry.is_empty)
		read_id(&entry, section, source, is_64);
	*ret_entry = entry;
	return 0;
}

/* The augmentation letters behind 'z'. Return: 0, ENTRY_E_BROKEN: an address could not be read. */
static int read_letters(struct cie *cie, const char *letters, struct cursor data,
			const struct section *section)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = cursor_byte(&data);
			break;
		case 'L':
			(void)cursor_byte(&data);
			break;
		case 'P': {
			uint8_t encoding = cursor_byte(&data);

			if (pointer_skip(&data, encoding, vaddr_of(section, &data)))
				return ENTRY_E_BROKEN;
			break;
		}
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* arm64 pointer authentication and memory tags: without data */
		case 'G':
			break;
		default:
			/* The length of its data is unknown, so an encoding behind it is lost. */
			return strchr(letters, 'R') ? ENTRY_E_BROKEN : 0;
		}
	}
	return data.is_past_end ? ENTRY_E_BROKEN : 0;
}

static int read_augmentation(struct cie *cie, const char *text, struct cursor *body,
			     const struct section *section)
{
	struct cursor data;
	uint64_t bytes;
	int r;

	if (text[0] != 'z')
		return text[0] == '\0' || strcmp(text, "eh") == 0 ? 0 : ENTRY_E_BROKEN;
	cie->has_data = true;
	bytes = cursor_unsigned(body);
	if (body->is_past_end || bytes > cursor_left(body))
		return ENTRY_E_BROKEN;
	data = cursor_of(body->at, bytes);
	r = read_letters(cie, text + 1, data, section);
	cursor_skip(body, bytes);
	return r;
}

struct cie entry_read_cie(const struct entry *entry, const struct section *section,
			  enum code_range_source source)
{
	struct cursor body = entry->body;
	struct cie cie = {.at = (uint32_t)entry->at, .encoding = POINTER_ABSOLUTE};
	const struct cie invalid = cie;
	uint8_t version = cursor_byte(&body);
	const char *text = (const char *)body.at;
	uint64_t length = strnlen(text, cursor_left(&body));

	if (length == cursor_left(&body) || (version != 1 && version != 3 && version != 4))
		return invalid;
	cursor_skip(&body, length + 1);
	if (strcmp(text, "eh") == 0)
		cursor_skip(&body, 8);                    /* a pointer that GCC 2 wrote */
	if (version == 4 && cursor_number(&body, 2) != 8) /* size of an address; of a segment: 0 */
		return invalid;
	cie.code_align = cursor_unsigned(&body);
	cie.data_align = cursor_signed(&body);
	cie.return_register = version == 1 ? cursor_byte(&body) : (uint32_t)cursor_unsigned(&body);
	if (read_augmentation(&cie, text, &body, section) || body.is_past_end ||
	    (source == CODE_RANGE_DEBUG_FRAME && cie.encoding != POINTER_ABSOLUTE))
		return invalid;
	cie.code = body.at;
	cie.code_bytes = (uint32_t)cursor_left(&body);
	cie.is_valid = true;
	return cie;
}

int entry_read_fde(const struct entry *entry, const struct section *section, const struct cie *cie,
		   struct code_range *range, uint64_t *ret_bytes)
{
	struct cursor body = entry->body;

	if (pointer_read(&body, cie->encoding, vaddr_of(section, &body), &range->vaddr) ||
	    pointer_read_length(&body, cie->encoding, ret_bytes))
		return ENTRY_E_BROKEN;
	if (cie->has_data)
		cursor_skip(&body, cursor_unsigned(&body));
	range->cfi = body.at;
	range->cfi_bytes = (uint32_t)cursor_left(&body);
	return body.is_past_end ? ENTRY_E_BROKEN : 0;
}
