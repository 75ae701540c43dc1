/* SPDX-License-Identifier: Apache-2.0 */
/* life - keeps the map of announced generations small and lost announcements short-lived */

#include "collector/life.h"

#include <bpf/bpf.h>
#include <stdatomic.h>

#define NS_PER_MS 1000000ull

bool life_is_over(const struct tm_process_state *state, uint64_t now_ns)
{
	uint64_t epochs = state->exited ? 1 : 2;

	return now_ns > state->seen_ktime &&
	       now_ns - state->seen_ktime > epochs * LIFE_EPOCH_MS * NS_PER_MS;
}

bool life_left_room(const struct tm_process_state *state, uint64_t now_ns)
{
	return state->exited && now_ns > state->seen_ktime &&
	       now_ns - state->seen_ktime > LIFE_TOMBSTONE_MS * NS_PER_MS;
}

/* An entry is deleted only once its successor is known: the walk would else begin again. */
static void sweep(const struct life *life, bool crowded, uint64_t now_ns)
{
	struct tm_process_key key, next;
	struct tm_process_state state;
	bool over = false;
	const struct tm_process_key *from = NULL;

	while (bpf_map_get_next_key(life->processes, from, &next) == 0) {
		if (over)
			(void)bpf_map_delete_elem(life->processes, &key);
		key = next;
		from = &key;
		over = bpf_map_lookup_elem(life->processes, &key, &state) == 0 &&
		       (life_is_over(&state, now_ns) ||
			(crowded && life_left_room(&state, now_ns)));
	}
	if (over)
		(void)bpf_map_delete_elem(life->processes, &key);
}

void life_turn(struct life *life)
{
	/* relaxed: BPF may see it a sample later */
	(void)atomic_fetch_add_explicit((_Atomic uint32_t *)life->epoch_bumps, 1,
					memory_order_relaxed);
}

static void bump(struct life *life, uint64_t lost, uint64_t now_ms)
{
	uint64_t since = now_ms - life->bumped_ms;

	if (since < life->pause_ms)
		return;
	life->pause_ms = since < 2 * life->pause_ms ? 2 * life->pause_ms : LIFE_BUMP_MS;
	if (life->pause_ms > LIFE_EPOCH_MS)
		life->pause_ms = LIFE_EPOCH_MS;
	life->lost = lost;
	life->bumped_ms = now_ms;
	life_turn(life);
}

void life_advance(struct life *life, uint64_t announced, uint64_t lost, uint64_t now_ms)
{
	bool due = now_ms - life->swept_ms >= LIFE_EPOCH_MS;
	bool crowded = announced - life->announced >= LIFE_CROWD;

	if ((due && life->swept_ms) || crowded)
		sweep(life, crowded, now_ms * NS_PER_MS);
	if (due)
		life->swept_ms = now_ms;
	if (crowded)
		life->announced = announced;
	if (lost != life->lost)
		bump(life, lost, now_ms);
}
