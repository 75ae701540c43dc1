/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processes - process generations by (tgid, start_boottime, exec_id) and their attributes
 */

#include "symbolizer/profile/processes.h"

#include <string.h>

#include "symbolizer/base/path.h"
#include "symbolizer/profile/container.h"
#include "symbolizer/profile/owner.h"
#include "symbolizer/profile/process_context.h"

static uint32_t hash_of(const struct process_table *table, const struct tm_event *event)
{
	uint64_t key[2] = {event->start_boottime, (uint64_t)event->tgid << 32 | event->exec_id};

	return hash_bytes(table->strings->seed, key, sizeof(key));
}

static uint32_t find(const struct process_table *table, const struct tm_event *event, uint32_t hash)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&table->lookup, &walk)) != HASH_INDEX_NONE) {
		const struct process *process = &table->items[index];

		if (process->tgid == event->tgid && process->exec_id == event->exec_id &&
		    process->start_boottime == event->start_boottime)
			return index;
	}
	return HASH_INDEX_NONE;
}

/* --- lifetime --- */

/* Return: when the generation is retired unless it is named again before. */
static uint64_t due_ktime(const struct process *process)
{
	uint64_t last = process->seen_ktime;
	uint64_t wait = 2 * TM_EPOCH_NS;

	if (process->exit_ktime) {
		last = process->exit_ktime > last ? process->exit_ktime : last;
		wait = TM_EPOCH_NS;
	}
	return last > UINT64_MAX - wait ? UINT64_MAX : last + wait;
}

/* The entry may be reused afterwards; the lookup no longer finds it. */
static void free_entry(struct process_table *table, uint32_t index)
{
	struct process *process = &table->items[index];

	hash_index_remove(&table->lookup, process->hash, index);
	*process = (struct process){.next_free = table->first_free};
	table->first_free = index + 1;
}

static void on_retire_due(void *context, uint64_t ktime, uint64_t value);

/* If the retire queue is full, the next sample, announcement or report tries again. */
static void enqueue(struct process_table *table, uint32_t index)
{
	struct process *process = &table->items[index];

	if (!process->queued)
		process->queued = !tm_retire_at(table->queue, due_ktime(process), on_retire_due,
						table, index);
}

static void on_retire_due(void *context, uint64_t ktime, uint64_t value)
{
	struct process_table *table = context;
	uint32_t index = (uint32_t)value;
	struct process *process = &table->items[index];

	process->queued = false;
	if (due_ktime(process) > ktime) {
		enqueue(table, index);
		return;
	}
	process->state = PROCESS_RETIRED;
	table->live--;
	table->retired++;
	if (!process->sampled)
		free_entry(table, index);
}

static void note_use(struct process_table *table, uint32_t index, uint64_t ktime)
{
	struct process *process = &table->items[index];

	if (ktime > process->seen_ktime)
		process->seen_ktime = ktime;
	if (process->state != PROCESS_LIVE) {
		process->state = PROCESS_LIVE;
		table->live++;
	}
	enqueue(table, index);
}

/* --- entries --- */

static int find_free_entry(struct process_table *table, uint32_t *ret_index)
{
	if (!table->first_free) {
		if (budget_grow(table->budget, &table->items, &table->capacity, table->count + 1,
				sizeof(*table->items)))
			return BUDGET_E_SPENT;
		table->first_free = ++table->count;
	}
	*ret_index = table->first_free - 1;
	return 0;
}

static int find_or_add(struct process_table *table, const struct tm_event *event,
		       uint32_t *ret_process)
{
	uint32_t hash = hash_of(table, event);
	uint32_t index = find(table, event, hash);
	uint32_t next;

	if (index == HASH_INDEX_NONE) {
		if (find_free_entry(table, &index) || hash_index_add(&table->lookup, hash, index))
			return BUDGET_E_SPENT;
		next = table->items[index].next_free;
		table->items[index] = (struct process){
			.start_boottime = event->start_boottime,
			.tgid = event->tgid,
			.exec_id = event->exec_id,
			.hash = hash,
		};
		table->first_free = next;
	}
	note_use(table, index, event->ktime);
	*ret_process = index;
	return 0;
}

/* --- attributes --- */

/* Return: 0, BUDGET_E_SPENT. */
static int copy_names(struct process_table *table, const struct tm_process *record,
		      struct process *process)
{
	struct strings *strings = table->strings;
	const char *cgroup = record->text + record->path_bytes;
	char text[PATH_TEXT_BYTES];
	struct container container;
	size_t length;

	if (strings_add(strings, record->comm, sizeof(record->comm), &process->comm))
		return BUDGET_E_SPENT;
	process->exe = 0;
	if (record->path_bytes) {
		length = path_unpack(record->text, record->path_bytes, record->event.flags,
				     TM_PATH_CUT, text);
		if (strings_add(strings, text, length, &process->exe))
			return BUDGET_E_SPENT;
	}
	length = path_unpack(cgroup, record->cgroup_bytes, record->event.flags & ~TM_PATH_UNNAMED,
			     TM_CGROUP_CUT, text);
	container_of(text, &container);
	return strings_add(strings, text, length, &process->cgroup) ||
	       strings_add(strings, text, owner_bytes(text), &process->owner) ||
	       strings_add(strings, container.id, sizeof(container.id), &process->container) ||
	       strings_add(strings, container.pod, sizeof(container.pod), &process->pod);
}

static int move_string(const struct strings *from, struct strings *to, uint32_t *string)
{
	const char *text = from->items[*string];

	*string = 0;
	return strings_add(to, text, strlen(text), string);
}

static void move_names(struct process *process, const struct strings *from, struct strings *to)
{
	uint32_t *names[] = {&process->comm,      &process->exe, &process->cgroup, &process->owner,
			     &process->container, &process->pod, &process->context};
	size_t count = sizeof(names) / sizeof(names[0]);
	size_t moved = 0;

	while (moved < count && !move_string(from, to, names[moved]))
		moved++;
	if (moved == count)
		return;
	for (size_t i = 0; i < count; i++)
		*names[i] = 0;
	process->announced = false;
	process->leader_comm = false;
}

void process_table_init(struct process_table *table, struct strings *strings, struct budget *budget,
			struct tm_retire_queue *queue)
{
	*table = (struct process_table){
		.strings = strings,
		.budget = budget,
		.lookup.budget = budget,
		.queue = queue,
	};
}

void process_table_deinit(struct process_table *table)
{
	hash_index_deinit(&table->lookup);
	budget_drop(table->budget, &table->items, &table->capacity, sizeof(*table->items));
	table->count = 0;
	table->first_free = 0;
	table->live = 0;
}

int process_announce(struct process_table *table, const struct tm_process *record)
{
	struct process new;
	uint32_t index;

	if (find_or_add(table, &record->event, &index))
		return BUDGET_E_SPENT;
	new = table->items[index];
	if (copy_names(table, record, &new))
		return BUDGET_E_SPENT;
	new.ns_tgid = record->ns_tgid;
	new.euid = record->euid;
	new.announced = true;
	new.leader_comm = true;
	if (record->event.flags & TM_FLAG_ANONYMOUS)
		new.map_ktime = record->event.ktime;
	if (record->jitdump_file != TM_FILE_NONE && new.jitdump != record->jitdump_file + 1) {
		new.jitdump = record->jitdump_file + 1;
		table->jitdumps++;
	}
	table->items[index] = new;
	return 0;
}

int process_declare(struct process_table *table, const struct tm_context *record)
{
	uint32_t index = find(table, &record->event, hash_of(table, &record->event));
	struct process_context context;
	struct process *process;

	if (index == HASH_INDEX_NONE)
		return 0;
	process = &table->items[index];
	process_context_read(record, &context);
	if (context.missing == PROCESS_CONTEXT_UNREADABLE && process->context &&
	    process->published == record->published)
		return 0; /* what it says was read before */
	if (strings_add(table->strings, context.text, context.bytes, &process->context))
		return BUDGET_E_SPENT;
	process->published = record->published;
	process->missing = (uint8_t)context.missing;
	return 0;
}

int process_of_sample(struct process_table *table, const struct tm_event *event, uint32_t comm,
		      uint32_t *ret_process)
{
	struct process *process;

	if (find_or_add(table, event, ret_process))
		return BUDGET_E_SPENT;
	process = &table->items[*ret_process];
	process->sampled = true;
	if (!process->announced && !process->leader_comm) {
		process->leader_comm = event->tid == event->tgid;
		if (process->leader_comm || !process->comm)
			process->comm = comm;
	}
	return 0;
}

struct process *process_of_announcement(struct process_table *table, uint32_t tgid, uint64_t ktime)
{
	for (uint32_t index = 0; index < table->count; index++) {
		struct process *process = &table->items[index];

		if (process->state != PROCESS_FREE && process->tgid == tgid &&
		    process->map_ktime == ktime)
			return process;
	}
	return NULL;
}

struct process *process_of_key(struct process_table *table, const struct tm_process_key *key)
{
	const struct tm_event event = {
		.start_boottime = key->start_boottime, .tgid = key->tgid, .exec_id = key->exec_id};
	uint32_t index = find(table, &event, hash_of(table, &event));

	return index == HASH_INDEX_NONE ? NULL : &table->items[index];
}

void process_exit(struct process_table *table, const struct tm_event *event)
{
	uint32_t index = find(table, event, hash_of(table, event));

	if (index != HASH_INDEX_NONE && !table->items[index].exit_ktime)
		table->items[index].exit_ktime = event->ktime;
}

void process_forget(struct process_table *table, struct strings *fresh)
{
	for (uint32_t index = 0; index < table->count; index++) {
		struct process *process = &table->items[index];

		if (process->state == PROCESS_FREE)
			continue;
		process->sampled = false;
		if (process->state == PROCESS_RETIRED) {
			free_entry(table, index);
			continue;
		}
		move_names(process, table->strings, fresh);
		enqueue(table, index);
	}
	table->strings = fresh;
}
