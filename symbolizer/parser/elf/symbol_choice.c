/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_choice - which of a file's symbols names an address
 */

#include "symbolizer/parser/elf/symbol_choice.h"

#include <stdlib.h>
#include <string.h>

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
static int better_alias(const struct symbol_choice_symbol *a, const struct symbol_choice_symbol *b)
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

static int better(const struct symbol_choice_symbol *a, const struct symbol_choice_symbol *b)
{
	if (!b->name)
		return 1;
	return a->start != b->start ? a->start > b->start : better_alias(a, b);
}

/* The first target at or behind @vaddr. */
static uint32_t first_at(const struct symbol_choice *pick, uint64_t vaddr)
{
	uint32_t low = 0, high = pick->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (pick->targets[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A sized symbol that begins nearer than a label stands between it and the target. */
static void offer_label(struct symbol_choice_target *target,
			const struct symbol_choice_symbol *symbol)
{
	const struct symbol_choice_symbol *other = &target->label;

	if (!other->name || symbol->start > other->start ||
	    (symbol->start == other->start && !other->size &&
	     (symbol->size || better_alias(symbol, other))))
		target->label = *symbol;
}

static int reaches(const struct symbol_choice_symbol *label, uint64_t vaddr)
{
	return label->name && !label->size && vaddr >= label->section_start &&
	       vaddr < label->section_end;
}

void symbol_choice_sort(struct symbol_choice *pick)
{
	if (pick->count)
		qsort(pick->targets, pick->count, sizeof(*pick->targets), by_vaddr);
}

void symbol_choice_offer(struct symbol_choice *pick, const struct symbol_choice_symbol *symbol)
{
	uint32_t first = first_at(pick, symbol->start);
	uint64_t end = symbol->start + symbol->size;

	if (first == pick->count || end < symbol->start)
		return;
	offer_label(&pick->targets[first], symbol);
	for (uint32_t i = first; i < pick->count && pick->targets[i].vaddr < end; i++) {
		struct symbol_choice_target *target = &pick->targets[i];

		if (!target->settled && better(symbol, &target->best))
			target->best = *symbol;
	}
}

void symbol_choice_settle(struct symbol_choice *pick)
{
	struct symbol_choice_symbol nearest = {0};

	for (uint32_t i = 0; i < pick->count; i++) {
		struct symbol_choice_target *target = &pick->targets[i];

		if (target->label.name)
			nearest = target->label;
		if (!target->best.name && reaches(&nearest, target->vaddr))
			target->best = nearest;
		target->settled = target->best.name != NULL;
		target->label = (struct symbol_choice_symbol){0};
	}
}
