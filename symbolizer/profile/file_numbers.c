/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_numbers - what is known of each file number
 */

#include "symbolizer/profile/file_numbers.h"

/* Another one for each number. */
static uint32_t hash_of(uint32_t number)
{
	return number * 0x9e3779b1u;
}

void file_numbers_init(struct file_numbers *numbers, struct budget *budget)
{
	*numbers = (struct file_numbers){.lookup.budget = budget, .budget = budget};
}

void file_numbers_deinit(struct file_numbers *numbers)
{
	hash_index_deinit(&numbers->lookup);
	budget_drop(numbers->budget, &numbers->items, &numbers->capacity, sizeof(*numbers->items));
	numbers->count = numbers->first_free = 0;
}

struct file_number *file_numbers_find(const struct file_numbers *numbers, uint32_t number)
{
	struct hash_index_walk walk = hash_index_start(hash_of(number));
	uint32_t at = hash_index_next(&numbers->lookup, &walk);

	return at == HASH_INDEX_NONE ? NULL : &numbers->items[at];
}

struct file_number *file_numbers_get(struct file_numbers *numbers, uint32_t number)
{
	struct file_number *entry = file_numbers_find(numbers, number);
	uint32_t at;

	if (entry)
		return entry;
	if (!numbers->first_free) {
		if (budget_grow(numbers->budget, &numbers->items, &numbers->capacity,
				numbers->count + 1, sizeof(*numbers->items)))
			return NULL;
		numbers->first_free = ++numbers->count;
	}
	at = numbers->first_free - 1;
	if (hash_index_add(&numbers->lookup, hash_of(number), at))
		return NULL;
	entry = &numbers->items[at];
	numbers->first_free = entry->next_free;
	*entry = (struct file_number){.number = number, .used = true};
	return entry;
}

static bool is_over(const struct file_numbers *numbers, const struct file_number *entry)
{
	return entry->used && !entry->file && !entry->early && !entry->table_wanted &&
	       numbers->retired_ktime - entry->retired_ktime > FILE_NUMBERS_KEPT_NS;
}

void file_numbers_forget(struct file_numbers *numbers)
{
	for (uint32_t at = 0; at < numbers->count; at++) {
		struct file_number *entry = &numbers->items[at];

		if (!is_over(numbers, entry))
			continue;
		hash_index_remove(&numbers->lookup, hash_of(entry->number), at);
		*entry = (struct file_number){.next_free = numbers->first_free};
		numbers->first_free = at + 1;
	}
}
