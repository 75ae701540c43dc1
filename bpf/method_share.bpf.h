/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * method_share - how much an owner's functions may take of what a CPU has for those of everybody
 *
 * Numbers    METHOD_BURST_NS worth of them at once, then one in each interval. That follows the
 *            rate of the samples, as do the functions that a program shows in a second and the use
 *            of others' entries, which a new one replaces. One owner alone does not use up a CPU's
 *            numbers in less than 24 days where up to 128 CPUs are possible.
 * Records    of the time and of the room for them as much as is free, a uid half as much: so n
 *            owners that take all they can leave 1/(n+1) of it to others.
 * Owners     those of owner.bpf.h. Each has one of METHOD_SHARES places, which depends on the salt
 *            of the session; some share one.
 */

#include "bpf/file.bpf.h"

#define METHOD_TIME_NS  100000u   /* for the announcements of a sample, at most */
#define METHOD_SPENT_NS 20000000u /* of 2^30 ns */
#define METHOD_BURST_NS 16000000000ull

/* ns from a cgroup's number to its next one on a CPU; a uid's are twice as far apart */
#define METHOD_SLOWEST_NS 1953125ull /* 512 a second, 8,192 at once: below 99 samples a second */
#define METHOD_HZ         99u
#define METHOD_FASTEST_NS 3814ull /* for each counter of numbers: 24 days until they are used up */

const volatile __u32 method_cpus = 1; /* possible ones; each counts the numbers of its levels */
const volatile __u32 method_hz = METHOD_HZ;

static __always_inline __u64 method_interval(__u32 hz, __u32 cpus)
{
	__u64 interval = METHOD_SLOWEST_NS * METHOD_HZ / (hz > METHOD_HZ ? hz : METHOD_HZ);
	__u64 fastest = METHOD_FASTEST_NS * TM_LEVELS_N * cpus;

	interval = interval > fastest ? interval : fastest;
	return interval < METHOD_SLOWEST_NS ? interval : METHOD_SLOWEST_NS;
}

static __always_inline struct method_share *method_share_of(struct scratch *s, __u64 owner)
{
	return &s->method.shares[file_owner_hash(owner) & (METHOD_SHARES - 1)];
}

static __always_inline bool method_has_number(struct scratch *s, __u64 owner, __u64 interval)
{
	return (__s64)(method_share_of(s, owner)->ready - s->sample.event.ktime) <=
	       (__s64)(METHOD_BURST_NS - interval);
}

static __always_inline void method_charge_number(struct scratch *s, __u64 owner, __u64 interval)
{
	struct method_share *share = method_share_of(s, owner);
	__u64 now = s->sample.event.ktime;

	share->ready = ((__s64)(share->ready - now) > 0 ? share->ready : now) + interval;
}

/* Takes a number of those that the owners of the sample may have. Return: whether there was one. */
static __always_inline bool method_take_number(struct scratch *s, __u32 level)
{
	__u64 uid, interval = method_interval(method_hz, method_cpus);

	owner_find(level, false);
	uid = s->fresh.owners[1];
	if (!method_has_number(s, s->fresh.owners[0], interval) ||
	    (uid && !method_has_number(s, uid, 2 * interval)))
		return false;
	method_charge_number(s, s->fresh.owners[0], interval);
	if (uid)
		method_charge_number(s, uid, 2 * interval);
	return true;
}

/* --- records ---------------------------------------------------------------------------------- */

static __always_inline __u64 method_spent(struct scratch *s, __u64 owner)
{
	struct method_share *share = method_share_of(s, owner);

	if (share->second != s->method.second) {
		share->second = s->method.second;
		share->spent = 0;
	}
	return share->spent;
}

/* Whether the sample may still announce: it takes not so long, nor has its CPU in this second, and
 * its owners leave as much as they have had. */
static __always_inline bool method_has_time(struct scratch *s, __u64 began, __u64 now)
{
	__u64 passed = now - began, uid = s->fresh.owners[1], left;

	if (s->method.second != (__u32)(now >> 30)) {
		s->method.second = (__u32)(now >> 30);
		s->method.spent = 0;
	}
	if (passed >= METHOD_TIME_NS || s->method.spent + passed >= METHOD_SPENT_NS)
		return false;
	left = METHOD_SPENT_NS - s->method.spent - passed;
	return method_spent(s, s->fresh.owners[0]) + passed < left &&
	       (!uid || method_spent(s, uid) + passed < left / 2);
}

/* What took longer than METHOD_TIME_NS and one more record was the hypervisor's: on a host whose
 * CPUs it takes away, the announcements of a second would not be made for it. */
static __always_inline void method_charge_time(struct scratch *s, __u64 ns)
{
	__u64 uid = s->fresh.owners[1];

	if (ns > 2 * METHOD_TIME_NS)
		ns = 2 * METHOD_TIME_NS;
	s->method.spent += ns;
	method_share_of(s, s->fresh.owners[0])->spent += (__u32)ns;
	if (uid)
		method_share_of(s, uid)->spent += (__u32)ns;
}

static __always_inline struct method_share *method_share_now(struct scratch *s, __u64 owner)
{
	struct method_share *share = method_share_of(s, owner);

	if (share->turn != s->method.turn) {
		share->turn = s->method.turn;
		share->bytes = 0;
	}
	return share;
}

/* Takes room for so many bytes more. Return: whether there was so much, and the owners leave as
 * much as they have. */
static __always_inline bool method_take_room(struct scratch *s, __u32 bytes)
{
	struct method_share *cgroup = method_share_now(s, s->fresh.owners[0]), *uid = NULL;
	__u64 room = s->method.room;

	if (room < bytes || cgroup->bytes + bytes > room)
		return false;
	if (s->fresh.owners[1]) {
		uid = method_share_now(s, s->fresh.owners[1]);
		if (uid->bytes + bytes > room / 2)
			return false;
		uid->bytes += bytes;
	}
	cgroup->bytes += bytes;
	s->method.room -= bytes;
	return true;
}
