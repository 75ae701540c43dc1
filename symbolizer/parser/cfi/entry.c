/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry - one length-prefixed entry of .eh_frame or .debug_frame
 */

#include "symbolizer/parser/cfi/entry.h"

#include "symbolizer/parser/cfi/pointer.h"

#define LENGTH_64 0xffffffffu

static uint64_t vaddr_of(const struct section *section, const struct cursor *cursor)
{
	return section->vaddr + (uint64_t)(cursor->at - section->bytes);
}

/* The id says what the entry is: in .eh_frame how far back its CIE is, or 0; in .debug_frame where. */
static void read_id(struct entry *entry, const struct section *section, enum span_source source,
		    int is_64)
{
	uint64_t here = (uint64_t)(entry->body.at - section->bytes);
	uint64_t id;

	if (source == SPAN_EH_FRAME) {
		id = cursor_number(&entry->body, 4);
		entry->is_cie = id == 0;
		entry->cie = here - id;
		return;
	}
	id = cursor_number(&entry->body, is_64 ? 8 : 4);
	entry->is_cie = id == (is_64 ? UINT64_MAX : UINT32_MAX);
	entry->cie = id;
}

int entry_next(struct cursor *walk, const struct section *section, enum span_source source,
	       struct entry *ret_entry)
{
	struct entry entry = {.at = (uint64_t)(walk->at - section->bytes)};
	uint64_t length;
	int is_64 = 0;

	if (cursor_left(walk) < 4)
		return ENTRY_E_END;
	length = cursor_number(walk, 4);
	if (length == LENGTH_64) {
		is_64 = 1;
		length = cursor_number(walk, 8);
	}
	if (walk->bad || length > cursor_left(walk))
		return ENTRY_E_BROKEN;
	entry.body = cursor_of(walk->at, length);
	cursor_skip(walk, length);
	entry.is_empty = length == 0;
	if (!entry.is_empty)
		read_id(&entry, section, source, is_64);
	*ret_entry = entry;
	return 0;
}

/* The letters behind 'z'. Return: 0, ENTRY_E_BROKEN: an address could not be read. */
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
			cie->signal = 1;
			break;
		case 'B': /* keys and tags of arm64: no data, no change of a rule */
		case 'G':
			break;
		default:
			/* Its data has a length, but an encoding behind it would be missed. */
			return strchr(letters, 'R') ? ENTRY_E_BROKEN : 0;
		}
	}
	return data.bad ? ENTRY_E_BROKEN : 0;
}

static int read_augmentation(struct cie *cie, const char *text, struct cursor *body,
			     const struct section *section)
{
	struct cursor data;
	uint64_t bytes;
	int r;

	if (text[0] != 'z')
		return text[0] == '\0' || strcmp(text, "eh") == 0 ? 0 : ENTRY_E_BROKEN;
	cie->has_data = 1;
	bytes = cursor_unsigned(body);
	if (body->bad || bytes > cursor_left(body))
		return ENTRY_E_BROKEN;
	data = cursor_of(body->at, bytes);
	r = read_letters(cie, text + 1, data, section);
	cursor_skip(body, bytes);
	return r;
}

struct cie entry_read_cie(const struct entry *entry, const struct section *section,
			  enum span_source source)
{
	struct cursor body = entry->body;
	struct cie cie = {.at = (uint32_t)entry->at, .encoding = POINTER_ABSOLUTE};
	const struct cie bad = cie;
	uint8_t version = cursor_byte(&body);
	const char *text = (const char *)body.at;
	uint64_t length = strnlen(text, cursor_left(&body));

	if (length == cursor_left(&body) || (version != 1 && version != 3 && version != 4))
		return bad;
	cursor_skip(&body, length + 1);
	if (strcmp(text, "eh") == 0)
		cursor_skip(&body, 8);                    /* a pointer that GCC 2 wrote */
	if (version == 4 && cursor_number(&body, 2) != 8) /* size of an address; of a segment: 0 */
		return bad;
	cie.code_align = cursor_unsigned(&body);
	cie.data_align = cursor_signed(&body);
	cie.return_register = version == 1 ? cursor_byte(&body) : (uint32_t)cursor_unsigned(&body);
	if (read_augmentation(&cie, text, &body, section) || body.bad ||
	    (source == SPAN_DEBUG_FRAME && cie.encoding != POINTER_ABSOLUTE))
		return bad;
	cie.code = body.at;
	cie.code_bytes = (uint32_t)cursor_left(&body);
	cie.good = 1;
	return cie;
}

int entry_read_function(const struct entry *entry, const struct section *section,
			const struct cie *cie, struct span *span, uint64_t *ret_bytes)
{
	struct cursor body = entry->body;

	if (pointer_read(&body, cie->encoding, vaddr_of(section, &body), &span->vaddr) ||
	    pointer_read_length(&body, cie->encoding, ret_bytes))
		return ENTRY_E_BROKEN;
	if (cie->has_data)
		cursor_skip(&body, cursor_unsigned(&body));
	span->code = body.at;
	span->code_bytes = (uint32_t)cursor_left(&body);
	return body.bad ? ENTRY_E_BROKEN : 0;
}
