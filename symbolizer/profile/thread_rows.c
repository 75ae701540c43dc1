/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_rows - how the threads of an interval spent their time: the rows of its report
 */

#include "symbolizer/profile/thread_rows.h"

/* Sums of times that a hostile collector made up stay at the largest number. */
static void add(uint64_t *sum, uint64_t ns)
{
	*sum = *sum > UINT64_MAX - ns ? UINT64_MAX : *sum + ns;
}

static void add_times(struct thread_row *row, const struct thread_times *times)
{
	add(&row->times.lifetime_ns, times->lifetime_ns);
	for (unsigned i = 0; i < TM_THREAD_STATES_N; i++)
		add(&row->times.ns[i], times->ns[i]);
}

static uint32_t hash_of(const struct aggregate *aggregate, uint32_t process)
{
	return hash_bytes(aggregate->strings->seed, &process, sizeof(process));
}

/* Return: the row of several threads of @process, NULL. */
static struct thread_row *find_merged(struct thread_rows *rows, uint32_t process, uint32_t hash)
{
	struct hash_index_walk walk = hash_index_start(hash);
	uint32_t index;

	while ((index = hash_index_next(&rows->merged, &walk)) != HASH_INDEX_NONE)
		if (rows->items[index].process == process)
			return &rows->items[index];
	return NULL;
}

static struct thread_row *new_row(struct thread_rows *rows, uint32_t process)
{
	if (budget_grow(rows->budget, &rows->items, &rows->capacity, rows->count + 1,
			sizeof(*rows->items)))
		return NULL;
	rows->items[rows->count] = (struct thread_row){.process = process};
	return &rows->items[rows->count];
}

/* Return: the row for further threads of @process, added if need be; NULL: none. */
static struct thread_row *get_merged(struct thread_rows *rows, uint32_t process, uint32_t hash)
{
	struct thread_row *row = find_merged(rows, process, hash);

	if (row)
		return row;
	if (rows->merged.used >= THREAD_ROWS_PROCESSES_MAX)
		return NULL;
	row = new_row(rows, process);
	if (!row || hash_index_add(&rows->merged, hash, rows->count))
		return NULL;
	rows->count++;
	return row;
}

/* Does not add a process for which there is no row anyway. Return: whether there is one. */
static bool find_process(const struct thread_rows *rows, struct aggregate *aggregate,
			 const struct tm_event *event, bool single, uint32_t comm,
			 uint32_t *ret_process)
{
	const struct tm_process_key key = {.start_boottime = event->start_boottime,
					   .tgid = event->tgid,
					   .exec_id = event->exec_id};

	if (!event->start_boottime)
		return false;
	if (!single && rows->merged.used >= THREAD_ROWS_PROCESSES_MAX &&
	    !process_of_key(aggregate->processes, &key))
		return false;
	return process_of_sample(aggregate->processes, event, comm, ret_process) == 0;
}

void thread_rows_init(struct thread_rows *rows, struct budget *budget)
{
	*rows = (struct thread_rows){.budget = budget};
	rows->merged.budget = budget;
	rows->other.process = THREAD_ROWS_OTHER;
}

void thread_rows_deinit(struct thread_rows *rows)
{
	hash_index_deinit(&rows->merged);
	budget_drop(rows->budget, &rows->items, &rows->capacity, sizeof(*rows->items));
	rows->count = 0;
}

uint32_t thread_rows_add(struct thread_rows *rows, struct aggregate *aggregate,
			 const struct tm_event *event, const char *comm, bool ended,
			 const struct thread_times *times)
{
	bool single =
		rows->single < THREAD_ROWS_MAX && (!ended || rows->ended < THREAD_ROWS_ENDED_MAX);
	struct thread_row *row = NULL;
	uint32_t name = 0, process = 0;

	if (single && strings_add(aggregate->strings, comm, TM_COMM_BYTES, &name))
		name = 0;
	if (find_process(rows, aggregate, event, single, name, &process)) {
		if (single)
			row = new_row(rows, process);
		if (row) {
			row->tid = event->tid;
			row->comm = name;
			row->threads = 1;
			rows->single++;
			rows->ended += ended;
			add_times(row, times);
			return ++rows->count;
		}
		row = get_merged(rows, process, hash_of(aggregate, process));
	}
	if (!row)
		row = &rows->other;
	row->threads++;
	add_times(row, times);
	return 0;
}

void thread_rows_add_to(struct thread_rows *rows, uint32_t row, const struct thread_times *times)
{
	add_times(&rows->items[row - 1], times);
}
