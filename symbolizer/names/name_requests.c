/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_requests - asks the parser for the names of a table's places, file by file
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/region.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/names/result_check.h"
#include "symbolizer/names/symbol_cache.h"

#define BUILD_ID_TEXT (2 * PARSER_BUILD_ID_MAX + 1)

struct asking {
	struct name_table *names;
	struct files *files;
	uint32_t next; /* file of the table to ask for */
	uint32_t open; /* requests without an answer */
};

static int seal_offsets(const struct name_table *names, const struct name_table_file *file)
{
	uint64_t *offsets = calloc(file->asked, sizeof(*offsets));
	uint32_t at = 0;
	int fd;

	if (!offsets)
		return -ENOMEM;
	for (uint32_t i = 0; i < file->count; i++)
		if (!names->places[file->first + i].known)
			offsets[at++] = names->places[file->first + i].key & TM_FRAME_OFFSET_MAX;
	fd = tm_region_seal_blob("tidemark-offsets", offsets, at * sizeof(*offsets));
	free(offsets);
	return fd;
}

/* The symbols of an earlier answer; NULL: there are none. */
static const struct symbol_cache *kept(const struct symbol_cache_store *store,
				       const struct name_table_file *file)
{
	return file->file == NAME_TABLE_VDSO ? store->vdso
					     : store->files->items[file->file].symbols;
}

static void keep_build_id(struct name_table *names, struct name_table_file *file,
			  const struct parser_result *header)
{
	static const char digits[] = "0123456789abcdef";
	char text[BUILD_ID_TEXT];
	size_t at = 0;

	for (uint32_t i = 0; i < header->build_id_bytes; i++) {
		text[at++] = digits[header->build_id[i] >> 4];
		text[at++] = digits[header->build_id[i] & 15];
	}
	(void)strings_add(names->strings, text, at, &file->build_id);
}

static void apply(struct name_table *names, struct name_table_file *file,
		  const struct result_check *parsed)
{
	uint32_t at = 0;

	file->answered = 1;
	file->has_symbols = parsed->header->has_symbols != 0;
	if (parsed->header->segment_bytes || !file->bytes) {
		file->vaddr = parsed->header->segment_vaddr;
		file->offset = parsed->header->segment_offset;
		file->bytes = parsed->header->segment_bytes;
	}
	keep_build_id(names, file, parsed->header);
	for (uint32_t i = 0; i < file->count; i++) {
		struct name_table_place *place = &names->places[file->first + i];
		const struct parser_place_name *symbol;
		const char *name;

		if (place->known)
			continue;
		symbol = &parsed->symbols[at++];
		place->known = 1;
		place->has_vaddr = symbol->has_vaddr != 0;
		place->vaddr = symbol->vaddr;
		if (symbol->name == PARSER_NO_NAME)
			continue;
		name = parsed->names + symbol->name;
		if (*name && strings_add(names->strings, name, strlen(name), &place->name))
			place->name = NAME_TABLE_NONE;
	}
}

static int take_result(struct name_table *names, struct name_table_file *file, int fd)
{
	struct tm_region region = TM_REGION_NULL;
	struct result_check parsed;
	int r;

	if (fd < 0)
		return -EBADMSG;
	r = tm_region_open_blob(&region, fd, RESULT_CHECK_MAX_BYTES);
	if (r < 0) {
		(void)tm_close(fd);
		return r;
	}
	r = result_check_check(&parsed, region.addr, region.bytes, file->asked);
	if (!r)
		apply(names, file, &parsed);
	tm_region_close(&region);
	return r;
}

/* @id: the file of the table that was asked for. */
static void on_answer(void *context, uint32_t id, struct parser_client_answer *answer)
{
	struct asking *asking = context;
	struct name_table *names = asking->names;

	asking->open--;
	if (answer->failure < TM_PARSE_N)
		names->failed++;
	else if (answer->fd >= 0)
		(void)take_result(names, &names->files[id], TM_TAKE_FD(answer->fd));
}

/* Return: as parser_client_ask. */
static int send_request(struct asking *asking, uint32_t id, int target)
{
	const struct name_table_file *file = &asking->names->files[id];
	_cleanup_(tm_closep) int offsets = seal_offsets(asking->names, file);
	const struct parser_client_request request = {
		.kind = file->file == NAME_TABLE_VDSO ? PARSER_VDSO : PARSER_FILE,
		.target = target,
		.parts = {offsets},
		.part_count = 1,
		.count = file->asked,
		.value = id,
		.context = asking,
		.fn = on_answer,
	};
	int r;

	if (offsets < 0) {
		parser_client_count(asking->names->parser, TM_PARSE_RESOURCES);
		asking->names->failed++;
		return 0;
	}
	r = parser_client_ask(asking->names->parser, &request);
	asking->open += r == 0;
	return r;
}

static int target_of(const struct asking *asking, const struct name_table_file *file)
{
	return file->file == NAME_TABLE_VDSO ? -1 : asking->files->items[file->file].fd;
}

/* Asks for the next file, unless nothing is to be asked of it. Return: as parser_client_ask. */
static int ask_next(struct asking *asking)
{
	struct name_table *names = asking->names;
	const struct name_table_file *file = &names->files[asking->next];
	int target = target_of(asking, file);
	int r;

	if (!file->asked || (file->file != NAME_TABLE_VDSO && target < 0)) {
		asking->next++;
		return 0;
	}
	if (file->asked > PARSER_OFFSETS_MAX) {
		names->failed++;
		asking->next++;
		return 0;
	}
	r = send_request(asking, asking->next, target);
	if (r != 0)
		return r;
	asking->next++;
	if (file->file != NAME_TABLE_VDSO &&
	    (!names->goes_on || files_is_pending(&asking->files->items[file->file])))
		files_close(asking->files, file->file);
	return 0;
}

/* What was not asked for stays unnamed, until the next report where one follows. */
static void leave_rest(struct asking *asking, enum tm_parse_failure reason)
{
	struct name_table *names = asking->names;

	for (; asking->next < names->file_count; asking->next++) {
		const struct name_table_file *file = &names->files[asking->next];

		if (!file->asked || (file->file != NAME_TABLE_VDSO && target_of(asking, file) < 0))
			continue;
		names->failed++;
		parser_client_count(names->parser, reason);
	}
}

/* Until every file was asked for and answered, the parser is lost or does nothing any more, or the
 * command goes. */
static void ask_all(struct asking *asking)
{
	struct parser_client *parser = asking->names->parser;
	int r = 0;

	while (asking->next < asking->names->file_count || asking->open) {
		if (r == 0 && asking->next < asking->names->file_count) {
			r = ask_next(asking);
			continue;
		}
		if (r == PARSER_CLIENT_E_NONE)
			break;
		r = parser_client_wait(parser, parser_client_request_max_ms());
		if (r != 0)
			break;
	}
	parser_client_cancel(parser, asking);
	asking->names->failed += asking->open;
	leave_rest(asking, r == PARSER_CLIENT_E_TIMEOUT ? TM_PARSE_DEADLINE : TM_PARSE_NO_PARSER);
}

/* For the reports to come: what was asked is not asked again. */
static void keep_symbols(const struct name_table *names, struct symbol_cache_store *store)
{
	for (uint32_t i = 0; i < names->file_count; i++) {
		const struct name_table_file *file = &names->files[i];
		struct symbol_cache *united = NULL;

		if (file->answered)
			united = symbol_cache_unite(kept(store, file), names, file, &store->budget);
		if (file->file != NAME_TABLE_VDSO) {
			void *symbols = united ? united : store->files->items[file->file].symbols;

			files_keep_symbols(store->files, file->file, symbols, names->ktime);
		} else if (united) {
			symbol_cache_free(store->vdso, &store->budget);
			store->vdso = united;
		}
	}
}

void name_table_ask(struct name_table *names, struct symbol_cache_store *store)
{
	struct asking asking = {.names = names, .files = store->files};

	for (uint32_t i = 0; i < names->file_count; i++) {
		struct name_table_file *file = &names->files[i];

		file->asked = symbol_cache_recall(kept(store, file), names, file);
	}
	ask_all(&asking);
	if (names->goes_on)
		keep_symbols(names, store);
}
