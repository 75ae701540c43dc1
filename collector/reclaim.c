/* SPDX-License-Identifier: Apache-2.0 */
/* reclaim - deletes BPF map entries of dead processes and unused files, and advances the epoch */

#include "collector/reclaim.h"

#include <bpf/bpf.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/watermark.h"
#include "shared/clock.h"

#define NS_PER_MS 1000000ull

struct generation {
	struct reclaim *reclaim;
	struct tm_process_key key;
};

/* Return: the ktime at which the entry of a process expires if it is not announced again. */
static uint64_t expiry(const struct tm_process_state *state, bool nearly_full)
{
	uint64_t dead_ms = nearly_full ? RECLAIM_TOMBSTONE_MS : RECLAIM_EPOCH_MS;

	return state->seen_ktime + (state->exited ? dead_ms : RECLAIM_QUIET_MS) * NS_PER_MS;
}

uint64_t reclaim_entries(const struct reclaim_table *table)
{
	return table->made ? *table->made - table->gone : 0;
}

static void remove_entry(struct reclaim_table *table, const void *key)
{
	table->gone += bpf_map_delete_elem(table->map, key) == 0;
}

/* @announced: ktime of the announcement. A later one has its own entry in the queue. */
static void on_generation_due(void *context, uint64_t ktime, uint64_t announced)
{
	struct generation *generation = context;
	struct reclaim *reclaim = generation->reclaim;
	struct tm_process_state state = {0};

	if (bpf_map_lookup_elem(reclaim->processes.map, &generation->key, &state) == 0) {
		bool nearly_full = reclaim_entries(&reclaim->processes) >= RECLAIM_PROCESSES_HIGH;
		uint64_t until = expiry(&state, nearly_full);

		if (until <= ktime)
			remove_entry(&reclaim->processes, &generation->key);
		else if ((state.exited || state.seen_ktime == announced) &&
			 tm_retire_at(&reclaim->queue, until, on_generation_due, generation,
				      announced) == 0)
			return;
	}
	free(generation);
}

static void note_generation(struct reclaim *reclaim, const struct tm_process_key *key,
			    uint64_t ktime, uint64_t after_ns)
{
	struct generation *generation = malloc(sizeof(*generation));

	if (generation) {
		*generation = (struct generation){reclaim, *key};
		if (tm_retire_at(&reclaim->queue, ktime + after_ns, on_generation_due, generation,
				 ktime) == 0)
			return;
		free(generation);
	}
	remove_entry(&reclaim->processes, key);
}

static void on_number_unused(void *context, uint64_t ktime, uint64_t value)
{
	struct reclaim *reclaim = context;
	uint32_t number = (uint32_t)value;
	const struct tm_retire retire = {
		.event = {.bytes = sizeof(retire), .type = TM_EVENT_RETIRE, .ktime = ktime},
		.number = number,
	};

	/* Retrying is safe: until its map entry is deleted, the number is not given to another
	 * file. */
	if (file_requests_pending(reclaim->files, number) ||
	    tm_ring_push(reclaim->writer, &retire, sizeof(retire), /* urgent= */ 1) != 0) {
		(void)tm_retire_at(&reclaim->queue, ktime + RECLAIM_RETRY_MS * NS_PER_MS,
				   on_number_unused, reclaim, value);
		return;
	}
	reclaim->numbers.gone += reclaim->files->kernel.change(reclaim->files->kernel.context,
							       number, TM_FILE_DELETE, 0) == 0;
	if (reclaim->tables)
		unwind_install_forget(reclaim->tables, number);
	file_requests_drop(reclaim->files, number);
	reclaim->numbers_known--;
}

/* The entry of a running callback is free again, so that tm_retire_at cannot fail here. */
static void on_number_due(void *context, uint64_t ktime, uint64_t value)
{
	struct reclaim *reclaim = context;
	uint32_t number = (uint32_t)value;
	bool nearly_full = reclaim_entries(&reclaim->numbers) >= RECLAIM_NUMBERS_HIGH;
	int64_t wanted_ms = nearly_full ? RECLAIM_NUMBER_SOON_MS : 2 * RECLAIM_EPOCH_MS;
	uint32_t seen_ms = reclaim->files->entries[number].seen_ms;
	int64_t wait_ms = wanted_ms - (int32_t)((uint32_t)(ktime / NS_PER_MS) - seen_ms);

	if (wait_ms <= 0 && reclaim->files->kernel.change(reclaim->files->kernel.context, number,
							  TM_FILE_RETIRE, 0) < 0)
		wait_ms = RECLAIM_EPOCH_MS;
	if (wait_ms > 0) {
		ktime += (uint64_t)wait_ms * NS_PER_MS;
		(void)tm_retire_at(&reclaim->queue, ktime, on_number_due, reclaim, value);
		return;
	}
	ktime = tm_clock_ns() + WATERMARK_GUARD_US * 1000ull;
	(void)tm_retire_at(&reclaim->queue, ktime, on_number_unused, reclaim, value);
}

static void note_number(struct reclaim *reclaim, uint32_t number, uint64_t ktime)
{
	uint32_t ms = (uint32_t)(ktime / NS_PER_MS);
	uint32_t *seen_ms;

	if (number >= FILE_REQUESTS_MAX)
		return;
	seen_ms = &reclaim->files->entries[number].seen_ms;
	if (!*seen_ms) {
		if (tm_retire_at(&reclaim->queue, ktime + RECLAIM_NUMBER_SOON_MS * NS_PER_MS,
				 on_number_due, reclaim, number) != 0)
			return;
		reclaim->numbers_known++;
	}
	*seen_ms = ms ? ms : 1;
}

static void find_unannounced(struct reclaim *reclaim, uint64_t ktime)
{
	uint32_t number, *from = NULL;

	for (; bpf_map_get_next_key(reclaim->numbers.map, from, &number) == 0; from = &number)
		if (number < FILE_REQUESTS_MAX && !reclaim->files->entries[number].seen_ms)
			note_number(reclaim, number, ktime);
}

/* What is never announced again has its end in time, too. */
static void adopt_processes(struct reclaim *reclaim)
{
	struct reclaim_table *table = &reclaim->processes;
	struct tm_process_key key, *from = NULL;
	uint64_t entries = 0;

	for (; bpf_map_get_next_key(table->map, from, &key) == 0; from = &key, entries++) {
		struct tm_process_state state = {0};

		if (bpf_map_lookup_elem(table->map, &key, &state) == 0)
			note_generation(reclaim, &key, state.seen_ktime, TM_EPOCH_NS);
	}
	table->gone = *table->made - entries;
}

void reclaim_adopt(struct reclaim *reclaim,
		   int (*adopt)(void *context, uint32_t index, void **ret_memory))
{
	struct reclaim_table *table = &reclaim->numbers;
	uint32_t number, *from = NULL;
	uint64_t entries = 0;

	adopt_processes(reclaim);
	for (; bpf_map_get_next_key(table->map, from, &number) == 0; from = &number, entries++) {
		struct tm_file_state state = {0};

		if (number < FILE_REQUESTS_MAX &&
		    bpf_map_lookup_elem(table->map, &number, &state) == 0)
			unwind_install_adopt(reclaim->tables, number, state.table, adopt);
	}
	table->gone = *table->made - entries;
	find_unannounced(reclaim, tm_clock_ns());
}

void reclaim_note(struct reclaim *reclaim, const struct tm_event *event)
{
	const struct tm_process_key key = {event->tgid, event->exec_id, event->start_boottime};

	if (event->type == TM_EVENT_PROCESS) /* most processes are short-lived */
		note_generation(reclaim, &key, event->ktime, TM_EPOCH_NS);
	else if (event->type == TM_EVENT_EXIT &&
		 reclaim_entries(&reclaim->processes) >= RECLAIM_PROCESSES_HIGH)
		note_generation(reclaim, &key, event->ktime, RECLAIM_TOMBSTONE_MS * NS_PER_MS);
	else if (event->type == TM_EVENT_FILE)
		note_number(reclaim, ((const struct tm_file *)event)->number, event->ktime);
}

void reclaim_advance_epoch(struct reclaim *reclaim)
{
	/* relaxed: it makes no difference if BPF sees it one sample later */
	(void)atomic_fetch_add_explicit((_Atomic uint32_t *)reclaim->epoch_bumps, 1,
					memory_order_relaxed);
}

/* Has everything announced again, since announcements were lost; backs off while that goes on. */
static void reannounce(struct reclaim *reclaim, uint64_t lost, uint64_t now_ms)
{
	uint64_t since = now_ms - reclaim->epoch_ms;

	if (since < reclaim->pause_ms)
		return;
	reclaim->pause_ms =
		since < 2 * reclaim->pause_ms ? 2 * reclaim->pause_ms : RECLAIM_EPOCH_PAUSE_MS;
	if (reclaim->pause_ms > RECLAIM_EPOCH_MS)
		reclaim->pause_ms = RECLAIM_EPOCH_MS;
	reclaim->lost = lost;
	reclaim->epoch_ms = now_ms;
	reclaim_advance_epoch(reclaim);
}

void reclaim_advance(struct reclaim *reclaim, uint64_t w, uint64_t lost, uint64_t now_ms)
{
	(void)tm_retire_run(&reclaim->queue, w);
	if (now_ms - reclaim->looked_ms >= RECLAIM_EPOCH_MS) {
		reclaim->looked_ms = now_ms;
		if (reclaim_entries(&reclaim->numbers) > reclaim->numbers_known)
			find_unannounced(reclaim, now_ms * NS_PER_MS);
	}
	if (lost != reclaim->lost)
		reannounce(reclaim, lost, now_ms);
}

void reclaim_deinit(struct reclaim *reclaim)
{
	for (uint32_t i = 0; i < reclaim->queue.used; i++)
		if (reclaim->queue.entries[i].fn == on_generation_due)
			free(reclaim->queue.entries[i].context);
	tm_retire_deinit(&reclaim->queue);
}
