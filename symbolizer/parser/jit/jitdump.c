/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitdump - makes a table of code with times from a jitdump, in which a JIT compiler logs its code
 */

#include "symbolizer/parser/jit/jitdump.h"

#include <elf.h>
#include <string.h>

#include "shared/utf8.h"
#include "symbolizer/parser/jit/code_blob.h"
#include "symbolizer/parser/jit/jitdump_stream.h"

#define MAGIC       0x4a695444u
#define VERSION     1u
#define OTHER_CLOCK 1u         /* a flag of the header */
#define SAME_NAME   "\xff"     /* as the entry before */
#define PAD_BYTES   8u         /* at most, at the end of a record */
#define NO_LINES    UINT64_MAX /* the address of no code */

enum record_kind {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
	RECORD_DEBUG_INFO = 2,
};

/* As they lie in the file. */
struct file_header {
	uint32_t magic;
	uint32_t version;
	uint32_t bytes;
	uint32_t machine;
	uint32_t pad;
	uint32_t pid;
	uint64_t time;
	uint64_t flags;
};

struct record {
	uint32_t kind;
	uint32_t bytes; /* with this */
	uint64_t time;
};

struct load { /* then the name, then the code */
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t address;
	uint64_t bytes;
	uint64_t index;
};

struct move {
	uint32_t pid;
	uint32_t tid;
	uint64_t vma;
	uint64_t from;
	uint64_t address;
	uint64_t bytes;
	uint64_t index;
};

struct debug_info {
	uint64_t address;
	uint64_t count; /* of entries: */
};

struct debug_entry { /* then the path */
	uint64_t address;
	uint32_t line;
	uint32_t discriminator;
};

struct jitdump {
	struct jitdump_stream stream;
	struct code_list list;
	struct parser_code_table table;
	uint64_t at, end;    /* of the current record's contents */
	uint64_t time;       /* of the current record */
	uint64_t lines_of;   /* address of the code whose lines were read last, NO_LINES */
	uint32_t first_line; /* of those */
	uint32_t path;       /* of the line before; PARSER_NO_NAME: none */
};

/* The next @bytes of the record. Return: whether it has them. */
static bool take(struct jitdump *dump, void *to, uint32_t bytes)
{
	const void *from = NULL;

	if (bytes <= dump->end - dump->at)
		from = jitdump_stream_at(&dump->stream, dump->at, bytes);
	if (!from)
		return false;
	memcpy(to, from, bytes);
	dump->at += bytes;
	return true;
}

static const char *take_text(struct jitdump *dump, uint32_t *ret_bytes)
{
	return jitdump_stream_text(&dump->stream, dump->at, dump->end, ret_bytes, &dump->at);
}

static int leave_out(struct jitdump *dump)
{
	dump->list.flags |= PARSER_CODES_MALFORMED;
	return dump->stream.status;
}

static bool is_code(uint64_t address, uint64_t bytes)
{
	return bytes && bytes <= UINT32_MAX && address <= UINT64_MAX - bytes;
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool is_text(const char *text, uint32_t bytes)
{
	char clean[TM_UTF8_CLEAN_BYTES(PARSER_NAME_MAX)];

	return bytes <= PARSER_NAME_MAX &&
	       tm_utf8_clean(text, bytes, clean, sizeof(clean)) == bytes &&
	       memcmp(text, clean, bytes) == 0;
}

static void drop_lines(struct jitdump *dump)
{
	dump->list.line_count = dump->first_line;
	dump->lines_of = NO_LINES;
	dump->path = PARSER_NO_NAME;
}

/* Return: 0, PARSER_MALFORMED (or the stream's status), PARSER_FAILED. */
static int take_path(struct jitdump *dump)
{
	const char *known = dump->path == PARSER_NO_NAME ? NULL : dump->list.names + dump->path;
	uint32_t bytes;
	const char *text = take_text(dump, &bytes);

	if (!text || (strcmp(text, SAME_NAME) == 0 ? !known : !is_text(text, bytes)))
		return PARSER_MALFORMED;
	if (known && (strcmp(text, SAME_NAME) == 0 || strcmp(text, known) == 0))
		return 0;
	return code_list_add_name(&dump->list, text, bytes, &dump->path);
}

static int read_entry(struct jitdump *dump, uint64_t code)
{
	struct parser_code_line line;
	struct debug_entry entry;
	int r;

	if (!take(dump, &entry, sizeof(entry)) || entry.address < code ||
	    entry.address - code > UINT32_MAX)
		return PARSER_MALFORMED;
	r = take_path(dump);
	if (r || dump->path == PARSER_NO_NAME)
		return r;
	line = (struct parser_code_line){(uint32_t)(entry.address - code), entry.line, dump->path};
	return code_list_add_line(&dump->list, &line);
}

static int read_debug_info(struct jitdump *dump)
{
	struct debug_info info;
	int r = 0;

	if (!take(dump, &info, sizeof(info)))
		return leave_out(dump);
	for (uint64_t i = 0; !r && i < info.count; i++)
		r = read_entry(dump, info.address);
	if (!r && dump->end - dump->at > PAD_BYTES)
		r = PARSER_MALFORMED;
	if (!r)
		dump->lines_of = info.address;
	else
		drop_lines(dump);
	return r == PARSER_MALFORMED ? leave_out(dump) : r;
}

/* Gives the code the lines that stand before it. */
static void take_lines(struct jitdump *dump, struct parser_code *code)
{
	code->first_line = dump->first_line;
	if (dump->lines_of == code->start)
		code->line_count = dump->list.line_count - dump->first_line;
	dump->list.line_count = code->first_line + code->line_count;
	dump->first_line = dump->list.line_count;
	dump->lines_of = NO_LINES;
}

/* Once it is known how they are counted. */
static void sort_lines(struct jitdump *dump)
{
	struct code_list *list = &dump->list;
	uint32_t lowest = UINT32_MAX, shift;

	for (uint32_t i = 0; i < list->line_count; i++)
		lowest = list->lines[i].offset < lowest ? list->lines[i].offset : lowest;
	shift = lowest >= JITDUMP_ELF_HEADER ? JITDUMP_ELF_HEADER : 0;
	for (uint32_t i = 0; i < list->line_count; i++)
		list->lines[i].offset -= shift;
	for (uint32_t i = 0; i < list->count; i++)
		code_list_sort_lines(list, &list->records[i].code);
}

/* --- records ---------------------------------------------------------------------------------- */

static int read_load(struct jitdump *dump)
{
	struct code_record record = {0};
	struct load load;
	const char *name;
	uint32_t bytes;
	int r;

	if (!take(dump, &load, sizeof(load)) || !is_code(load.address, load.bytes))
		return leave_out(dump);
	name = take_text(dump, &bytes);
	if (!name)
		return leave_out(dump);
	record.index = load.index;
	record.code = (struct parser_code){.start = load.address,
					   .from = dump->time,
					   .until = UINT64_MAX,
					   .bytes = (uint32_t)load.bytes};
	r = code_list_add_name(&dump->list, name, bytes, &record.code.name);
	if (r || record.code.name == PARSER_NO_NAME)
		return r;
	take_lines(dump, &record.code);
	return code_list_add(&dump->list, &record);
}

static int read_move(struct jitdump *dump)
{
	struct code_record record = {.is_move = true};
	struct move move;

	if (!take(dump, &move, sizeof(move)) || !is_code(move.address, move.bytes))
		return leave_out(dump);
	record.index = move.index;
	record.moved_from = move.from;
	record.code = (struct parser_code){.start = move.address,
					   .from = dump->time,
					   .until = UINT64_MAX,
					   .bytes = (uint32_t)move.bytes};
	return code_list_add(&dump->list, &record);
}

/* Where no lines wait for their code. */
static void make_room(struct jitdump *dump)
{
	drop_lines(dump);
	code_list_make_room(&dump->list);
	dump->first_line = dump->list.line_count;
}

static int read_contents(struct jitdump *dump, uint32_t kind)
{
	if (kind == RECORD_DEBUG_INFO || dump->lines_of == NO_LINES)
		make_room(dump); /* without those of a code that was never loaded */
	switch (kind) {
	case RECORD_LOAD:
		return read_load(dump);
	case RECORD_MOVE:
		return read_move(dump);
	case RECORD_DEBUG_INFO:
		return read_debug_info(dump);
	default:
		return 0;
	}
}

static int read_records(struct jitdump *dump)
{
	uint64_t at = dump->at;
	struct record record;
	int r = 0;

	while (!r) {
		dump->at = at;
		dump->end = dump->stream.end;
		if (!take(dump, &record, sizeof(record)))
			break;
		if (record.bytes < sizeof(record))
			return leave_out(dump); /* nobody knows where the next one begins */
		if (record.bytes > dump->stream.end - at)
			break;
		at += record.bytes;
		dump->end = at;
		dump->time = record.time;
		r = read_contents(dump, record.kind);
	}
	return r ? r : dump->stream.status;
}

/* --- the file --------------------------------------------------------------------------------- */

static int read_header(struct jitdump *dump)
{
	struct file_header header;

	dump->end = dump->stream.end;
	if (!take(dump, &header, sizeof(header)))
		return dump->stream.status ? dump->stream.status : PARSER_NOT_ELF;
	if (header.magic != MAGIC || header.version != VERSION || header.machine != EM_X86_64 ||
	    header.bytes < sizeof(header))
		return PARSER_NOT_ELF;
	if (header.flags & OTHER_CLOCK)
		dump->list.flags |= PARSER_CODES_OTHER_CLOCK;
	dump->table.pid = header.pid;
	dump->at = header.bytes;
	return 0;
}

static int compile(struct jitdump *dump, struct result_blob *result)
{
	int r = read_header(dump);

	if (!r && !(dump->list.flags & PARSER_CODES_OTHER_CLOCK))
		r = read_records(dump);
	if (r)
		return r;
	dump->list.line_count = dump->first_line;
	sort_lines(dump);
	code_list_follow_moves(&dump->list);
	return code_blob_write(result, &dump->list, dump->table.pid);
}

int jitdump_compile(struct result_blob *result, const struct image_source *source)
{
	struct jitdump dump = {.lines_of = NO_LINES, .path = PARSER_NO_NAME};
	uint64_t end = source->bytes < JITDUMP_BYTES_MAX ? source->bytes : JITDUMP_BYTES_MAX;
	int r;

	*result = (struct result_blob){0};
	if (end < source->bytes)
		dump.list.flags |= PARSER_CODES_TRUNCATED;
	r = jitdump_stream_open(&dump.stream, source, end);
	if (!r)
		r = compile(&dump, result);
	jitdump_stream_close(&dump.stream);
	code_list_free(&dump.list);
	return r;
}
