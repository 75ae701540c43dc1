/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * file_users - who uses a file, for what its users are charged in equal parts
 *
 * User       a process whose sample looks up a mapping of the file; known by its owners, as one
 *            short value (owner.bpf.h).
 * Places     struct tm_file_state.users: in its upper half each has the window of the last use. In
 *            the last place is FILE_USERS_FURTHER, for all that found no other.
 * Window     of 2^FILE_USERS_SHIFT ns. Who used the file neither in this one nor in the last one
 *            is no user any more, and another may have his place.
 * New        a user has the file announced once more, so that what is charged follows at once: at
 *            most TM_FILE_USERS times in a window.
 * Races      places are written without a lock. One that two users took at once is the later one's:
 *            the other takes one at his next look-up, and who has two has one after two windows.
 * Cost       of a look-up beyond the mapping cache: a comparison with each place. A process's
 *            owners are found once in a window.
 */

#include "bpf/file.bpf.h"
#include "bpf/mapping_cache.bpf.h"

#define FILE_USERS_SHIFT   34                  /* a little more than an epoch */
#define FILE_USERS_OWN     (TM_FILE_USERS - 1) /* places of one user each */
#define FILE_USERS_FURTHER 1u

static __always_inline __u16 file_users_window(const struct scratch *s)
{
	return (__u16)(s->sample.event.ktime >> FILE_USERS_SHIFT);
}

static __always_inline bool file_users_counts(__u32 place, __u16 window)
{
	return (__u16)place && (__u16)(window - (place >> 16)) <= 1;
}

/* Whether nothing is to be noted. Without branches, which would multiply the verifier's states. */
static __always_inline bool file_users_are_noted(struct scratch *s,
						 const struct tm_file_state *state)
{
	const __u32 user = mapping_cache_of(s)->user;
	__u64 found;

	if (!user || user >> 16 != file_users_window(s))
		return false;
	found = (__u64)(state->users[FILE_USERS_OWN] ^ ((user & ~0xffffu) | FILE_USERS_FURTHER)) -
		1;
#pragma unroll
	for (int i = 0; i < FILE_USERS_OWN; i++)
		found |= (__u64)(state->users[i] ^ user) - 1;
	kread_opaque(found);
	return found >> 63;
}

/* The place of the sample's process in this window. Nothing may be announced now. */
static __always_inline __u32 file_users_self(struct scratch *s, __u32 level)
{
	const struct tm_event *event = &s->sample.event;
	struct tm_process_key key = {event->tgid, event->exec_id, event->start_boottime};
	struct tm_process_state *process = bpf_map_lookup_elem(&processes, &key);
	__u32 user = process ? process->user : 0;

	if (!user || user >> 16 != file_users_window(s)) {
		owner_find(level, false);
		user = (__u32)file_users_window(s) << 16 |
		       file_owner_short(s->fresh.owners[0], s->fresh.owners[1]);
		if (process)
			process->user = user;
	}
	mapping_cache_of(s)->user = user;
	return user;
}

/* Notes that the sample's process uses the file. */
__noinline int file_users_note(__u32 level, __u32 number)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_file_state *state = bpf_map_lookup_elem(&files, &number);
	__u32 user, place, window, now = 0;
	__u64 vacant = FILE_USERS_OWN;

	if (!s || !state)
		return 0;
	user = file_users_self(s, level);
	window = user >> 16;
	for (int i = 0; i < FILE_USERS_OWN; i++) {
		place = state->users[i];
		if (!file_users_counts(place, window)) {
			vacant = vacant == FILE_USERS_OWN ? i : vacant;
		} else if ((__u16)place == (__u16)user) {
			state->users[i] = user;
			return 0;
		}
		now += place >> 16 == window;
	}
	if (vacant == FILE_USERS_OWN) {
		/* In the rest of this window nobody is noted: so all others must have been. */
		if (now < FILE_USERS_OWN)
			return 0;
		user = window << 16 | FILE_USERS_FURTHER;
	}
	kread_opaque(vacant);
	vacant &= TM_FILE_USERS - 1;
	place = state->users[vacant];
	state->users[vacant] = user;
	if (state->epoch && !file_users_counts(place, window))
		state->epoch--; /* not 0, as of a file that was never announced */
	return 0;
}

static __always_inline void file_users_list(struct scratch *s, const struct tm_file_state *state)
{
	for (int i = 0; i < TM_FILE_USERS; i++) {
		__u32 place = state->users[i];

		s->announce.file.users[i] =
			file_users_counts(place, file_users_window(s)) ? (__u16)place : 0;
	}
}
