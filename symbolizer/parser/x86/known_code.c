/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known_code - built-in unwind rules for entry points, PLTs and sigreturn trampolines without CFI
 */

#include "symbolizer/parser/x86/known_code.h"

#include <string.h>

#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/decode.h"
#include "symbolizer/parser/x86_64.h"

#define PLT_ENTRY 16u
#define PLT_HEAD_JUMP \
	6u /* of the first entry, which is entered with the index pushed: push, jump */
#define PLT_IBT_PUSHED 9u /* behind endbr64 and the push of the index; see X86_64_PLT_PUSHED */
#define ENDBR_BYTES    4
#define FINISH_BYTES   9u /* xor %rdi,%rdi; call _exit; hlt */

enum known_code_kind { /* of a range: code_range.index */
	KNOWN_CODE_ENTRY_POINT,
	KNOWN_CODE_PLT_HEAD, /* the first entry of a lazy PLT */
	KNOWN_CODE_PLT_LAZY, /* code_range.cfi_bytes: where in an entry its index is pushed */
	KNOWN_CODE_PLT,      /* one jump for each entry */
};

static const uint8_t endbr[ENDBR_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};
static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

static int add(struct code_ranges *ranges, const struct sections *sections,
	       enum known_code_kind kind, uint64_t vaddr, uint64_t bytes, uint32_t pushed)
{
	const struct code_range range = {.vaddr = vaddr,
					 .source = CODE_RANGE_KNOWN_CODE,
					 .index = kind,
					 .cfi_bytes = pushed};

	return code_ranges_add(ranges, sections->image, &range, bytes);
}

/* Whether code clears the frame pointer or passes on the initial stack, as no function does. */
static bool is_entry_code(const struct section *code)
{
	static const struct {
		uint8_t bytes[3], count;
	} firsts[] = {
		{{0x31, 0xed}, 2},       /* xor %ebp,%ebp */
		{{0x48, 0x31, 0xed}, 3}, /* xor %rbp,%rbp */
		{{0x48, 0x89, 0xe7}, 3}, /* mov %rsp,%rdi */
	};
	const uint8_t *at = code->bytes;

	if (!at || code->size < ENDBR_BYTES + sizeof(firsts[0].bytes))
		return false;
	if (memcmp(at, endbr, ENDBR_BYTES) == 0)
		at += ENDBR_BYTES;
	for (uint32_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		if (memcmp(at, firsts[i].bytes, firsts[i].count) == 0)
			return true;
	return false;
}

/* The loader jumps to a program's entry point; that of a library may be anything. */
static bool is_program(const struct image *image)
{
	if (image->header.e_type == ET_EXEC)
		return true;
	for (uint32_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_INTERP)
			return true;
	return false;
}

/* Up to the jump into the program, or to the call that does not return. */
static uint64_t entry_bytes(const struct section *code)
{
	const uint8_t *at = code->bytes, *end = code->bytes + code->size;
	struct insn insn;

	while (at < end && !decode_insn(at, end, 0, &insn)) {
		at += insn.bytes;
		if (insn.kind == INSN_STOP || insn.kind == INSN_RET || insn.kind == INSN_JUMP ||
		    insn.kind == INSN_JUMP_INDIRECT ||
		    (insn.kind == INSN_CALL && decode_padding(at, end)))
			break;
	}
	return (uint64_t)(at - code->bytes);
}

static int add_entry(struct code_ranges *ranges, const struct sections *sections)
{
	uint64_t vaddr = sections->image->header.e_entry;
	struct section code;
	int r;

	r = sections_load_at(sections, vaddr, KNOWN_CODE_ENTRY_BYTES, &code);
	if (r || (!is_program(sections->image) && !is_entry_code(&code)))
		return r;
	if (!code.bytes)
		return 0;
	code_ranges_add_root(ranges, vaddr);
	return add(ranges, sections, KNOWN_CODE_ENTRY_POINT, vaddr, entry_bytes(&code), 0);
}

static int add_lazy_plt(struct code_ranges *ranges, const struct sections *sections)
{
	struct section plt;
	uint32_t pushed = X86_64_PLT_PUSHED;
	int r;

	r = sections_load(sections, ".plt", &plt);
	if (r || !plt.bytes)
		return r;
	/* The PLT of a static program binds nothing: its entries are jumps, without a head. */
	if (plt.size < 2 * PLT_ENTRY || plt.bytes[0] != 0xff || plt.bytes[1] != 0x35)
		return add(ranges, sections, KNOWN_CODE_PLT, plt.vaddr, plt.size, 0);
	if (plt.bytes[PLT_ENTRY] == 0xf3) /* endbr64: the jump through the GOT is in .plt.sec */
		pushed = PLT_IBT_PUSHED;
	r = add(ranges, sections, KNOWN_CODE_PLT_HEAD, plt.vaddr, PLT_ENTRY, 0);
	if (r)
		return r;
	return add(ranges, sections, KNOWN_CODE_PLT_LAZY, plt.vaddr + PLT_ENTRY,
		   plt.size - PLT_ENTRY, pushed);
}

/* The function of a makecontext() returns to glibc's __start_context. A return address is looked up
 * one byte before itself, so the byte before it ends the stack, too. */
static int add_start_contexts(struct code_ranges *ranges, const struct sections *sections,
			      const struct section *code)
{
	static const uint8_t first[] = {0x48, 0x89, 0xdc}; /* mov %rbx,%rsp */
	static const uint8_t next[] = {0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74};
	static const uint8_t older[] = {0x5f, 0x48, 0x85, 0xff, 0x74};
	const uint8_t *at = code->bytes, *end = code->bytes + code->size;
	int r = 0;

	while (!r && (at = memmem(at, (size_t)(end - at), first, sizeof(first)))) {
		uint64_t vaddr = code->vaddr + (uint64_t)(at - code->bytes);

		at += sizeof(first);
		if ((size_t)(end - at) < sizeof(next) ||
		    (memcmp(at, next, sizeof(next)) != 0 && memcmp(at, older, sizeof(older)) != 0))
			continue;
		code_ranges_add_root(ranges, vaddr);
		r = add(ranges, sections, KNOWN_CODE_ENTRY_POINT, vaddr - 1, 1, 0);
	}
	return r;
}

/* Boost.Context jumps into the function of a fiber, which returns to a call of _exit() behind that
 * jump. Some of its versions have no CFI for this. */
static int add_fibers(struct code_ranges *ranges, const struct sections *sections,
		      const struct section *code)
{
	static const uint8_t jump[] = {0x55, 0xff, 0xe3};         /* push %rbp; jmp *%rbx */
	static const uint8_t finish[] = {0x48, 0x31, 0xff, 0xe8}; /* xor %rdi,%rdi; call */
	const uint8_t *at = code->bytes, *end = code->bytes + code->size;
	int r = 0;

	while (!r && (at = memmem(at, (size_t)(end - at), jump, sizeof(jump)))) {
		const uint8_t *from = at;

		at += sizeof(jump);
		if (end - at > ENDBR_BYTES && memcmp(at, endbr, ENDBR_BYTES) == 0)
			at += ENDBR_BYTES;
		if ((size_t)(end - at) >= FINISH_BYTES && memcmp(at, finish, sizeof(finish)) == 0)
			r = add(ranges, sections, KNOWN_CODE_ENTRY_POINT,
				code->vaddr + (uint64_t)(from - code->bytes),
				(uint64_t)(at - from) + FINISH_BYTES, 0);
	}
	return r;
}

/* Searched for only in files no larger than a C library. */
static int find_outermost(struct code_ranges *ranges, const struct sections *sections)
{
	const Elf64_Shdr *text = sections_header(sections, ".text");
	struct section code;
	int r;

	if (!text || text->sh_size > KNOWN_CODE_SCAN_MAX)
		return 0;
	r = sections_load_header(sections, text, &code);
	if (r || !code.bytes)
		return r;
	r = add_start_contexts(ranges, sections, &code);
	return r ? r : add_fibers(ranges, sections, &code);
}

int known_code_add(struct code_ranges *ranges, const struct sections *sections)
{
	static const char *const plain[] = {".plt.sec", ".plt.got", ".iplt"};
	int r = add_entry(ranges, sections);

	if (!r)
		r = find_outermost(ranges, sections);
	if (!r)
		r = add_lazy_plt(ranges, sections);
	for (uint32_t i = 0; !r && i < sizeof(plain) / sizeof(plain[0]); i++) {
		const Elf64_Shdr *header = sections_header(sections, plain[i]);

		if (header)
			r = add(ranges, sections, KNOWN_CODE_PLT, header->sh_addr, header->sh_size,
				0);
	}
	return r;
}

static struct tm_rule call_rule(enum tm_rule_cfa cfa, int32_t offset, uint32_t pushed)
{
	return (struct tm_rule){.cfa = (uint8_t)cfa,
				.cfa_offset = offset,
				.cfa_add = (uint8_t)pushed,
				.ra = TM_SAVED_CFA,
				.ra_offset = X86_64_CALL_RA,
				.fp = TM_SAVED_SAME};
}

int known_code_write(struct table_writer *writer, const struct code_range *range, uint64_t limit)
{
	struct tm_rule rule;
	int r;

	switch (range->index) {
	case KNOWN_CODE_ENTRY_POINT:
		rule = (struct tm_rule){.cfa = TM_CFA_END};
		break;
	case KNOWN_CODE_PLT_HEAD:
		rule = call_rule(TM_CFA_SP, 2 * X86_64_WORD, 0);
		r = table_writer_put(writer, range->start, &rule);
		if (r || limit <= PLT_HEAD_JUMP)
			return r;
		rule = call_rule(TM_CFA_SP, 3 * X86_64_WORD, 0);
		return table_writer_put(writer, range->start + (uint64_t)PLT_HEAD_JUMP, &rule);
	case KNOWN_CODE_PLT_LAZY:
		rule = call_rule(TM_CFA_PLT, X86_64_WORD, range->cfi_bytes);
		break;
	default:
		rule = call_rule(TM_CFA_SP, X86_64_WORD, 0);
		break;
	}
	return table_writer_put(writer, range->start, &rule);
}

bool known_code_is_sigreturn(const uint8_t *code, uint64_t bytes)
{
	return bytes >= sizeof(sigreturn) && memcmp(code, sigreturn, sizeof(sigreturn)) == 0;
}

/* A handler returns to the first byte, and a return address is looked up one byte before itself. */
static int write_trampolines(struct table_writer *writer, const struct section *code)
{
	const struct tm_rule signal = x86_64_signal_rule(), nothing = {.cfa = TM_CFA_NONE};
	const uint8_t *at = code->bytes, *end = code->bytes + code->size;
	int r = 0;

	while (!r && (at = memmem(at, (size_t)(end - at), sigreturn, sizeof(sigreturn)))) {
		uint64_t offset = code->offset + (uint64_t)(at - code->bytes);

		r = table_writer_put(writer, offset ? offset - 1 : 0, &signal);
		if (!r)
			r = table_writer_put(writer, offset + sizeof(sigreturn), &nothing);
		at += sizeof(sigreturn);
	}
	return r;
}

int known_code_scan(struct table_writer *writer, const struct sections *sections, uint64_t from,
		    uint64_t to, uint64_t *left)
{
	const struct image *image = sections->image;
	int r = 0;

	for (uint32_t i = 0; !r && i < image->segment_count; i++) {
		Elf64_Phdr segment = image->segments[i];
		uint64_t end = segment.p_offset + segment.p_filesz, begin = segment.p_offset;
		struct section code;

		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || end < begin)
			continue;
		begin = begin > from ? begin : from;
		end = end < to ? end : to;
		if (end <= begin || end - begin < sizeof(sigreturn) || end - begin > *left)
			continue;
		*left -= end - begin;
		r = sections_load_at(sections, segment.p_vaddr + (begin - segment.p_offset),
				     end - begin, &code);
		if (!r && code.bytes && code.offset == begin)
			r = write_trampolines(writer, &code);
	}
	return r;
}
