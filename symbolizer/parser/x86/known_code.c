/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known_code - code that nobody describes and everybody knows: entry points, PLTs, signal trampolines
 */

#include "symbolizer/parser/x86/known_code.h"

#include <string.h>

#include "symbolizer/parser/elf/segments.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/insn.h"
#include "symbolizer/parser/x86/x86_64.h"

#define PLT_ENTRY      16u
#define PLT_HEAD_JUMP  6u /* the first entry: push, jump; it comes in with the index pushed */
#define PLT_IBT_PUSHED 9u /* endbr64, push: as X86_64_PLT_PUSHED */

enum stub_kind {
	STUB_ENTRY,
	STUB_PLT_HEAD, /* of a lazy PLT */
	STUB_PLT_LAZY, /* span.code_bytes: from which byte of an entry on its index is pushed */
	STUB_PLT,      /* one jump */
};

static const uint8_t trampoline[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

static int add(struct fde_list *frames, const struct sections *sections, enum stub_kind kind,
	       uint64_t vaddr, uint64_t bytes, uint32_t pushed)
{
	const struct span span = {
		.vaddr = vaddr, .source = SPAN_STUB, .cie = kind, .code_bytes = pushed};

	return fde_list_add(frames, sections->image, &span, bytes);
}

/* Clears the frame pointer or hands over the initial stack, which no function does. */
static int is_entry(const struct section *code)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	static const struct {
		uint8_t bytes[3], count;
	} firsts[] = {
		{{0x31, 0xed}, 2},       /* xor %ebp,%ebp */
		{{0x48, 0x31, 0xed}, 3}, /* xor %rbp,%rbp */
		{{0x48, 0x89, 0xe7}, 3}, /* mov %rsp,%rdi */
	};
	const uint8_t *at = code->bytes;

	if (!at || code->size < sizeof(endbr) + sizeof(firsts[0].bytes))
		return 0;
	if (memcmp(at, endbr, sizeof(endbr)) == 0)
		at += sizeof(endbr);
	for (uint32_t i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
		if (memcmp(at, firsts[i].bytes, firsts[i].count) == 0)
			return 1;
	return 0;
}

/* The kernel or an interpreter jumps to its entry point; that of a library may be anything. */
static int is_program(const struct image *image)
{
	if (image->header.e_type == ET_EXEC)
		return 1;
	for (uint32_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_INTERP)
			return 1;
	return 0;
}

/* To the jump, or to the call that does not come back. */
static uint64_t entry_bytes(const struct section *code)
{
	const uint8_t *at = code->bytes, *end = code->bytes + code->size;
	struct insn insn;

	while (at < end && !insn_read(at, end, 0, &insn)) {
		at += insn.bytes;
		if (insn.kind == INSN_STOP || insn.kind == INSN_RET || insn.kind == INSN_JUMP ||
		    insn.kind == INSN_JUMP_INDIRECT ||
		    (insn.kind == INSN_CALL && insn_filling(at, end)))
			break;
	}
	return (uint64_t)(at - code->bytes);
}

static int add_entry(struct fde_list *frames, const struct sections *sections)
{
	uint64_t vaddr = sections->image->header.e_entry;
	struct section code;
	int r;

	r = sections_load_at(sections, vaddr, KNOWN_CODE_ENTRY_BYTES, &code);
	if (r || (!is_program(sections->image) && !is_entry(&code)))
		return r;
	if (!code.bytes)
		return 0;
	fde_list_add_root(frames, vaddr);
	return add(frames, sections, STUB_ENTRY, vaddr, entry_bytes(&code), 0);
}

static int add_lazy(struct fde_list *frames, const struct sections *sections)
{
	struct section plt;
	uint32_t pushed = X86_64_PLT_PUSHED;
	int r;

	r = sections_load(sections, ".plt", &plt);
	if (r || !plt.bytes)
		return r;
	/* That of a static program binds nothing: one jump each, without a first entry. */
	if (plt.size < 2 * PLT_ENTRY || plt.bytes[0] != 0xff || plt.bytes[1] != 0x35)
		return add(frames, sections, STUB_PLT, plt.vaddr, plt.size, 0);
	if (plt.bytes[PLT_ENTRY] == 0xf3) /* endbr64: the jump through the table is in .plt.sec */
		pushed = PLT_IBT_PUSHED;
	r = add(frames, sections, STUB_PLT_HEAD, plt.vaddr, PLT_ENTRY, 0);
	if (r)
		return r;
	return add(frames, sections, STUB_PLT_LAZY, plt.vaddr + PLT_ENTRY, plt.size - PLT_ENTRY,
		   pushed);
}

/* glibc's __start_context, to which the function of a makecontext() returns: its own end is looked up
 * one byte before it. */
static int add_contexts(struct fde_list *frames, const struct sections *sections,
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
		fde_list_add_root(frames, vaddr);
		r = add(frames, sections, STUB_ENTRY, vaddr - 1, 1, 0);
	}
	return r;
}

/* Only in files as small as a C library. */
static int find_contexts(struct fde_list *frames, const struct sections *sections)
{
	const Elf64_Shdr *text = sections_header(sections, ".text");
	struct section code;
	int r;

	if (!text || text->sh_size > KNOWN_CODE_SCAN_MAX)
		return 0;
	r = sections_load_header(sections, text, &code);
	return r || !code.bytes ? r : add_contexts(frames, sections, &code);
}

int known_code_add(struct fde_list *frames, const struct sections *sections)
{
	static const char *const plain[] = {".plt.sec", ".plt.got", ".iplt"};
	int r = add_entry(frames, sections);

	if (!r)
		r = find_contexts(frames, sections);
	if (!r)
		r = add_lazy(frames, sections);
	for (uint32_t i = 0; !r && i < sizeof(plain) / sizeof(plain[0]); i++) {
		const Elf64_Shdr *header = sections_header(sections, plain[i]);

		if (header)
			r = add(frames, sections, STUB_PLT, header->sh_addr, header->sh_size, 0);
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

int known_code_put(struct table_writer *make, const struct span *span, uint64_t limit)
{
	struct tm_rule rule;
	int r;

	switch (span->cie) {
	case STUB_ENTRY:
		rule = (struct tm_rule){.cfa = TM_CFA_END};
		break;
	case STUB_PLT_HEAD:
		rule = call_rule(TM_CFA_SP, 2 * X86_64_WORD, 0);
		r = table_writer_put(make, span->start, &rule);
		if (r || limit <= PLT_HEAD_JUMP)
			return r;
		rule = call_rule(TM_CFA_SP, 3 * X86_64_WORD, 0);
		return table_writer_put(make, span->start + (uint64_t)PLT_HEAD_JUMP, &rule);
	case STUB_PLT_LAZY:
		rule = call_rule(TM_CFA_PLT, X86_64_WORD, span->code_bytes);
		break;
	default:
		rule = call_rule(TM_CFA_SP, X86_64_WORD, 0);
		break;
	}
	return table_writer_put(make, span->start, &rule);
}

struct tm_rule known_code_signal_rule(void)
{
	return (struct tm_rule){.cfa = TM_CFA_DEREF_SP,
				.cfa_offset = X86_64_SIGNAL_SP,
				.ra = TM_SAVED_SP,
				.ra_offset = X86_64_SIGNAL_RA,
				.fp = TM_SAVED_SP,
				.fp_offset = X86_64_SIGNAL_FP,
				.flags = TM_RULE_SIGNAL};
}

int known_code_is_trampoline(const uint8_t *code, uint64_t bytes)
{
	return bytes >= sizeof(trampoline) && memcmp(code, trampoline, sizeof(trampoline)) == 0;
}

/* The kernel returns into the first byte of it, so it is looked up one byte before. */
static int put_trampolines(struct table_writer *make, const struct section *code)
{
	const struct tm_rule signal = known_code_signal_rule(), nothing = {.cfa = TM_CFA_NONE};
	const uint8_t *at = code->bytes, *end = code->bytes + code->size;
	int r = 0;

	while (!r && (at = memmem(at, (size_t)(end - at), trampoline, sizeof(trampoline)))) {
		uint64_t offset = code->offset + (uint64_t)(at - code->bytes);

		r = table_writer_put(make, offset ? offset - 1 : 0, &signal);
		if (!r)
			r = table_writer_put(make, offset + sizeof(trampoline), &nothing);
		at += sizeof(trampoline);
	}
	return r;
}

int known_code_scan(struct table_writer *make, const struct sections *sections, uint64_t from,
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
		if (end <= begin || end - begin < sizeof(trampoline) || end - begin > *left)
			continue;
		*left -= end - begin;
		r = sections_load_at(sections, segment.p_vaddr + (begin - segment.p_offset),
				     end - begin, &code);
		if (!r && code.bytes && code.offset == begin)
			r = put_trampolines(make, &code);
	}
	return r;
}
