/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_id - reads the build ids of a file: GNU's, which names its separate debug files, and Go's
 */

#include "symbolizer/parser/elf/build_id.h"

#include <stdbool.h>
#include <string.h>

#include "symbolizer/parser/elf/segments.h"

#define GO_NOTE_TYPE 4 /* as Go's linker writes it */

static const struct segments_note gnu_note = {ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU), NT_GNU_BUILD_ID,
					      PARSER_BUILD_ID_MAX};
static const struct segments_note go_note = {"Go\0", 4, GO_NOTE_TYPE, BUILD_ID_GO_MAX};

/* @ret_bytes: 0: there is none, or an empty one. */
static int find(const struct sections *sections, const char *section,
		const struct segments_note *kind, const uint8_t **ret_content, uint32_t *ret_bytes)
{
	struct section notes;
	int r = sections_load(sections, section, &notes);

	*ret_bytes = 0;
	*ret_content = r || !notes.bytes
			       ? NULL
			       : segments_note_in(notes.bytes, notes.size, kind, ret_bytes);
	if (r == PARSER_FAILED || *ret_bytes)
		return r;
	r = segments_read_notes(sections->image, sections->source);
	*ret_content = segments_note(sections->image, kind, ret_bytes);
	return r;
}

static bool is_printable(const uint8_t *text, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		if (text[i] <= ' ' || text[i] >= 0x7f)
			return false;
	return true;
}

int build_id_read(struct build_id *id, const struct sections *sections)
{
	const uint8_t *content;
	uint32_t bytes;
	int r, of_go;

	*id = (struct build_id){0};
	r = find(sections, ".note.gnu.build-id", &gnu_note, &content, &id->count);
	if (id->count)
		memcpy(id->bytes, content, id->count);
	if (r == PARSER_FAILED)
		return r;
	of_go = find(sections, ".note.go.buildid", &go_note, &content, &bytes);
	if (bytes && is_printable(content, bytes))
		memcpy(id->go, content, bytes);
	return r ? r : of_go;
}
