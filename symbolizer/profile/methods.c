/* SPDX-License-Identifier: Apache-2.0 */
/*
 * methods - the functions of language runtimes, by the method numbers of frames
 */

#include "symbolizer/profile/methods.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(uint64_t number)
{
	return (uint32_t)((number * 0x9e3779b97f4a7c15ull) >> 32);
}

/* Return: an index, HASH_INDEX_NONE. */
static uint32_t find(const struct methods *methods, uint64_t number)
{
	struct hash_index_walk walk = hash_index_start(hash_of(number));
	uint32_t index;

	while ((index = hash_index_next(&methods->lookup, &walk)) != HASH_INDEX_NONE)
		if (methods->items[index].number == number)
			break;
	return index;
}

/* Return: a new entry; NULL, which is counted. */
static struct method *add(struct methods *methods, uint64_t number, uint8_t owner)
{
	uint32_t index;

	methods->full++; /* unless */
	if (!methods->first_free) {
		if (methods->count >= METHODS_MAX ||
		    budget_grow(methods->budget, &methods->items, &methods->capacity,
				methods->count + 1, sizeof(*methods->items)))
			return NULL;
		methods->first_free = ++methods->count;
	}
	index = methods->first_free - 1;
	if (hash_index_add(&methods->lookup, hash_of(number), index))
		return NULL;
	methods->full--;
	methods->first_free = methods->items[index].next_free;
	methods->items[index] = (struct method){.number = number, .owner = owner, .used = true};
	methods->live++;
	methods->owner_entries[owner]++;
	methods->owner_bytes[owner] += sizeof(*methods->items);
	return &methods->items[index];
}

/* Whose the process of @event is, by a keyed hash; 0: not known. */
static uint8_t owner_of(const struct methods *methods, const struct tm_event *event)
{
	const struct tm_process_key key = {event->tgid, event->exec_id, event->start_boottime};
	const struct process *process =
		methods->processes ? process_of_key(methods->processes, &key) : NULL;
	const char *name = process ? methods->processes->strings->items[process->owner] : NULL;

	if (!name)
		return 0;
	return (uint8_t)((hash_bytes(methods->processes->strings->seed, name, strlen(name)) ^
			  (process->euid == 0)) %
			 METHODS_OWNERS);
}

/* Whether @owner would leave less than his methods take. */
static bool is_beyond_share(const struct methods *methods, uint8_t owner, uint64_t bytes)
{
	return methods->owner_entries[owner] > METHODS_MAX - methods->live ||
	       methods->budget->used + 2 * bytes + methods->owner_bytes[owner] >
		       methods->budget->limit;
}

/* Return: the entry of @number, an empty one where there was none; NULL, which is counted. */
static struct method *get(struct methods *methods, uint64_t number, const struct tm_event *event)
{
	uint32_t index = find(methods, number);
	uint8_t owner;

	if (index != HASH_INDEX_NONE)
		return &methods->items[index];
	owner = owner_of(methods, event);
	if (!is_beyond_share(methods, owner, sizeof(*methods->items)))
		return add(methods, number, owner);
	methods->full++;
	return NULL;
}

static void drop_texts(struct methods *methods, struct method *method)
{
	free(method->texts);
	budget_give(methods->budget, method->content.bytes);
	methods->owner_bytes[method->owner] -= method->content.bytes;
	method->texts = NULL;
	method->content.bytes = 0;
}

static void free_entry(struct methods *methods, uint32_t index)
{
	struct method *method = &methods->items[index];

	drop_texts(methods, method);
	hash_index_remove(&methods->lookup, hash_of(method->number), index);
	methods->owner_entries[method->owner]--;
	methods->owner_bytes[method->owner] -= sizeof(*method);
	*method = (struct method){.next_free = methods->first_free};
	methods->first_free = index + 1;
	methods->live--;
}

/* --- lifetime --------------------------------------------------------------------------------- */

static void on_idle_due(void *context, uint64_t ktime, uint64_t value);

static uint64_t idle_ktime(const struct method *method)
{
	return method->seen_ktime > UINT64_MAX - METHODS_IDLE_NS
		       ? UINT64_MAX
		       : method->seen_ktime + METHODS_IDLE_NS;
}

/* Where the queue is full, methods_forget tries again. */
static void enqueue(struct methods *methods, uint32_t index)
{
	struct method *method = &methods->items[index];

	if (methods->queue && !method->queued)
		method->queued = !tm_retire_at(methods->queue, idle_ktime(method), on_idle_due,
					       methods, index);
}

/* One that was sampled waits for methods_forget, one that is held for methods_release. */
static void on_idle_due(void *context, uint64_t ktime, uint64_t value)
{
	struct methods *methods = context;
	const uint32_t index = (uint32_t)value;
	struct method *method = &methods->items[index];

	method->queued = false;
	if (idle_ktime(method) > ktime)
		enqueue(methods, index);
	else if (!method->sampled && !method->holders)
		free_entry(methods, index);
}

static void note_seen(struct methods *methods, struct method *method, uint64_t ktime)
{
	if (ktime > method->seen_ktime)
		method->seen_ktime = ktime;
	enqueue(methods, (uint32_t)(method - methods->items));
}

void methods_forget(struct methods *methods)
{
	for (uint32_t i = 0; i < methods->count; i++) {
		struct method *method = &methods->items[i];

		method->sampled = false;
		if (method->used)
			enqueue(methods, i); /* which frees it, if its time is over */
	}
}

void methods_hold(struct methods *methods, const struct tm_event *event, const uint64_t *frames,
		  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t number = methods_number(frames[i]);
		struct method *method = number ? get(methods, number, event) : NULL;

		if (method)
			method->holders++;
	}
}

/* Where there was no memory for an entry, it is not held; at worst one is freed too early. */
void methods_release(struct methods *methods, const uint64_t *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t number = methods_number(frames[i]);
		uint32_t index = number ? find(methods, number) : HASH_INDEX_NONE;

		if (index == HASH_INDEX_NONE || !methods->items[index].holders)
			continue;
		methods->items[index].holders--;
		enqueue(methods, index);
	}
}

/* --- contents --------------------------------------------------------------------------------- */

/* Appends to its texts. Return: 0; BUDGET_E_SPENT, which is counted. */
static int append(struct methods *methods, struct method *method, const char *texts, uint32_t bytes)
{
	const uint32_t before = method->content.bytes;
	char *longer = NULL;

	if (!budget_take(methods->budget, bytes)) {
		longer = realloc(method->texts, before + bytes);
		if (!longer)
			budget_give(methods->budget, bytes);
	}
	if (!longer) {
		methods->full++;
		return BUDGET_E_SPENT;
	}
	memcpy(longer + before, texts, bytes);
	method->texts = longer;
	method->content.bytes += bytes;
	methods->owner_bytes[method->owner] += bytes;
	return 0;
}

/* Copies @texts for a method that has none. Return: as append(). */
static int set(struct methods *methods, struct method *method, const struct method_content *content,
	       const char *texts)
{
	if (append(methods, method, texts, content->bytes))
		return BUDGET_E_SPENT;
	method->content = *content;
	return 0;
}

static bool has_all(const struct method_content *content)
{
	return !(content->flags & TM_METHOD_NOT_RESIDENT);
}

/* @content: of a record, of whose line table further parts may be there already. */
static bool is_same(const struct method *method, const struct method_content *content,
		    const char *texts)
{
	struct method_content alone = method->content;

	if (content->flags & TM_METHOD_LINES_CUT && alone.bytes > content->bytes) {
		alone.bytes = content->bytes;
		alone.flags |= TM_METHOD_LINES_CUT;
	}
	return memcmp(&alone, content, sizeof(*content)) == 0 &&
	       memcmp(method->texts, texts, content->bytes) == 0;
}

/* A part behind the first one: the next one, or as it was before. Without the one before it, its
 * lines stay unknown until it comes again. */
static int take_part(struct methods *methods, struct method *method, const struct tm_method *record)
{
	struct method_content *content = &method->content;
	const uint32_t at = content->lines + record->lines_part * TM_METHOD_LINES_MAX;

	if (!method->texts || at > content->bytes || !record->lines_bytes)
		return 0;
	if (at < content->bytes || !(content->flags & TM_METHOD_LINES_CUT)) {
		methods->conflicts +=
			record->lines_bytes > content->bytes - at ||
			memcmp(method->texts + at, record->text, record->lines_bytes) != 0;
		return 0;
	}
	if (is_beyond_share(methods, method->owner, record->lines_bytes)) {
		methods->full++;
		return BUDGET_E_SPENT;
	}
	if (append(methods, method, record->text, record->lines_bytes))
		return BUDGET_E_SPENT;
	content->flags &= ~TM_METHOD_LINES_CUT | record->flags;
	return 0;
}

/* A text that was not in memory may be there the next time. Return: 0, BUDGET_E_SPENT. */
static int take(struct methods *methods, struct method *method, const struct tm_method *record)
{
	struct method_content content;
	char texts[METHOD_CONTENT_BYTES];

	if (record->lines_part)
		return take_part(methods, method, record);
	method_content_read(record, &content, texts);
	if (method->texts && (has_all(&method->content) || !has_all(&content))) {
		methods->conflicts += has_all(&content) && !is_same(method, &content, texts);
		return 0;
	}
	if (is_beyond_share(methods, method->owner, content.bytes)) {
		methods->full++;
		return BUDGET_E_SPENT;
	}
	drop_texts(methods, method);
	return set(methods, method, &content, texts);
}

int methods_announce(struct methods *methods, const struct tm_method *record)
{
	struct method *method = get(methods, record->number, &record->event);

	methods->announced++;
	if (!method)
		return BUDGET_E_SPENT;
	note_seen(methods, method, record->event.ktime);
	return take(methods, method, record);
}

void methods_note_use(struct methods *methods, uint64_t number, const struct tm_event *event)
{
	struct method *method = number ? get(methods, number, event) : NULL;

	if (!method)
		return;
	note_seen(methods, method, event->ktime);
	method->sampled = true;
}

const struct method *methods_find(const struct methods *methods, uint64_t number)
{
	uint32_t index = find(methods, number);

	return index == HASH_INDEX_NONE || !methods->items[index].texts ? NULL
									: &methods->items[index];
}

void methods_copy_sampled(const struct methods *methods, struct methods *copy)
{
	for (uint32_t i = 0; i < methods->count; i++) {
		const struct method *from = &methods->items[i];
		struct method *to;

		if (!from->sampled || !from->texts)
			continue;
		to = add(copy, from->number, from->owner);
		if (to)
			(void)set(copy, to, &from->content, from->texts);
	}
}

void methods_init(struct methods *methods, struct process_table *processes, struct budget *budget,
		  struct tm_retire_queue *queue)
{
	*methods = (struct methods){
		.processes = processes, .budget = budget, .queue = queue, .lookup.budget = budget};
}

void methods_deinit(struct methods *methods)
{
	if (!methods->budget)
		return;
	for (uint32_t i = 0; i < methods->count; i++)
		drop_texts(methods, &methods->items[i]);
	hash_index_deinit(&methods->lookup);
	budget_drop(methods->budget, &methods->items, &methods->capacity, sizeof(*methods->items));
	methods->count = methods->first_free = methods->live = 0;
}
