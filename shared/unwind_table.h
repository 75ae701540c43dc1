/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once
/*
 * unwind_table - how to step from a frame to its caller, for each place of one file's code
 *
 * Shape      header | first offset of each page, u32[pages], padded to 8 | the distinct rules | pages.
 *            A row is an offset and a rule: it holds from its offset to that of the next row. A page has
 *            TM_UNWIND_TABLE_PAGE rows: 16-bit distances from the page's first offset, then 16-bit indices into
 *            the rules; so a page is as large as any other, can be copied and reused as it is, and two
 *            binary searches of fixed length find a row (pages, then TM_UNWIND_TABLE_PAGE_STEPS within).
 * Padding    a page with fewer rows repeats TM_UNWIND_TABLE_PAD with the rule of its last row, so that a search
 *            needs no count. Before the first row there is no rule.
 * Units      offsets: bytes in the file, as in TM_FRAME_FILE (in the vDSO's image for the vDSO). A
 *            return address is looked up at its value less one, an interrupted one as it is.
 * Registers  sp, fp and ra are the machine's stack pointer, frame pointer and return address; any other
 *            is its DWARF number and has its value only in an interrupted (not calling) frame. But
 *            TM_UNWIND_TABLE_KEPT: callers' is known as long as each frame below says where it saved it, since
 *            ld.so keeps its CFA there while it binds a function.
 * Invariant  page starts rise; distances rise up to the padding, the first is 0; no page ends beyond the
 *            next one's start; every index is below `rules`; every rule has known kinds.
 * Trust      made by the parser from a hostile file, so taken for hostile: tm_unwind_table_check() reads each
 *            byte once, in order; what passes can send a step nowhere but to user memory.
 * Limits     offsets below 4 GiB; TM_UNWIND_TABLE_PAGES_MAX, TM_UNWIND_TABLE_RULES_MAX; what is beyond has no rows and is
 *            said (TM_UNWIND_TABLE_CUT).
 * Errors     -EBADMSG: not such a table.
 */

#include <stddef.h>
#include <stdint.h>

#define TM_UNWIND_TABLE_MAGIC      0x31574d54u /* "TMW1"; the version is in it */
#define TM_UNWIND_TABLE_PAGE       256u        /* rows of a page, a power of two */
#define TM_UNWIND_TABLE_PAGE_STEPS 8           /* its logarithm */
#define TM_UNWIND_TABLE_PAD        0xffffu
#define TM_UNWIND_TABLE_PAGES_MAX  (1u << 15) /* eight million rows */
#define TM_UNWIND_TABLE_RULES_MAX  (1u << 16)
#define TM_UNWIND_TABLE_REGISTERS  128u
#define TM_UNWIND_TABLE_KEPT       3u /* rbx */

/* tm_rows.flags */
#define TM_UNWIND_TABLE_CUT (1u << 0) /* a limit was met: some code is without rows */

struct tm_unwind_table {
	uint32_t magic;
	uint32_t pages;
	uint32_t rules;
	uint32_t rows; /* without padding */
	uint32_t flags;
	uint32_t frames; /* functions that the file describes */
	uint32_t
		refused; /* of those, in whole or in part not understood: there are no rules there */
	uint32_t pad;
};

struct tm_unwind_table_page {
	uint16_t offsets[TM_UNWIND_TABLE_PAGE];
	uint16_t rules[TM_UNWIND_TABLE_PAGE];
};

/* The canonical frame address: the caller's stack pointer, unless TM_RULE_SP_LOST. */
enum tm_rule_cfa {
	TM_CFA_NONE = 0,       /* nothing known: by frame pointer, if at all */
	TM_CFA_END,            /* the outermost frame: it has no caller */
	TM_CFA_SP,             /* sp + cfa_offset */
	TM_CFA_FP,             /* fp + cfa_offset */
	TM_CFA_REGISTER,       /* register `base` + cfa_offset */
	TM_CFA_DEREF_SP,       /* *(sp + cfa_offset) + cfa_add */
	TM_CFA_DEREF_FP,       /* *(fp + cfa_offset) + cfa_add */
	TM_CFA_DEREF_REGISTER, /* *(base + cfa_offset) + cfa_add */
	TM_CFA_DEREF_INDEXED,  /* *(sp + 8 * register `base` + cfa_offset) + cfa_add */
	TM_CFA_PLT,            /* sp + cfa_offset, 8 more where (pc & 15) >= cfa_add */
	TM_CFA_N,
};

/* Where the caller's value of fp or ra is. */
enum tm_rule_saved {
	TM_SAVED_NOWHERE = 0, /* lost; never so for ra but with TM_CFA_NONE and TM_CFA_END */
	TM_SAVED_SAME,        /* still in its register */
	TM_SAVED_CFA,         /* *(cfa + offset) */
	TM_SAVED_SP,          /* *(sp + offset) */
	TM_SAVED_FP,          /* *(fp + offset) */
	TM_SAVED_REGISTER,    /* in the register whose number is `offset` */
	TM_SAVED_N,
};

/* tm_rule.flags */
#define TM_RULE_SIGNAL \
	(1u << 0) /* the caller was interrupted: its address is exact, all registers are */
/* The caller's sp is not the cfa: good for its address alone. With TM_CFA_END: it is the outermost frame
 * once it has called; interrupted, nobody knows on which stack it is. */
#define TM_RULE_SP_LOST (1u << 1)
#define TM_RULE_KEPT \
	(1u << 2) /* the caller's TM_UNWIND_TABLE_KEPT is at cfa - 8 * cfa_add; SP and FP only */
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

/* The parts of a table that was checked. */
struct tm_unwind_table_view {
	const struct tm_unwind_table *header;
	const uint32_t *starts;
	const struct tm_rule *rules;
	const struct tm_unwind_table_page *pages;
};

/* Bytes of a table; never overflows within the limits. */
uint64_t tm_unwind_table_bytes(uint32_t pages, uint32_t rules);
#define TM_UNWIND_TABLE_BYTES_MAX                                            \
	(sizeof(struct tm_unwind_table) + TM_UNWIND_TABLE_PAGES_MAX * 4ull + \
	 TM_UNWIND_TABLE_RULES_MAX * (uint64_t)sizeof(struct tm_rule) +      \
	 TM_UNWIND_TABLE_PAGES_MAX * (uint64_t)sizeof(struct tm_unwind_table_page))

/* @blob: aligned to 8, must not change any more. Return: 0, -EBADMSG. */
int tm_unwind_table_check(struct tm_unwind_table_view *view, const void *blob, size_t bytes);
/* The rule at a file offset; NULL: none. */
const struct tm_rule *tm_unwind_table_find(const struct tm_unwind_table_view *view,
					   uint64_t offset);
