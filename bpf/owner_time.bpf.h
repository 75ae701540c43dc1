/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * owner_time - thins the samples of those owners whose samples take more time than they may
 *
 * Limit      owner_time_most for a cgroup, half of it for a uid (owner.bpf.h): so a user who is
 *            beyond it leaves something to others in his cgroup. Without it nothing is measured.
 * Thinned    of 2^shift hits one is taken, by chance, and stands for all of them: so the totals are
 *            as before, but for chance. First the uid is thinned, then what is left of its cgroup,
 *            for which what the uid takes beyond its limit does not count.
 * Window     the shift follows from what the samples of the last two windows would have taken if
 *            this owner had not been thinned.
 * Limits     OWNER_TIMES, each in one of OWNER_TIME_PLACES, which depend on the salt of the
 *            session: if all of an owner's are taken, he counts as the one in the first.
 *            OWNER_TIME_SHIFT, for both owners together.
 */

#include "bpf/file.bpf.h"

#define OWNER_TIMES       2048u /* a power of two */
#define OWNER_TIME_PLACES 4u
#define OWNER_TIME_WINDOW TM_NS_PER_SECOND
#define OWNER_TIME_IDLE   (4 * OWNER_TIME_WINDOW) /* who was not sampled for that long has none */
#define OWNER_TIME_SHIFT  6u                      /* a sample stands for 2^6 hits at most */
#define OWNER_TIME_SAMPLE 4000000u /* ns; a sample that took longer waited for a hypervisor */

_Static_assert(1ull << (32 + OWNER_TIME_SHIFT) <= TM_ON_CPU_VALUE_MAX,
	       "what it stands for is valid");

struct owner_time {
	__u64 key;
	__u64 spent;  /* ns, in this window */
	__u64 passed; /* likewise, by a uid: on to its cgroups */
	__u64 since;  /* ktime at which it began */
	__u64 shift;
	__u64 least; /* shift that the last window asked for */
};

static struct owner_time owner_times[OWNER_TIMES];
/* What the samples of an owner may take in a window, ns; 0: any time. The collector sets it. */
__u64 owner_time_most;

static __always_inline struct owner_time *owner_time_place(__u64 key, __u32 place)
{
	return &owner_times[(file_owner_hash(key) + place) & (OWNER_TIMES - 1)];
}

static __always_inline struct owner_time *owner_time_of(__u64 key)
{
	for (__u32 place = 0; place < OWNER_TIME_PLACES; place++)
		if (owner_time_place(key, place)->key == key)
			return owner_time_place(key, place);
	return owner_time_place(key, 0);
}

/* Gives the owner a place if he has none. Programs of two CPUs may give one to two owners: then the
 * first has none again. */
static __always_inline void owner_time_enter(__u64 key, __u64 now)
{
	struct owner_time *time;

	if (owner_time_of(key)->key == key)
		return;
	for (__u32 place = 0; place < OWNER_TIME_PLACES; place++) {
		time = owner_time_place(key, place);
		if (time->key && (__s64)(now - time->since) < (__s64)OWNER_TIME_IDLE)
			continue;
		time->key = key;
		time->spent = time->passed = time->shift = time->least = 0;
		time->since = now;
		return;
	}
}

/*
 * The shift that applies now. Programs of two CPUs may begin a window at once. Then one of them
 * finds that nothing was spent; but the shift never falls below what the window before asked for.
 */
static __always_inline __u32 owner_time_shift(__u64 key, __u64 now, __u64 most)
{
	struct owner_time *time;
	__u64 passed, ns, least;

	owner_time_enter(key, now);
	time = owner_time_of(key);
	passed = now - time->since;
	if ((__s64)passed >= (__s64)OWNER_TIME_WINDOW) {
		ns = time->spent / (passed / OWNER_TIME_WINDOW);
		time->spent = time->passed = 0;
		time->since = now;
		for (least = 0; least < OWNER_TIME_SHIFT && ns > most; least++)
			ns >>= 1;
		time->shift = least > time->least ? least : time->least;
		time->least = least;
	}
	return (__u32)time->shift & 7;
}

/*
 * Whether this hit is taken, whose sample has its head. Not inline, as the next one: the stack of
 * the program that calls them is nearly full on Linux 6.1.
 * Return: of how many hits it is the one that is taken, as a power of two; -1: it is not.
 */
__noinline int owner_time_take(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u32 shift;

	if (!s)
		return 0;
	owner_find(level, false);
	s->thinning.uid = 0;
	if (s->fresh.owners[1])
		s->thinning.uid = owner_time_shift(s->fresh.owners[1], s->sample.event.ktime,
						   s->thinning.most / 2);
	s->thinning.cgroup =
		owner_time_shift(s->fresh.owners[0], s->sample.event.ktime, s->thinning.most);
	if (s->thinning.cgroup > OWNER_TIME_SHIFT - s->thinning.uid)
		s->thinning.cgroup = OWNER_TIME_SHIFT - s->thinning.uid;
	shift = (s->thinning.uid + s->thinning.cgroup) & 7;
	return bpf_get_prandom_u32() & ((1u << shift) - 1) ? -1 : (int)shift;
}

/* The sample was taken. What a uid takes beyond its own limit is not its cgroup's. */
__noinline int owner_time_charge(__u32 level)
{
	const struct scratch *s = nesting_scratch(level);
	struct owner_time *uid;
	__u64 ns;

	if (!s)
		return 0;
	ns = bpf_ktime_get_ns() - s->sample.event.ktime;
	if (ns > OWNER_TIME_SAMPLE)
		ns = OWNER_TIME_SAMPLE;
	ns <<= s->thinning.cgroup & 7;
	if (s->fresh.owners[1]) {
		uid = owner_time_of(s->fresh.owners[1]);
		nesting_add(&uid->spent, ns << (s->thinning.uid & 7));
		nesting_add(&uid->passed, ns);
		if (uid->passed > s->thinning.most / 2)
			return 0;
	}
	nesting_add(&owner_time_of(s->fresh.owners[0])->spent, ns);
	return 0;
}
