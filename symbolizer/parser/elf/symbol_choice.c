/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_choice - chooses which of a file's symbols names an address
 */

#include "symbolizer/parser/elf/symbol_choice.h"

#include <stdlib.h>
#include <string.h>

#include "shared/search.h"

static int by_vaddr(const void *left, const void *right)
{
	const struct symbol_choice_target *a = left, *b = right;

	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Whether @a names the address at which both begin better than @b. */
static bool is_better_alias(const struct symbol_choice_symbol *a,
			    const struct symbol_choice_symbol *b)
{
	size_t length_a, length_b;

	if (a->is_function != b->is_function)
		return a->is_function;
	if (a->binding != b->binding)
		return a->binding > b->binding;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name);
	length_a = strlen(a->name);
	length_b = strlen(b->name);
	if (length_a != length_b)
		return length_a > length_b;
	return strcmp(a->name, b->name) < 0;
}

static bool is_better(const struct symbol_choice_symbol *a, const struct symbol_choice_symbol *b)
{
	if (!b->name)
		return true;
	return a->start != b->start ? a->start > b->start : is_better_alias(a, b);
}

static bool is_at_or_behind(const void *targets, uint32_t index, uint64_t vaddr)
{
	return ((const struct symbol_choice_target *)targets)[index].vaddr >= vaddr;
}

/* Keeps the nearest symbol before the target: a sized one ends the reach of a label before it. */
static void offer_label(struct symbol_choice_target *target,
			const struct symbol_choice_symbol *symbol)
{
	const struct symbol_choice_symbol *other = &target->label;

	if (!other->name || symbol->start > other->start ||
	    (symbol->start == other->start && !other->size &&
	     (symbol->size || is_better_alias(symbol, other))))
		target->label = *symbol;
}

static bool reaches(const struct symbol_choice_symbol *label, uint64_t vaddr)
{
	return label->name && !label->size && vaddr >= label->section_start &&
	       vaddr < label->section_end;
}

void symbol_choice_sort(struct symbol_choice *choice)
{
	if (choice->count)
		qsort(choice->targets, choice->count, sizeof(*choice->targets), by_vaddr);
}

void symbol_choice_offer(struct symbol_choice *choice, const struct symbol_choice_symbol *symbol)
{
	uint32_t first =
		search_first(choice->targets, choice->count, symbol->start, is_at_or_behind);
	uint64_t end = symbol->start + symbol->size;

	if (first == choice->count || end < symbol->start)
		return;
	offer_label(&choice->targets[first], symbol);
	for (uint32_t i = first; i < choice->count && choice->targets[i].vaddr < end; i++) {
		struct symbol_choice_target *target = &choice->targets[i];

		if (!target->is_final && is_better(symbol, &target->best))
			target->best = *symbol;
	}
}

void symbol_choice_finish_table(struct symbol_choice *choice)
{
	struct symbol_choice_symbol nearest = {0};

	for (uint32_t i = 0; i < choice->count; i++) {
		struct symbol_choice_target *target = &choice->targets[i];

		if (target->label.name)
			nearest = target->label;
		if (!target->best.name && reaches(&nearest, target->vaddr))
			target->best = nearest;
		target->is_final = target->best.name != NULL;
		target->label = (struct symbol_choice_symbol){0};
	}
}
