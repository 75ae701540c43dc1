/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * unwind_table - one file's unwind table: for each code offset the rule that finds the caller
 *
 * Shape      header | first offset of each page, u32[pages], padded to 8 | the distinct rules |
 *            pages | struct tm_runtime, padded with zeroes to the size of a page, if there is one.
 *            A row is an offset and a rule, which applies up to the offset of the next row.
 *            A page has TM_UNWIND_TABLE_PAGE rows: 16-bit distances from the page's first offset,
 *            then 16-bit indices of rules. All pages have the same size, so that they can be copied
 *            unchanged and two binary searches of fixed length find a row (pages, then
 *            TM_UNWIND_TABLE_PAGE_STEPS within one).
 * Padding    a page with fewer rows repeats TM_UNWIND_TABLE_PAD with the rule of its last row, so
 *            that a search needs no count. An offset before the first row has no rule.
 * Units      offsets: bytes in the file, as in TM_FRAME_FILE (for the vDSO: in its image). A return
 *            address is looked up at its value less one, an interrupted pc unchanged.
 * Registers  sp, fp and ra are stack pointer, frame pointer and return address; others go by their
 *            DWARF number, and their value is known in an interrupted frame only. The exception is
 *            TM_UNWIND_TABLE_KEPT: a caller's value is known as long as each frame below says where
 *            it saved it. ld.so needs that: it keeps its CFA there while it binds a function.
 * Invariant  page starts rise; distances rise up to the padding, the first is 0; no page ends
 *            beyond the next one's start; every index is below `rules`; every rule has known kinds.
 * Trust      made by the parser from a hostile file. tm_unwind_table_check() reads each byte once,
 *            in order; a table that passes can make the unwinder read the sampled thread's stack,
 *            and nothing else (bpf/stack_bounds.bpf.h).
 * Limits     offsets below 4 GiB, TM_UNWIND_TABLE_PAGES_MAX, TM_UNWIND_TABLE_RULES_MAX; code beyond
 *            a limit has no rows, and TM_UNWIND_TABLE_CUT is set.
 * Errors     -EBADMSG: not a valid table.
 * Source     System V ABI, AMD64, 3.6.2 (DWARF register numbers); DWARF 5, 6.4.1 (kinds of rules).
 */

#include <stddef.h>
#include <stdint.h>

struct tm_runtime; /* shared/runtime.h */

#define TM_UNWIND_TABLE_MAGIC      0x32574d54u /* "TMW2"; the version is in it */
#define TM_UNWIND_TABLE_PAGE       256u        /* rows of a page, a power of two */
#define TM_UNWIND_TABLE_PAGE_STEPS 8           /* log2 of it */
#define TM_UNWIND_TABLE_PAD        0xffffu
#define TM_UNWIND_TABLE_PAGES_MAX  (1u << 15) /* eight million rows */
#define TM_UNWIND_TABLE_RULES_MAX  (1u << 16)
#define TM_UNWIND_TABLE_REGISTERS  128u
#define TM_UNWIND_TABLE_KEPT       3u /* rbx */
#define TM_UNWIND_TABLE_INDEX      9u /* r9: the only one of TM_CFA_DEREF_INDEXED */

/* tm_unwind_table.flags */
#define TM_UNWIND_TABLE_CUT     (1u << 0) /* a limit was reached: some code has no rows */
#define TM_UNWIND_TABLE_RUNTIME (1u << 1) /* there is a struct tm_runtime; not without pages */
#define TM_UNWIND_TABLE_FLAGS   (TM_UNWIND_TABLE_CUT | TM_UNWIND_TABLE_RUNTIME)

struct tm_unwind_table {
	uint32_t magic;
	uint32_t pages;
	uint32_t rules;
	uint32_t rows; /* without padding */
	uint32_t flags;
	uint32_t frames;  /* functions that the file describes */
	uint32_t refused; /* of those, not understood at least in part: no rules there */
	uint32_t pad;
};

struct tm_unwind_table_page {
	uint16_t offsets[TM_UNWIND_TABLE_PAGE];
	uint16_t rules[TM_UNWIND_TABLE_PAGE];
};

/* The canonical frame address: the caller's stack pointer, unless TM_RULE_SP_LOST. */
enum tm_rule_cfa {
	TM_CFA_NONE = 0,       /* unknown: only the frame pointer can help */
	TM_CFA_END,            /* the outermost frame: it has no caller */
	TM_CFA_SP,             /* sp + cfa_offset */
	TM_CFA_FP,             /* fp + cfa_offset */
	TM_CFA_REGISTER,       /* register `base` + cfa_offset */
	TM_CFA_DEREF_SP,       /* *(sp + cfa_offset) + cfa_add */
	TM_CFA_DEREF_FP,       /* *(fp + cfa_offset) + cfa_add */
	TM_CFA_DEREF_REGISTER, /* *(base + cfa_offset) + cfa_add */
	TM_CFA_DEREF_INDEXED,  /* *(sp + 8 * r9 + 8) + 8: `base`, cfa_offset and cfa_add say so */
	TM_CFA_PLT,            /* sp + cfa_offset, 8 more where (pc & 15) >= cfa_add */
	TM_CFA_N,
};

/* Where the caller's value of fp or ra is. */
enum tm_rule_saved {
	TM_SAVED_NOWHERE = 0, /* lost; for ra only with TM_CFA_NONE and TM_CFA_END */
	TM_SAVED_SAME,        /* still in its register */
	TM_SAVED_CFA,         /* *(cfa + offset) */
	TM_SAVED_SP,          /* *(sp + offset) */
	TM_SAVED_FP,          /* *(fp + offset) */
	TM_SAVED_REGISTER,    /* in the register whose number is `offset` */
	TM_SAVED_N,
};

/* tm_rule.flags */
/* The caller was interrupted by a signal: its pc and all its registers are exact. The rule is
 * *(sp + 160), ra at sp + 168, fp at sp + 120, and the code calls rt_sigreturn: others stop. */
#define TM_RULE_SIGNAL (1u << 0)
/* The caller's sp is not the CFA: the rule yields the caller's address and nothing more. With
 * TM_CFA_END: outermost only after it has called; when interrupted, its stack is unknown. */
#define TM_RULE_SP_LOST (1u << 1)
/* The caller's TM_UNWIND_TABLE_KEPT is at cfa - 8 * cfa_add; TM_CFA_SP and TM_CFA_FP only. */
#define TM_RULE_KEPT  (1u << 2)
#define TM_RULE_FLAGS (TM_RULE_SIGNAL | TM_RULE_SP_LOST | TM_RULE_KEPT)

struct tm_rule {
	uint8_t cfa;   /* enum tm_rule_cfa */
	uint8_t ra;    /* enum tm_rule_saved */
	uint8_t fp;    /* enum tm_rule_saved */
	uint8_t flags; /* TM_RULE_* */
	int32_t cfa_offset;
	int32_t fp_offset;
	int16_t ra_offset;
	uint8_t cfa_add;
	uint8_t base; /* a DWARF register number */
};

_Static_assert(sizeof(struct tm_unwind_table) == 32, "layout");
_Static_assert(sizeof(struct tm_rule) == 16, "layout");
_Static_assert(sizeof(struct tm_unwind_table_page) == 4 * TM_UNWIND_TABLE_PAGE, "four bytes a row");
_Static_assert(1u << TM_UNWIND_TABLE_PAGE_STEPS == TM_UNWIND_TABLE_PAGE,
	       "a search of fixed length");

/* The parts of a checked table; points into it. */
struct tm_unwind_table_view {
	const struct tm_unwind_table *header;
	const uint32_t *starts;
	const struct tm_rule *rules;
	const struct tm_unwind_table_page *pages;
	const struct tm_runtime *runtime; /* NULL: none; nothing privileged reads it */
};

/* Return: bytes of a table, but those of a runtime; does not overflow within the limits. */
uint64_t tm_unwind_table_bytes(uint32_t pages, uint32_t rules);
#define TM_UNWIND_TABLE_BYTES_MAX                                            \
	(sizeof(struct tm_unwind_table) + TM_UNWIND_TABLE_PAGES_MAX * 4ull + \
	 TM_UNWIND_TABLE_RULES_MAX * (uint64_t)sizeof(struct tm_rule) +      \
	 (TM_UNWIND_TABLE_PAGES_MAX + 1) * (uint64_t)sizeof(struct tm_unwind_table_page))
#define TM_UNWIND_TABLE_RUNTIME_BYTES sizeof(struct tm_unwind_table_page)

/* @blob: aligned to 8 and no longer changing; must outlive *view. Return: 0, -EBADMSG. */
int tm_unwind_table_check(struct tm_unwind_table_view *view, const void *blob, size_t bytes);
/* Return: the rule of an offset; NULL: none. */
const struct tm_rule *tm_unwind_table_find(const struct tm_unwind_table_view *view,
					   uint64_t offset);
