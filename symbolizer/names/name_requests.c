/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_requests - the talk with the parser: requests, results, deadlines
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"
#include "shared/region.h"
#include "symbolizer/names/name_table.h"
#include "symbolizer/names/result_check.h"
#include "symbolizer/names/symbol_cache.h"

#define BUILD_ID_TEXT (2 * PARSER_BUILD_ID_MAX + 1)

struct asking {
	struct name_table *names;
	struct files *files;
	uint32_t next;    /* names_file to ask for */
	uint32_t open;    /* requests without a result */
	uint8_t *waiting; /* by names_file */
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

static int send_request(const struct name_table *names, uint32_t id, int target)
{
	const struct name_table_file *file = &names->files[id];
	struct parser_message message = {.id = id, .count = file->asked};
	_cleanup_(tm_closep) int offsets = seal_offsets(names, file);
	int r;

	if (offsets < 0)
		return offsets;
	message.kind = file->file == NAME_TABLE_VDSO ? PARSER_VDSO : PARSER_FILE;
	r = tm_fdpass_send(names->parser, &message, sizeof(message), target, 0);
	if (r)
		return r;
	message.kind = PARSER_OFFSETS;
	return tm_fdpass_send(names->parser, &message, sizeof(message), offsets, 0);
}

/* Where the symbols of an earlier answer are. */
static struct symbol_cache **kept(struct files *files, const struct name_table_file *file)
{
	return file->file == NAME_TABLE_VDSO ? &files->vdso : &files->items[file->file].symbols;
}

/* Asks for the next file that can be asked for. */
static void ask_next(struct asking *asking)
{
	struct name_table *names = asking->names;
	uint32_t id = asking->next++;
	const struct name_table_file *file = &names->files[id];
	int target = file->file == NAME_TABLE_VDSO ? -1 : asking->files->items[file->file].fd;
	int r;

	if (!file->asked || (file->file != NAME_TABLE_VDSO && target < 0))
		return;
	if (file->asked > PARSER_OFFSETS_MAX) {
		names->failed++;
		return;
	}
	r = send_request(names, id, target);
	if (file->file != NAME_TABLE_VDSO &&
	    (!names->goes_on || files_is_pending(&asking->files->items[file->file])))
		files_close(asking->files, file->file);
	if (r) {
		names->failed++;
		names->parser = -1; /* the loop gives up */
		return;
	}
	asking->waiting[id] = 1;
	asking->open++;
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
		const struct parser_symbol *symbol;
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

/* Return: 0, or < 0 when the parser is no longer to be talked to. */
static int receive(struct asking *asking)
{
	struct name_table *names = asking->names;
	struct parser_message message;
	_cleanup_(tm_closep) int fd = -1;
	int r;

	r = tm_fdpass_recv(names->parser, &message, sizeof(message), &fd, 0);
	if (r)
		return -EPIPE;
	if (message.kind != PARSER_RESULT || message.id >= asking->next ||
	    !asking->waiting[message.id] || message.status >= PARSER_STATUS_N)
		return -EBADMSG;
	asking->waiting[message.id] = 0;
	asking->open--;
	if (message.status == PARSER_ABANDONED)
		names->abandoned++;
	if (message.status != PARSER_OK ||
	    take_result(names, &names->files[message.id], TM_TAKE_FD(fd)))
		names->failed++;
	return 0;
}

/* The parser died or broke the form: the rest stays unnamed. */
static void give_up(struct asking *asking)
{
	struct name_table *names = asking->names;

	names->parser = -1;
	names->failed += asking->open;
	for (uint32_t id = asking->next; id < names->file_count; id++) {
		uint32_t file = names->files[id].file;

		if (file != NAME_TABLE_VDSO && names->files[id].asked &&
		    asking->files->items[file].fd >= 0)
			names->failed++;
	}
}

static int wait_for_result(struct asking *asking)
{
	struct pollfd ready[2] = {
		{.fd = asking->names->parser, .events = POLLIN},
		{.fd = asking->names->control, .events = POLLRDHUP},
	};
	int64_t end = (int64_t)tm_clock_ms() + PARSER_DEADLINE_MS + NAME_TABLE_GRACE_MS;
	int r;

	do {
		int64_t left = end - (int64_t)tm_clock_ms();

		r = poll(ready, 2, left > 0 ? (int)left : 0);
	} while (r < 0 && errno == EINTR);
	if (r > 0 && ready[1].revents)
		return -EPIPE; /* nobody waits for names any more */
	return r > 0 ? receive(asking) : -ETIMEDOUT;
}

/* For the reports to come: what was asked is not asked again. */
static void keep_symbols(struct name_table *names, struct files *files)
{
	for (uint32_t i = 0; i < names->file_count; i++) {
		const struct name_table_file *file = &names->files[i];
		struct symbol_cache **slot = kept(files, file);
		struct symbol_cache *united = *slot;

		if (file->answered)
			united = symbol_cache_unite(*slot, names, file, &files->symbols_budget);
		if (!united)
			united = *slot;
		if (file->file != NAME_TABLE_VDSO) {
			files_keep_symbols(files, file->file, united, names->ktime);
		} else if (united != *slot) {
			symbol_cache_free(*slot, &files->symbols_budget);
			*slot = united;
		}
	}
}

void name_table_ask(struct name_table *names, struct files *files)
{
	struct asking asking = {.names = names, .files = files};

	asking.waiting = calloc(names->file_count ? names->file_count : 1, 1);
	if (!asking.waiting)
		return;
	for (uint32_t i = 0; i < names->file_count; i++)
		names->files[i].asked = symbol_cache_recall(*kept(files, &names->files[i]), names,
							    &names->files[i]);
	while (asking.next < names->file_count || asking.open) {
		if (names->parser >= 0 && asking.next < names->file_count &&
		    asking.open < PARSER_AT_ONCE) {
			ask_next(&asking);
			continue;
		}
		if (names->parser < 0 || (asking.open && wait_for_result(&asking) < 0)) {
			give_up(&asking);
			break;
		}
	}
	free(asking.waiting);
	if (names->goes_on)
		keep_symbols(names, files);
}
