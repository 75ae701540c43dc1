/* SPDX-License-Identifier: Apache-2.0 */
/* ring_progress - how far a collector had come at each round, for the one that goes on after it */

#include "shared/ring_progress.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static_assert(sizeof(struct tm_ring_progress) == TM_RING_PROGRESS_WORDS * 8, "it fits its place");

static void put(_Atomic uint64_t *place, uint64_t value)
{
	/* W6: in this order, so that a number is there only with its words */
	atomic_store_explicit(place, value, memory_order_release);
}

void tm_ring_note_progress(struct tm_ring_header *header, uint64_t seq,
			   const struct tm_ring_progress *progress)
{
	struct tm_ring_round *round = &header->rounds[seq & 1];
	uint64_t words[TM_RING_PROGRESS_WORDS];

	memcpy(words, progress, sizeof(words));
	put(&round->seq, 0);
	for (size_t i = 0; i < TM_RING_PROGRESS_WORDS; i++)
		put(&round->words[i], words[i]);
	put(&round->seq, seq);
}

static uint64_t get(const _Atomic uint64_t *place)
{
	/* relaxed: its writer has ended */
	return atomic_load_explicit(place, memory_order_relaxed);
}

int tm_ring_read_progress(const struct tm_ring_header *header, size_t region_bytes,
			  uint64_t *ret_seq, struct tm_ring_progress *ret_progress)
{
	uint64_t words[TM_RING_PROGRESS_WORDS], best = 0;

	if (region_bytes < TM_RING_HEADER_BYTES || header->magic != TM_RING_MAGIC ||
	    header->version != TM_EVENT_VERSION)
		return -EBADMSG;
	for (unsigned i = 0; i < 2; i++) {
		const struct tm_ring_round *round = &header->rounds[i];
		uint64_t seq = get(&round->seq);

		if (seq <= best || (seq & 1) != i ||
		    get(&round->words[0]) != get(&header->tail_pos))
			continue;
		best = seq;
		for (size_t word = 0; word < TM_RING_PROGRESS_WORDS; word++)
			words[word] = get(&round->words[word]);
	}
	if (!best)
		return -ENODATA;
	memcpy(ret_progress, words, sizeof(*ret_progress));
	*ret_seq = best;
	return 0;
}
