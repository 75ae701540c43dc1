/* SPDX-License-Identifier: Apache-2.0 */
/*
 * golang - the functions that a Go file's pclntab describes, and how far each has moved sp
 */

#include "symbolizer/parser/golang.h"

#include <string.h>

#include "symbolizer/parser/cursor.h"
#include "symbolizer/parser/machine.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/stubs.h"

#define HEADER_BYTES   8u         /* magic, two zeros, quantum, size of a pointer */
#define TEXT_START     24u        /* in the header since 1.18; zero when it is to be relocated */
#define MODULE_TEXT    (22u * 8u) /* moduledata.text */
#define FUNCTIONS_MAX  FRAMES_MAX
#define FLAG_TOP_FRAME 1u /* funcFlag, since 1.17 */
#define FLAG_SP_WRITE  2u
#define FLAG_ASSEMBLY  4u
#define RELATIVE       8u /* R_X86_64_RELATIVE */

/* What a function's entry says of it. */
struct function {
	uint32_t steps;
	uint32_t flags;
	const char *name;
};

static uint64_t number_at(const struct golang *golang, uint64_t offset, uint32_t bytes)
{
	struct cursor cursor = cursor_of(golang->table.bytes, golang->table.size);

	cursor_skip(&cursor, offset);
	return cursor_number(&cursor, bytes);
}

static enum golang_version version_of(const struct golang *golang)
{
	if (golang->table.size < HEADER_BYTES || golang->table.bytes[4] || golang->table.bytes[5] ||
	    golang->table.bytes[7] != 8)
		return GOLANG_NONE;
	switch (number_at(golang, 0, 4)) {
	case 0xfffffffb:
		return GOLANG_1_2;
	case 0xfffffffa:
		return GOLANG_1_16;
	case 0xfffffff0:
		return GOLANG_1_18;
	case 0xfffffff1:
		return GOLANG_1_20;
	default:
		return GOLANG_NONE;
	}
}

/* The word at an address of the file as the loader leaves it. */
static int relocated(const struct sections *sections, uint64_t vaddr, uint64_t *ret_value)
{
	struct section place, relocations;
	int r;

	*ret_value = 0;
	r = sections_load_at(sections, vaddr, sizeof(*ret_value), &place);
	if (r)
		return r;
	if (place.size == sizeof(*ret_value))
		memcpy(ret_value, place.bytes, sizeof(*ret_value));
	if (*ret_value)
		return 0;
	r = sections_load(sections, ".rela.dyn", &relocations);
	for (uint64_t at = 0; !r && at + sizeof(Elf64_Rela) <= relocations.size;
	     at += sizeof(Elf64_Rela)) {
		Elf64_Rela relocation;

		memcpy(&relocation, relocations.bytes + at, sizeof(relocation));
		if (relocation.r_offset == vaddr && ELF64_R_TYPE(relocation.r_info) == RELATIVE) {
			*ret_value = (uint64_t)relocation.r_addend;
			break;
		}
	}
	return r;
}

/* In the header, in the module's data, or where the section begins. */
static int find_text(struct golang *golang, const struct sections *sections)
{
	const Elf64_Shdr *module = sections_header(sections, ".go.module");
	const Elf64_Shdr *text = sections_header(sections, ".text");
	int r;

	r = relocated(sections, golang->table.vaddr + TEXT_START, &golang->text);
	if (!r && !golang->text && module)
		r = relocated(sections, module->sh_addr + MODULE_TEXT, &golang->text);
	if (!r && !golang->text && text)
		golang->text = text->sh_addr;
	return r;
}

/* Words of the header behind its first eight bytes. */
static uint64_t word(const struct golang *golang, uint32_t index)
{
	return number_at(golang, HEADER_BYTES + 8ull * index, 8);
}

int golang_open(struct golang *golang, const struct sections *sections)
{
	uint32_t first; /* of the words that say where the parts are */
	int r;

	*golang = (struct golang){.version = GOLANG_NONE};
	r = sections_load(sections, ".gopclntab", &golang->table);
	if (!r && !golang->table.bytes)
		r = sections_load(sections, ".data.rel.ro.gopclntab", &golang->table);
	if (r)
		return r;
	golang->version = version_of(golang);
	if (golang->version == GOLANG_NONE)
		return 0;
	golang->quantum = golang->table.bytes[6];
	golang->count = word(golang, 0);
	if (golang->count > FUNCTIONS_MAX)
		golang->version = GOLANG_NONE;
	if (golang->version < GOLANG_1_16)
		return 0;
	first = golang->version == GOLANG_1_16 ? 2 : 3;
	golang->names = word(golang, first);
	golang->steps = word(golang, first + 3);
	golang->functions = word(golang, first + 4);
	return golang->version >= GOLANG_1_18 ? find_text(golang, sections) : 0;
}

/* The list of (entry, where it is described), one entry more at its end. */
static uint64_t listed(const struct golang *golang, uint64_t index)
{
	uint32_t field = golang->version >= GOLANG_1_18 ? 4 : 8;
	uint64_t begin = golang->version == GOLANG_1_2 ? HEADER_BYTES + 8 : golang->functions;

	if (begin > golang->table.size)
		return 0;
	return number_at(golang, begin + index * field, field);
}

static uint64_t entry_of(const struct golang *golang, uint64_t number)
{
	return listed(golang, 2 * number) + golang->text;
}

int golang_add(const struct golang *golang, struct frames *frames, const struct image *image)
{
	int r = 0;

	if (golang->version == GOLANG_NONE)
		return 0;
	for (uint32_t i = 0; !r && i < golang->count; i++) {
		struct span span = {.source = SPAN_GO, .cie = i, .vaddr = entry_of(golang, i)};
		uint64_t end = entry_of(golang, i + 1ull);

		if (end <= span.vaddr)
			continue; /* also what lies beyond the table's end */
		frames->described++;
		r = frames_add(frames, image, &span, end - span.vaddr);
	}
	return r;
}

const char *golang_name(const struct golang *golang, uint32_t number)
{
	uint64_t at = golang->functions + listed(golang, 2ull * number + 1);
	uint64_t name;

	if (at > golang->table.size)
		return NULL;
	name = golang->names +
	       (uint32_t)number_at(golang, at + (golang->version >= GOLANG_1_18 ? 4 : 8), 4);
	if (name >= golang->table.size ||
	    !memchr(golang->table.bytes + name, 0, golang->table.size - name))
		return NULL;
	return (const char *)golang->table.bytes + name;
}

static int is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return 1;
	return 0;
}

/* What tables without flags say by name; since 1.17 the linker does. */
static uint32_t flags_by_name(const char *name)
{
	static const char *const top[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go",
					  NULL};
	static const char *const writes[] = {"runtime.asmcgocall", "runtime.cgocallback_gofunc",
					     "runtime.gogo",       "runtime.mcall",
					     "runtime.morestack",  "runtime.nanotime",
					     "runtime.nanotime1",  "runtime.systemstack",
					     "runtime.walltime",   "runtime.walltime1",
					     "time.now",           NULL};

	return (is_one_of(name, top) ? FLAG_TOP_FRAME : 0) |
	       (is_one_of(name, writes) ? FLAG_SP_WRITE : 0);
}

static int read_function(const struct golang *golang, uint32_t number, struct function *function)
{
	uint64_t at = golang->functions + listed(golang, 2ull * number + 1);
	uint64_t fields = golang->version >= GOLANG_1_18 ? 0 : 4; /* their entry has 8 bytes */
	uint64_t flags;

	function->name = golang_name(golang, number);
	if (!function->name || at > golang->table.size)
		return -1;
	function->steps = (uint32_t)number_at(golang, at + fields + 16, 4);
	if (golang->version == GOLANG_1_2) {
		function->flags = flags_by_name(function->name);
		return 0;
	}
	/* after cuOffset, since 1.20 also startLine: funcID, flags */
	flags = at + fields + (golang->version == GOLANG_1_20 ? 41 : 37);
	function->flags = (uint32_t)number_at(golang, flags, 1);
	if (golang->version == GOLANG_1_16) /* 1.16 itself has a zero there */
		function->flags |= flags_by_name(function->name);
	return 0;
}

/* A frame of a compiled function ends in the saved frame pointer; one of assembly need not. */
static struct tm_rule rule_of(const struct function *function, int64_t pushed)
{
	struct tm_rule rule = {.cfa = TM_CFA_SP,
			       .cfa_offset = (int32_t)(pushed + MACHINE_WORD),
			       .ra = TM_SAVED_CFA,
			       .ra_offset = MACHINE_CALL_RA,
			       .fp = TM_SAVED_SAME};

	/* One word less than nothing: the return address was popped, and still lies there. */
	if (pushed < -MACHINE_WORD || pushed > INT32_MAX - MACHINE_WORD)
		return (struct tm_rule){.cfa = TM_CFA_NONE};
	if (pushed >= MACHINE_WORD && !(function->flags & FLAG_ASSEMBLY)) {
		rule.fp = TM_SAVED_CFA;
		rule.fp_offset = MACHINE_RECORD_FP;
	}
	return rule;
}

static int64_t zigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* A list of (change of what was pushed, how far that holds), which a zero ends. */
static int put_steps(const struct golang *golang, struct rowmake *make, const struct span *span,
		     uint64_t limit, const struct function *function)
{
	struct cursor cursor = cursor_of(golang->table.bytes, golang->table.size);
	int64_t pushed = -1;
	uint64_t at = 0;
	int r = 0;

	cursor_skip(&cursor, golang->steps);
	cursor_skip(&cursor, function->steps);
	while (!r && at < limit) {
		uint64_t change = (uint32_t)cursor_unsigned(&cursor);
		struct tm_rule rule;

		if (!change && at) /* what follows is padding */
			return cursor.bad ? -1 : 0;
		if (cursor.bad)
			return -1;
		pushed += zigzag(change);
		rule = rule_of(function, pushed);
		r = rowmake_put(make, span->start + at, &rule);
		at += (uint32_t)cursor_unsigned(&cursor) * (uint64_t)golang->quantum;
	}
	return r;
}

static int put_one(struct rowmake *make, uint64_t offset, struct tm_rule rule)
{
	return rowmake_put(make, offset, &rule);
}

int golang_put(const struct golang *golang, struct rowmake *make, const struct span *span,
	       uint64_t limit, int *ret_refused)
{
	static const char *const trampolines[] = {"runtime.sigreturn__sigaction",
						  "runtime.sigreturn", NULL};
	const struct tm_rule by_record = {.cfa = TM_CFA_FP,
					  .cfa_offset = MACHINE_RECORD_CFA,
					  .ra = TM_SAVED_CFA,
					  .ra_offset = MACHINE_CALL_RA,
					  .fp = TM_SAVED_CFA,
					  .fp_offset = MACHINE_RECORD_FP};
	struct function function;
	int r;

	*ret_refused = 0;
	if (read_function(golang, span->cie, &function) < 0) {
		*ret_refused = 1;
		return put_one(make, span->start, (struct tm_rule){.cfa = TM_CFA_NONE});
	}
	if (is_one_of(function.name, trampolines)) /* looked up one byte before it begins */
		return put_one(make, span->start - 1, stubs_signal_rule());
	if (strncmp(function.name, "_rt0_", 5) == 0)
		return put_one(make, span->start, (struct tm_rule){.cfa = TM_CFA_END});
	/* Go ends at its signal handler; but what it interrupted goes on. */
	if (function.flags & FLAG_TOP_FRAME && strcmp(function.name, "runtime.sigtramp") != 0)
		return put_one(make, span->start, (struct tm_rule){.cfa = TM_CFA_END});
	if (function.flags & FLAG_SP_WRITE)
		return put_one(make, span->start, by_record);
	r = put_steps(golang, make, span, limit, &function);
	if (r >= 0)
		return r;
	*ret_refused = 1;
	return put_one(make, span->start, by_record);
}
