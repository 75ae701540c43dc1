/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * aggregate_owners - whose stacks lose detail when an aggregate becomes too large
 *
 * Share      who has less than a level keeps all; the level is what all could have so that the
 *            aggregate is small enough. Of those above it the largest lose first.
 * Words      of an owner's samples and their stacks; one that two owners have counts for both, and
 *            keeps its frames if one of them does.
 * Limits     AGGREGATE_OWNERS_MAX owners; all later ones are one.
 */

#include "symbolizer/profile/aggregate_entries.h"

#define AGGREGATE_OWNERS_MAX 256u /* a power of two */

enum aggregate_owners_scope { /* who loses */
	AGGREGATE_OWNERS_LARGEST,
	AGGREGATE_OWNERS_ABOVE, /* all above the level: the largest have nothing to lose */
	AGGREGATE_OWNERS_ALL,   /* nor have these */
	AGGREGATE_OWNERS_SCOPES_N,
};

struct aggregate_owner {
	uint64_t key; /* owner.h; 0: unused */
	uint64_t words;
};

struct aggregate_owners {
	struct aggregate_owner items[AGGREGATE_OWNERS_MAX + 1]; /* the last: all later ones */
	uint64_t most;                                          /* words of the largest */
	uint64_t level;
	uint64_t lost_above; /* who has more words loses */
};

/* @excess: words that are to be freed. */
void aggregate_owners_count(struct aggregate_owners *owners, struct aggregate *aggregate,
			    uint64_t excess);
/* Marks the stacks that are not to be cut: aggregate_is_kept() until they are numbered anew.
 * Return: the words that whoever loses has above the level; of all of them, ALL. */
uint64_t aggregate_owners_select(struct aggregate_owners *owners, struct aggregate *aggregate,
				 enum aggregate_owners_scope scope);
bool aggregate_owners_loses(const struct aggregate_owners *owners,
			    const struct aggregate *aggregate,
			    const struct aggregate_sample *sample);
