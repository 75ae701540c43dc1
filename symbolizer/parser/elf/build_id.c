/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_id - reads the GNU build id of a file, which names its separate debug files
 */

#include "symbolizer/parser/elf/build_id.h"

#include "symbolizer/parser/elf/segments.h"

int build_id_read(struct build_id *id, const struct sections *sections)
{
	struct section notes;
	int r = sections_load(sections, ".note.gnu.build-id", &notes);

	*id = (struct build_id){0};
	if (!r && notes.bytes)
		id->count =
			segments_build_id_in(notes.bytes, notes.size, id->bytes, sizeof(id->bytes));
	if (r == PARSER_FAILED || id->count)
		return r;
	r = segments_read_notes(sections->image, sections->source);
	id->count = segments_build_id(sections->image, id->bytes, sizeof(id->bytes));
	return r;
}
