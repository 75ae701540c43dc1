/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembly - compares stack heights found by disassembly with call frame information
 *
 * usage: disassembly [--list] FILE...
 * Disassembles all code of each file, although CFI describes it, and compares the height at every
 * instruction with the compiled row. Prints how much code was disassembled and where the two differ
 * (the first SHOWN places; --list: all). Fails if fewer than 99.9 % agree, or if a file has nothing
 * to compare.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/x86/disassembly.h"
#include "tests/oracle/compiled.h"
#include "tests/unit/parser/rule_text.h"

#define SHOWN 10

struct counts {
	uint64_t code_bytes;
	uint64_t functions, rejected;
	uint64_t instructions, described; /* disassembled; of those, with a row */
	uint64_t compared, not_comparable, different;
};

static bool list;

/* Whether both find the caller's frame pointer in the same place. */
static bool same_fp(const struct tm_rule *rule, const struct stack_height *height)
{
	bool is_callers = height->fp_state == STACK_HEIGHT_FP_CALLER;

	switch (rule->fp) {
	case TM_SAVED_SAME:
		return is_callers;
	case TM_SAVED_CFA: /* CFI still names the slot after the register was restored */
		return is_callers || -rule->fp_offset == height->saved_fp;
	default:
		return false;
	}
}

static bool same_rbx(const struct tm_rule *rule, const struct stack_height *height)
{
	if (!height->rbx_words || height->rbx_words == STACK_HEIGHT_RBX_LOST)
		return true;
	return rule->flags & TM_RULE_KEPT && height->rbx_words == rule->cfa_add;
}

enum verdict {
	DIFFERENT,
	SAME,
	NOT_COMPARABLE,
};

static enum verdict compare_height(const struct tm_rule *rule, const struct stack_height *height)
{
	bool same_cfa;

	if (rule->cfa == TM_CFA_END || height->is_outermost)
		return rule->cfa == TM_CFA_END && height->is_outermost ? SAME : DIFFERENT;
	if (rule->cfa == TM_CFA_SP && height->sp)
		same_cfa = rule->cfa_offset == height->sp;
	else if (rule->cfa == TM_CFA_FP && height->fp_state == STACK_HEIGHT_FP_BASE)
		same_cfa = rule->cfa_offset == height->fp;
	else
		return rule->cfa == TM_CFA_FP ? DIFFERENT : NOT_COMPARABLE;
	return same_cfa && rule->ra == TM_SAVED_CFA && rule->ra_offset == -8 &&
			       same_fp(rule, height) && same_rbx(rule, height)
		       ? SAME
		       : DIFFERENT;
}

static void show(const char *path, uint64_t vaddr, const struct tm_rule *rule,
		 const struct stack_height *height)
{
	const struct tm_rule ours = stack_height_rule(height);
	char theirs_text[RULE_TEXT_BYTES], ours_text[RULE_TEXT_BYTES];

	(void)printf("  %s 0x%" PRIx64 ": CFI %s, disassembly %s\n", path, vaddr,
		     rule_text(rule, theirs_text), rule_text(&ours, ours_text));
}

static void compare_instruction(const char *path, uint64_t vaddr, const struct tm_rule *rule,
				const struct stack_height *height, struct counts *counts)
{
	enum verdict verdict;

	counts->instructions++;
	if (!rule || rule->cfa == TM_CFA_NONE)
		return;
	counts->described++;
	verdict = compare_height(rule, height);
	counts->compared += verdict != NOT_COMPARABLE;
	counts->not_comparable += verdict == NOT_COMPARABLE;
	if (verdict == DIFFERENT && (counts->different++ < SHOWN || list))
		show(path, vaddr, rule, height);
}

static void compare_code(const char *path, const struct code_map *map,
			 const struct tm_unwind_table_view *view, struct counts *counts)
{
	for (uint32_t i = 0; i < map->gap_count; i++) {
		const struct code_gap *gap = &map->gaps[i];

		counts->code_bytes += gap->bytes;
		for (uint32_t at = 0; at < gap->bytes; at++) {
			const struct code_cell *cell = &map->cells[gap->cell + at];

			if (cell->function && cell->is_instruction)
				compare_instruction(path, gap->vaddr + at,
						    tm_unwind_table_find(view, gap->offset + at),
						    &map->heights.list[cell->height], counts);
		}
	}
	for (uint32_t i = 0; i < map->function_count; i++)
		counts->rejected += map->functions[i].rejected;
	counts->functions = map->function_count;
}

static int disassemble(const char *path, const struct image_source *source,
		       const struct tm_unwind_table_view *view, struct counts *counts)
{
	struct image image;
	struct sections sections;
	struct code_map map;
	int r = image_open(&image, source);

	if (!r)
		r = sections_open(&sections, &image, source);
	code_map_open(&map, &sections);
	if (!r)
		r = code_map_add(&map, 0, UINT32_MAX);
	if (!r)
		r = disassembly_run(&map);
	if (!r)
		compare_code(path, &map, view, counts);
	code_map_close(&map);
	image_close(&image);
	return r;
}

/* Return: whether enough of the file agrees. */
static bool check(const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct counts counts = {0};
	struct image_source source;
	struct compiled compiled;
	struct input input;
	int r;

	if (fd < 0 || input_open_file(&input, fd, &source) || compiled_open(&compiled, fd))
		return false;
	r = disassemble(path, &source, &compiled.view, &counts);
	compiled_close(&compiled);
	(void)printf(
		"%s: %" PRIu64 " bytes of code, %" PRIu64 " functions (%" PRIu64
		" rejected); %" PRIu64 " instructions, %" PRIu64 " with a row, %" PRIu64
		" not comparable, %" PRIu64 " compared, %" PRIu64 " different: %.4f %% agree\n",
		path, counts.code_bytes, counts.functions, counts.rejected, counts.instructions,
		counts.described, counts.not_comparable, counts.compared, counts.different,
		counts.compared ? 100.0 - 100.0 * (double)counts.different / (double)counts.compared
				: 0.0);
	return !r && counts.compared && counts.different * 1000 <= counts.compared;
}

int main(int argc, char **argv)
{
	bool good = true;
	int first = 1;

	if (argc > 1 && strcmp(argv[1], "--list") == 0) {
		list = true;
		first++;
	}
	for (int i = first; i < argc; i++)
		good &= check(argv[i]);
	return !good || first >= argc;
}
