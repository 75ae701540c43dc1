/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heights - what reading instructions says of code that call frame information describes too
 *
 * usage: heights [--list] FILE...
 * Reads each file's code as if nobody described it and holds every instruction's height against the
 * compiled row. Prints how much code it claims and where the two differ (the first SHOWN places;
 * --list: all). Fails below 99.9 %, or when a file has nothing to compare.
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
#include "tests/unit/parser/say.h"

#define SHOWN 10

struct counts {
	uint64_t code, claimed, described, checked, open,
		different; /* all but `code` in instructions */
	uint64_t functions, bad;
};

static int list;

/* Whether @rule says of the caller's frame pointer what @height does. */
static int same_fp(const struct tm_rule *rule, const struct stack_height *height)
{
	int is_callers = height->fp_is == STACK_HEIGHT_FP_CALLERS;

	switch (rule->fp) {
	case TM_SAVED_SAME:
		return is_callers;
	case TM_SAVED_CFA: /* compilers leave the slot named when the register has its value again */
		return is_callers || -rule->fp_offset == height->saved;
	default:
		return 0;
	}
}

static int same_kept(const struct tm_rule *rule, const struct stack_height *height)
{
	if (!height->kept || height->kept == STACK_HEIGHT_KEPT_LOST)
		return 1;
	return rule->flags & TM_RULE_KEPT && height->kept == rule->cfa_add;
}

/* Return: 1 the same, 0 different, -1 not to be compared. */
static int same(const struct tm_rule *rule, const struct stack_height *height)
{
	int same_cfa;

	if (rule->cfa == TM_CFA_END || height->is_end)
		return rule->cfa == TM_CFA_END && height->is_end;
	if (rule->cfa == TM_CFA_SP && height->sp)
		same_cfa = rule->cfa_offset == height->sp;
	else if (rule->cfa == TM_CFA_FP && height->fp_is == STACK_HEIGHT_FP_BASE)
		same_cfa = rule->cfa_offset == height->fp;
	else
		return rule->cfa == TM_CFA_FP ? 0 : -1;
	return same_cfa && rule->ra == TM_SAVED_CFA && rule->ra_offset == -8 &&
	       same_fp(rule, height) && same_kept(rule, height);
}

static void show(const char *path, uint64_t vaddr, const struct tm_rule *rule,
		 const struct stack_height *height)
{
	const struct tm_rule ours = stack_height_rule(height);
	char theirs_text[SAY_BYTES], ours_text[SAY_BYTES];

	(void)printf("  %s 0x%" PRIx64 ": described %s, read %s\n", path, vaddr,
		     say_rule(rule, theirs_text), say_rule(&ours, ours_text));
}

static void compare(const char *path, const struct disassembly *heights,
		    const struct tm_unwind_table_view *view, struct counts *counts)
{
	for (uint32_t i = 0; i < heights->gap_count; i++) {
		const struct disassembly_gap *gap = &heights->gaps[i];

		counts->code += gap->bytes;
		for (uint32_t at = 0; at < gap->bytes; at++) {
			const struct disassembly_cell *cell = &heights->cells[gap->cell + at];
			const struct stack_height *height = &heights->states.list[cell->state];
			const struct tm_rule *rule;
			int equal;

			if (!cell->owner || !cell->is_head)
				continue;
			counts->claimed++;
			rule = tm_unwind_table_find(view, gap->offset + at);
			if (!rule || rule->cfa == TM_CFA_NONE)
				continue;
			counts->described++;
			equal = same(rule, height);
			counts->checked += equal >= 0;
			counts->open += equal < 0;
			if (!equal && (counts->different++ < SHOWN || list))
				show(path, gap->vaddr + at, rule, height);
		}
	}
	for (uint32_t i = 0; i < heights->start_count; i++)
		counts->bad += heights->starts[i].bad;
	counts->functions = heights->start_count;
}

static int read_file(const char *path, const struct image_source *source,
		     const struct tm_unwind_table_view *view, struct counts *counts)
{
	struct image image;
	struct sections sections;
	struct disassembly heights;
	int r = image_open(&image, source);

	if (!r)
		r = sections_open(&sections, &image, source);
	disassembly_open(&heights, &sections);
	if (!r)
		r = disassembly_add(&heights, 0, UINT32_MAX);
	if (!r)
		r = disassembly_read(&heights);
	if (!r)
		compare(path, &heights, view, counts);
	disassembly_close(&heights);
	image_close(&image);
	return r;
}

/* Return: whether it is as it must be. */
static int check(const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct counts counts = {0};
	struct image_source source;
	struct compiled compiled;
	struct input target;
	int r;

	if (fd < 0 || input_open_file(&target, fd, &source) || compiled_open(&compiled, fd))
		return 0;
	r = read_file(path, &source, &compiled.view, &counts);
	compiled_close(&compiled);
	(void)printf("%s: %" PRIu64 " bytes of code, %" PRIu64 " functions (%" PRIu64
		     " not understood); %" PRIu64 " instructions claimed, %" PRIu64
		     " described, %" PRIu64 " not comparable, %" PRIu64 " compared, %" PRIu64
		     " different: %.4f %% agree\n",
		     path, counts.code, counts.functions, counts.bad, counts.claimed,
		     counts.described, counts.open, counts.checked, counts.different,
		     counts.checked
			     ? 100.0 - 100.0 * (double)counts.different / (double)counts.checked
			     : 0.0);
	return !r && counts.checked && counts.different * 1000 <= counts.checked;
}

int main(int argc, char **argv)
{
	int first = 1, good = 1;

	if (argc > 1 && strcmp(argv[1], "--list") == 0)
		list = first++;
	for (int i = first; i < argc; i++)
		good &= check(argv[i]);
	return !good || first >= argc;
}
