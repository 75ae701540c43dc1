/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind_table - finds the rule for a place in code, in the unwind table of the file
 *
 * Layout     shared/unwind_map.h.
 * Verifier   searches have a fixed number of steps and no branch: a step adds its width or
 *            nothing, by a mask made of the sign of a difference. The values in the unused part of
 *            a unit keep a search inside the used part; in a malformed table the masks keep it
 *            inside the unit.
 */

#include "bpf/nesting.bpf.h"

#define UNWIND_TABLE_INDEX (TM_UNWIND_TABLE_PAGE - 1)

/* All ones where value <= key, else 0. Both are below 2^32. */
static __always_inline __u64 unwind_table_reached(__u64 value, __u64 key)
{
	__u64 mask = (__u64)((__s64)(value - key - 1) >> 63);

	kread_opaque(mask);
	return mask;
}

/*
 * Masked where it is used: otherwise the compiler drops a mask for bounds that it can prove, and
 * the verifier of an old kernel cannot.
 */
static __always_inline __u64 unwind_table_index(__u64 at)
{
	kread_opaque(at);
	return at & UNWIND_TABLE_INDEX;
}

static __always_inline const void *unwind_table_unit(__u32 number)
{
	__u32 chunk = number / TM_UNWIND_UNITS_CHUNK, at = number % TM_UNWIND_UNITS_CHUNK;
	void *units = bpf_map_lookup_elem(&unwind_chunks, &chunk);

	return units ? bpf_map_lookup_elem(units, &at) : NULL;
}

/* The last of the first 2 * @step starts that is not above the key; 0 if all are above. */
static __always_inline __u64 unwind_table_among_starts(const __u32 *starts, __u64 key, __u64 step)
{
	__u64 at = 0;

#pragma unroll
	for (int i = 0; i < TM_UNWIND_TABLE_PAGE_STEPS; i++, step /= 2)
		if (step)
			at += step &
			      unwind_table_reached(starts[unwind_table_index(at + step)], key);
	return unwind_table_index(at);
}

static __always_inline __u64 unwind_table_in_page(const struct tm_unwind_table_page *page,
						  __u64 distance)
{
	__u64 at = 0;

#pragma unroll
	for (__u64 step = TM_UNWIND_TABLE_PAGE / 2; step; step /= 2)
		at += step &
		      unwind_table_reached(page->offsets[unwind_table_index(at + step)], distance);
	return unwind_table_index(at);
}

/* Return: the rule, or NULL if the table has none for this offset. */
static __always_inline const struct tm_rule *unwind_table_find(__u64 table, __u64 offset)
{
	__u32 unit = TM_UNWIND_MAP_FIRST(table), starts_units = TM_UNWIND_MAP_STARTS(table);
	const struct tm_unwind_table_page *page;
	const struct tm_rule *rules;
	const __u32 *starts;
	__u64 which = 0, at, start;

	if (offset >= TM_UNWIND_UNIT_SPARE)
		return NULL;
	if (starts_units > 1) {
		starts = unwind_table_unit(unit++);
		if (!starts)
			return NULL;
		which = unwind_table_among_starts(starts, offset,
						  1u << (TM_UNWIND_MAP_TOP_STEPS - 1));
	}
	starts = unwind_table_unit(unit + (__u32)which);
	if (!starts)
		return NULL;
	at = unwind_table_among_starts(starts, offset, TM_UNWIND_UNIT_STARTS / 2);
	start = starts[at];
	if (offset < start)
		return NULL;
	unit += starts_units;
	page = unwind_table_unit(unit + TM_UNWIND_MAP_RULES(table) +
				 (__u32)which * TM_UNWIND_UNIT_STARTS + (__u32)at);
	if (!page)
		return NULL;
	at = page->rules[unwind_table_in_page(page, offset - start)];
	rules = unwind_table_unit(unit + (__u32)at / TM_UNWIND_UNIT_RULES);
	return rules ? &rules[at % TM_UNWIND_UNIT_RULES] : NULL;
}

/* What the file has of a runtime. */
static __always_inline const struct tm_runtime *unwind_table_runtime(__u64 table)
{
	return unwind_table_unit(TM_UNWIND_MAP_FIRST(table) + (__u32)TM_UNWIND_MAP_UNITS(table) -
				 1);
}

static __always_inline bool unwind_table_in_loop(__u64 table, __u64 offset)
{
	const struct tm_runtime *runtime = unwind_table_runtime(table);
	__u64 inside = 0;

	if (!runtime)
		return false;
#pragma unroll
	for (__u32 i = 0; i < TM_RUNTIME_LOOPS_MAX; i++)
		inside |= unwind_table_reached(runtime->loops[i].start, offset) &
			  ~unwind_table_reached(runtime->loops[i].end, offset);
	return inside != 0;
}

static __always_inline __u16 *unwind_table_place(struct scratch *s)
{
	__u64 at = (s->walk.frame * 0x9e3779b97f4a7c15ull) >> 32;

	return &s->rule_cache.places[at & (RULE_CACHE_PLACES - 1)];
}

static __always_inline bool unwind_table_is_at(const struct scratch *s, __u32 at, __u32 generation)
{
	const struct rule_cache_entry *entry =
		&s->rule_cache.entries[at & (RULE_CACHE_ENTRIES - 1)];

	return entry->frame == s->walk.frame && entry->generation == generation;
}

/* Looks up the rule of the current frame, for an entry of the cache. */
static __always_inline void unwind_table_fill(struct scratch *s, __u32 at, __u32 generation)
{
	struct rule_cache_entry *entry = &s->rule_cache.entries[at & (RULE_CACHE_ENTRIES - 1)];
	__u64 offset = s->walk.frame & TM_FRAME_OFFSET_MAX;
	const struct tm_rule *rule = unwind_table_find(s->walk.table, offset);

	entry->frame = s->walk.frame;
	entry->generation = generation;
	entry->in_loop = s->walk.table & TM_UNWIND_MAP_RUNTIME &&
			 unwind_table_in_loop(s->walk.table, offset);
	if (rule)
		entry->rule = *rule;
	else
		entry->rule.cfa = TM_CFA_NONE;
}

/* Makes the entry of the current frame the last one. A function of its own, so that the walk has
 * few registers to save on the BPF stack of Linux 5.10. */
__noinline int unwind_table_seek(__u32 level, __u32 generation)
{
	struct scratch *s = nesting_scratch(level);
	__u32 at;

	if (!s)
		return 0;
	at = *unwind_table_place(s);
	if (!unwind_table_is_at(s, at, generation)) {
		at = s->rule_cache.used++;
		*unwind_table_place(s) = (__u16)at;
		unwind_table_fill(s, at, generation);
	}
	s->rule_cache.last = at;
	return 0;
}

/* The rule of the current frame, from this level's cache if it was looked up before: behind the
 * last one, or in a recursion the last one once more. */
static __always_inline const struct tm_rule *unwind_table_rule(struct scratch *s, __u32 level,
							       __u32 generation)
{
	struct rule_cache_entry *entry;
	__u32 at = s->rule_cache.last;

	if (!unwind_table_is_at(s, at, generation)) {
		if (unwind_table_is_at(s, at + 1, generation))
			s->rule_cache.last = at + 1;
		else
			unwind_table_seek(level, generation);
	}
	entry = &s->rule_cache.entries[s->rule_cache.last & (RULE_CACHE_ENTRIES - 1)];
	s->walk.in_loop = entry->in_loop;
	return &entry->rule;
}
