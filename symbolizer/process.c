/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process - process generations by (tgid, start_boottime, exec_id), and what was announced of them
 */

#include "symbolizer/process.h"

#include "symbolizer/path.h"

static uint32_t hash(const struct process_table *table, const struct tm_event *event)
{
	uint64_t key[2] = {event->start_boottime, (uint64_t)event->tgid << 32 | event->exec_id};

	return hash_bytes(table->strings->seed, key, sizeof(key));
}

static uint32_t find(const struct process_table *table, const struct tm_event *event)
{
	struct lookup_walk walk = lookup_start(hash(table, event));
	uint32_t index;

	while ((index = lookup_next(&table->lookup, &walk)) != LOOKUP_NONE) {
		const struct process *process = &table->items[index];

		if (process->tgid == event->tgid && process->exec_id == event->exec_id &&
		    process->start_boottime == event->start_boottime)
			return index;
	}
	return LOOKUP_NONE;
}

static int find_or_add(struct process_table *table, const struct tm_event *event,
		       uint32_t *ret_process)
{
	uint32_t index = find(table, event);

	if (index == LOOKUP_NONE) {
		index = table->count;
		if (budget_grow(table->strings->budget, &table->items, &table->capacity, index + 1,
				sizeof(*table->items)))
			return BUDGET_E_SPENT;
		if (lookup_add(&table->lookup, hash(table, event), index))
			return BUDGET_E_SPENT;
		table->items[index] = (struct process){
			.start_boottime = event->start_boottime,
			.tgid = event->tgid,
			.exec_id = event->exec_id,
		};
		table->count++;
	}
	*ret_process = index;
	return 0;
}

void process_table_init(struct process_table *table, struct strings *strings)
{
	*table = (struct process_table){.strings = strings, .lookup.budget = strings->budget};
}

void process_table_deinit(struct process_table *table)
{
	lookup_deinit(&table->lookup);
	budget_drop(table->strings->budget, &table->items, &table->capacity, sizeof(*table->items));
	table->count = 0;
}

int process_announce(struct process_table *table, const struct tm_process *record)
{
	char text[PATH_TEXT_BYTES];
	struct process new = {.announced = 1, .leader_comm = 1};
	const char *cgroup = record->text + record->path_bytes;
	uint32_t index;
	size_t length;

	if (find_or_add(table, &record->event, &index) ||
	    strings_add(table->strings, record->comm, sizeof(record->comm), &new.comm))
		return BUDGET_E_SPENT;
	if (record->path_bytes) {
		length = path_unpack(record->text, record->path_bytes, record->event.flags,
				     TM_PATH_CUT, text);
		if (strings_add(table->strings, text, length, &new.exe))
			return BUDGET_E_SPENT;
	}
	length = path_unpack(cgroup, record->cgroup_bytes, record->event.flags & ~TM_PATH_UNNAMED,
			     TM_CGROUP_CUT, text);
	if (strings_add(table->strings, text, length, &new.cgroup))
		return BUDGET_E_SPENT;
	new.start_boottime = table->items[index].start_boottime;
	new.exit_ktime = table->items[index].exit_ktime;
	new.tgid = table->items[index].tgid;
	new.exec_id = table->items[index].exec_id;
	new.ns_tgid = record->ns_tgid;
	table->items[index] = new;
	return 0;
}

int process_of_sample(struct process_table *table, const struct tm_event *event, uint32_t comm,
		      uint32_t *ret_process)
{
	struct process *process;

	if (find_or_add(table, event, ret_process))
		return BUDGET_E_SPENT;
	process = &table->items[*ret_process];
	if (!process->announced && !process->leader_comm) {
		process->leader_comm = event->tid == event->tgid;
		if (process->leader_comm || !process->comm)
			process->comm = comm;
	}
	return 0;
}

void process_exit(struct process_table *table, const struct tm_event *event)
{
	uint32_t index = find(table, event);

	if (index != LOOKUP_NONE)
		table->items[index].exit_ktime = event->ktime;
}
