/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * announce_file - writes FILE records, and what every announcement needs: epochs, head, loss
 *
 * Order      the epoch of an announcement is stored after its record is in the ring, never before.
 *            So the next sample repeats a record that did not fit, and a stale epoch only costs a
 *            repetition.
 * Time       a sample writes ANNOUNCE_FILES records of files at most; the next one goes on. So what
 *            it costs is bounded, whatever a process maps.
 * Epoch      every TM_EPOCH_NS everything that is sampled is announced again, each at its own time
 *            (`spread`), and all at once when the collector raises epoch_bumps.
 */

#include "bpf/file_users.bpf.h"
#include "bpf/lookup.bpf.h"

#define ANNOUNCE_FILES 2

/* For tests: the percentage of announcements and exits to lose, as if the ring were full. */
__u32 lose_announces;

static __always_inline bool announce_put(void *record, __u32 bytes, __u64 wakeup)
{
	__u32 lose = *(volatile __u32 *)&lose_announces;

	return !(lose && bpf_get_prandom_u32() % 100 < lose) &&
	       nesting_write(record, bytes, NESTING_ALL, wakeup);
}

/* By how much earlier epochs begin, so that not all are announced at once. */
static __always_inline __u64 announce_shift(__u32 spread)
{
	return ((spread & 0xffffull) * TM_EPOCH_NS) >> 16;
}

static __always_inline __u32 announce_epoch(__u64 ktime, __u32 spread)
{
	__u32 bumps = *(volatile __u32 *)&epoch_bumps;

	return (__u32)((ktime + announce_shift(spread)) / TM_EPOCH_NS) + 1 + bumps;
}

/* The ktime at which that epoch is over. */
static __always_inline __u64 announce_turn(__u64 ktime, __u32 spread)
{
	__u64 shift = announce_shift(spread);

	return ((ktime + shift) / TM_EPOCH_NS + 1) * TM_EPOCH_NS - shift;
}

/* The header of the record at `s->announce`: that of the sample, with another type. */
static __always_inline void announce_head(struct scratch *s, __u16 type)
{
	struct tm_event *event = &s->announce.process.event;

	*event = s->sample.event;
	event->type = type;
	event->flags = s->path.flags;
}

/* Pads the record at `s->announce` behind its texts and writes it, or counts its loss. */
static __always_inline bool announce_write(struct scratch *s, __u64 wakeup)
{
	__u64 end = s->path.position, bytes;

	if (!s->path.left)
		return false;
	kread_opaque(end);
	if (end > ANNOUNCE_MAX)
		end = ANNOUNCE_MAX; /* for the verifier: no position is larger */
	__builtin_memset(&s->announce.bytes[end], 0, 8);
	bytes = (end + 7) & ~7ull;
	s->announce.process.event.bytes = (__u32)bytes;
	kread_opaque(bytes);
	if (bytes > ANNOUNCE_MAX + 8)
		bytes = ANNOUNCE_MAX + 8;
	if (announce_put(&s->announce, (__u32)bytes, wakeup))
		return true;
	s->counts.bpf.announce_lost++;
	return false;
}

static __always_inline __u32 announce_file_epoch(__u32 number, __u64 ktime)
{
	return announce_epoch(ktime, number << 4);
}

/* Whether the file that has this number is to be announced. */
static __always_inline bool announce_is_due(__u32 number, const struct tm_file_state *state,
					    __u64 ktime)
{
	return *(const volatile __u32 *)&state->epoch != announce_file_epoch(number, ktime);
}

/* Writes the FILE record of s->file, that of s->found, and this number. */
__noinline int announce_file(__u32 level, __u32 number)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_file_state *state = bpf_map_lookup_elem(&files, &number);
	__u64 task;

	if (!s || !state)
		return 0;
	task = s->walk.task;
	s->path.flags = 0;
	s->path.position = sizeof(struct tm_file);
	path_write_file(level);
	announce_head(s, TM_EVENT_FILE);
	s->announce.file.identity = state->identity;
	s->announce.file.number = number;
	s->announce.file.own_tid = task_own_number(task);
	s->announce.file.magic = KERNEL_READ(file, s->file, f_inode, i_sb, s_magic);
	s->announce.file.vm_start = s->vm_start;
	s->announce.file.vm_end = s->vm_end;
	s->announce.file.mnt_ns = task_mount_namespace(task);
	s->announce.file.path_bytes = (__u16)(s->path.position - sizeof(struct tm_file));
	s->announce.file.owner = file_owner_short(state->owners[0], state->owners[1]);
	file_users_list(s, state);
	if (!lookup_stands(s, level))
		return 0; /* the path may be that of another file */
	/* A new file must be opened before its process is gone: so the collector reads at once. */
	if (announce_write(s, state->epoch ? BPF_RB_NO_WAKEUP : BPF_RB_FORCE_WAKEUP))
		state->epoch = announce_file_epoch(number, s->sample.event.ktime);
	return 0;
}

/* Announces the file of the mapping s->found under this number, if that is due; s->walk.postponed:
 * the next sample has to. */
static __always_inline void announce_mapped(struct scratch *s, __u32 level, __u32 number,
					    const struct tm_file_state *state)
{
	if (!file_users_are_noted(s, state))
		file_users_note(level, number);
	if (!announce_is_due(number, state, s->sample.event.ktime))
		return;
	if (s->walk.announced >= ANNOUNCE_FILES) {
		s->walk.postponed = true;
		return;
	}
	s->walk.announced++;
	s->file = s->found.file;
	s->vm_start = s->found.start;
	s->vm_end = s->found.end;
	announce_file(level, number);
}
