/* SPDX-License-Identifier: Apache-2.0 */
/* reclaim - forgets what the kernel room remembers, and keeps lost announcements short-lived */

#include "collector/reclaim.h"

#include <bpf/bpf.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/watermark.h"
#include "shared/clock.h"

#define NS_PER_MS 1000000ull

struct generation {
	struct reclaim *life;
	struct tm_process_key key;
};

uint64_t reclaim_until(const struct tm_process_state *state, bool crowded)
{
	uint64_t dead_ms = crowded ? RECLAIM_TOMBSTONE_MS : RECLAIM_EPOCH_MS;

	return state->seen_ktime + (state->exited ? dead_ms : RECLAIM_QUIET_MS) * NS_PER_MS;
}

uint64_t reclaim_known(const struct reclaim_table *table)
{
	return table->made ? *table->made - table->gone : 0;
}

static void remove_entry(struct reclaim_table *table, const void *key)
{
	table->gone += bpf_map_delete_elem(table->map, key) == 0;
}

/* @announced: when it was. A younger announcement has its own entry in the queue. */
static void generation_due(void *context, uint64_t ktime, uint64_t announced)
{
	struct generation *generation = context;
	struct reclaim *life = generation->life;
	struct tm_process_state state = {0};

	if (bpf_map_lookup_elem(life->processes.map, &generation->key, &state) == 0) {
		bool crowded = reclaim_known(&life->processes) >= RECLAIM_CROWD;
		uint64_t until = reclaim_until(&state, crowded);

		if (until <= ktime)
			remove_entry(&life->processes, &generation->key);
		else if ((state.exited || state.seen_ktime == announced) &&
			 tm_retire_at(&life->queue, until, generation_due, generation, announced) ==
				 0)
			return;
	}
	free(generation);
}

static void hear_generation(struct reclaim *life, const struct tm_event *event, uint64_t after_ns)
{
	const struct tm_process_key key = {event->tgid, event->exec_id, event->start_boottime};
	struct generation *generation = malloc(sizeof(*generation));

	if (generation) {
		*generation = (struct generation){life, key};
		if (tm_retire_at(&life->queue, event->ktime + after_ns, generation_due, generation,
				 event->ktime) == 0)
			return;
		free(generation);
	}
	remove_entry(&life->processes, &key);
}

static void number_gone(void *context, uint64_t ktime, uint64_t value)
{
	struct reclaim *life = context;
	uint32_t number = (uint32_t)value;
	const struct tm_retire retire = {
		.event = {.bytes = sizeof(retire), .type = TM_EVENT_RETIRE, .ktime = ktime},
		.number = number,
	};

	/* Later is as exact: until the entry goes, the number has no new meaning. */
	if (file_requests_hold(life->files, number) ||
	    tm_ring_push(life->writer, &retire, sizeof(retire), /* urgent= */ 1) != 0) {
		(void)tm_retire_at(&life->queue, ktime + RECLAIM_AGAIN_MS * NS_PER_MS, number_gone,
				   life, value);
		return;
	}
	remove_entry(&life->numbers, &number);
	if (life->tables)
		unwind_install_gone(life->tables, number);
	file_requests_drop(life->files, number);
	life->heard--;
}

/* A callback's own entry has left the queue, so another one finds room. */
static void number_due(void *context, uint64_t ktime, uint64_t value)
{
	struct reclaim *life = context;
	uint32_t number = (uint32_t)value;
	bool crowded = reclaim_known(&life->numbers) >= RECLAIM_FILES_CROWD;
	int64_t wanted_ms = crowded ? RECLAIM_HURRY_MS : 2 * RECLAIM_EPOCH_MS;
	uint32_t seen_ms = life->files->entries[number].seen_ms;
	int64_t wait_ms = wanted_ms - (int32_t)((uint32_t)(ktime / NS_PER_MS) - seen_ms);

	if (wait_ms <= 0 &&
	    life->files->kernel.change(life->files->kernel.context, number, TM_FILE_RETIRE, 0) < 0)
		wait_ms = RECLAIM_EPOCH_MS;
	if (wait_ms > 0) {
		ktime += (uint64_t)wait_ms * NS_PER_MS;
		(void)tm_retire_at(&life->queue, ktime, number_due, life, value);
		return;
	}
	ktime = tm_clock_ns() + WATERMARK_GUARD_US * 1000ull;
	(void)tm_retire_at(&life->queue, ktime, number_gone, life, value);
}

static void hear_number(struct reclaim *life, uint32_t number, uint64_t ktime)
{
	uint32_t ms = (uint32_t)(ktime / NS_PER_MS);
	uint32_t *seen_ms;

	if (number >= FILE_REQUESTS_MAX)
		return;
	seen_ms = &life->files->entries[number].seen_ms;
	if (!*seen_ms) {
		if (tm_retire_at(&life->queue, ktime + RECLAIM_HURRY_MS * NS_PER_MS, number_due,
				 life, number) != 0)
			return;
		life->heard++;
	}
	*seen_ms = ms ? ms : 1;
}

static void find_unheard(struct reclaim *life, uint64_t ktime)
{
	const uint32_t *from = NULL;
	uint32_t number;

	while (bpf_map_get_next_key(life->numbers.map, from, &number) == 0) {
		from = &number;
		if (number < FILE_REQUESTS_MAX && !life->files->entries[number].seen_ms)
			hear_number(life, number, ktime);
	}
}

void reclaim_hear(struct reclaim *life, const struct tm_event *event)
{
	if (event->type == TM_EVENT_PROCESS)
		hear_generation(life, event, TM_EPOCH_NS); /* most that die are dead by then */
	else if (event->type == TM_EVENT_EXIT && reclaim_known(&life->processes) >= RECLAIM_CROWD)
		hear_generation(life, event, RECLAIM_TOMBSTONE_MS * NS_PER_MS);
	else if (event->type == TM_EVENT_FILE)
		hear_number(life, ((const struct tm_file *)event)->number, event->ktime);
}

void reclaim_turn(struct reclaim *life)
{
	/* relaxed: BPF may see it a sample later */
	(void)atomic_fetch_add_explicit((_Atomic uint32_t *)life->epoch_bumps, 1,
					memory_order_relaxed);
}

static void bump(struct reclaim *life, uint64_t lost, uint64_t now_ms)
{
	uint64_t since = now_ms - life->bumped_ms;

	if (since < life->pause_ms)
		return;
	life->pause_ms = since < 2 * life->pause_ms ? 2 * life->pause_ms : RECLAIM_BUMP_MS;
	if (life->pause_ms > RECLAIM_EPOCH_MS)
		life->pause_ms = RECLAIM_EPOCH_MS;
	life->lost = lost;
	life->bumped_ms = now_ms;
	reclaim_turn(life);
}

void reclaim_advance(struct reclaim *life, uint64_t w, uint64_t lost, uint64_t now_ms)
{
	(void)tm_retire_run(&life->queue, w);
	if (now_ms - life->looked_ms >= RECLAIM_EPOCH_MS) {
		life->looked_ms = now_ms;
		if (reclaim_known(&life->numbers) > life->heard)
			find_unheard(life, now_ms * NS_PER_MS);
	}
	if (lost != life->lost)
		bump(life, lost, now_ms);
}

void reclaim_deinit(struct reclaim *life)
{
	for (uint32_t i = 0; i < life->queue.used; i++)
		if (life->queue.entries[i].fn == generation_due)
			free(life->queue.entries[i].context);
	tm_retire_deinit(&life->queue);
}
