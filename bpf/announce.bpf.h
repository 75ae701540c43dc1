/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * announce - writes PROCESS, FILE and EXIT records: what generations and file numbers stand for
 *
 * Order      the epoch of an announcement is stored after its record is in the ring, never before.
 *            So the next sample repeats a record that did not fit, and a stale epoch only costs a
 *            repetition.
 * Epoch      every TM_EPOCH_NS everything that is sampled is announced again, each at its own time
 *            (`spread`), and all at once when the collector raises epoch_bumps.
 * Anonymous  a generation is announced once more, with TM_FLAG_ANONYMOUS, by the first sample of an
 *            epoch that has a frame in anonymous code: its perf map is wanted then.
 */

#include "bpf/file.bpf.h"
#include "bpf/mapping_cache.bpf.h"
#include "bpf/path.bpf.h"

#define ANNOUNCE_FULL_NS 100000000ull /* between announcements while `processes` is full */

/* Raised by the collector: after a lost announcement, and for a new symbolizer. */
__u32 epoch_bumps;

/* Insertions into `processes`; the collector counts the deletions. */
__u64 processes_made;

/* For tests: the percentage of announcements and exits to lose, as if the ring were full. */
__u32 lose_announces;

/* Writes the record at `s->announce`, or counts its loss. */
static __always_inline bool announce_put(struct scratch *s, __u32 bytes, __u64 wakeup)
{
	__u32 lose = *(volatile __u32 *)&lose_announces;

	if (!(lose && bpf_get_prandom_u32() % 100 < lose) &&
	    nesting_write(&s->announce, bytes, false, wakeup))
		return true;
	s->counts.announce_lost++;
	return false;
}

static __always_inline __u32 announce_epoch(__u64 ktime, __u32 spread)
{
	__u64 shift = ((spread & 0xffffull) * TM_EPOCH_NS) >> 16;
	__u32 bumps = *(volatile __u32 *)&epoch_bumps;

	return (__u32)((ktime + shift) / TM_EPOCH_NS) + 1 + bumps;
}

/* The header of the record at `s->announce`: that of the sample, with another type. */
static __always_inline void announce_head(struct scratch *s, __u16 type)
{
	struct tm_event *event = &s->announce.process.event;

	*event = s->sample.event;
	event->type = type;
	event->flags = s->path.flags;
}

/* Pads the record behind its texts and writes it. */
static __always_inline bool announce_write(struct scratch *s, __u64 wakeup)
{
	__u64 end = s->path.position, bytes;

	kread_opaque(end);
	if (end > ANNOUNCE_MAX)
		end = ANNOUNCE_MAX; /* for the verifier: no position is larger */
	__builtin_memset(&s->announce.bytes[end], 0, 8);
	bytes = (end + 7) & ~7ull;
	s->announce.process.event.bytes = (__u32)bytes;
	kread_opaque(bytes);
	if (bytes > ANNOUNCE_MAX + 8)
		bytes = ANNOUNCE_MAX + 8;
	return announce_put(s, (__u32)bytes, wakeup);
}

static __always_inline __u32 announce_file_epoch(struct scratch *s, __u32 number)
{
	return announce_epoch(s->sample.event.ktime, number << 4);
}

/* Writes the FILE record of s->file and this number. */
__noinline int announce_file(__u32 level, __u32 number)
{
	struct scratch *s = nesting_scratch(level);
	struct tm_file_state *state = bpf_map_lookup_elem(&files, &number);
	__u64 task = bpf_get_current_task(), at;

	if (!s || !state)
		return 0;
	s->path.flags = 0;
	s->path.position = sizeof(struct tm_file);
	path_write_file(level);
	announce_head(s, TM_EVENT_FILE);
	s->announce.file.identity = state->identity;
	s->announce.file.number = number;
	s->announce.file.own_tid = task_own_number(task);
	at = path_of_file(s->file);
	s->announce.file.magic = KERNEL_READ(path, at, dentry, d_sb, s_magic);
	s->announce.file.vm_start = s->vm_start;
	s->announce.file.vm_end = s->vm_end;
	s->announce.file.mnt_ns = task_mount_namespace(task);
	s->announce.file.path_bytes = (__u16)(s->path.position - sizeof(struct tm_file));
	s->announce.file.pad = 0;
	/* A new file must be opened before its process is gone: so the collector reads at once. */
	if (announce_write(s, state->epoch ? BPF_RB_NO_WAKEUP : BPF_RB_FORCE_WAKEUP))
		state->epoch = announce_file_epoch(s, number);
	return 0;
}

static __always_inline bool announce_is_anonymous(const struct scratch *s)
{
	return s->walk.kinds >> TM_FRAME_ANON & 1;
}

/* For a process whose last thread is exiting: its EXIT may be past. */
static __always_inline __u32 announce_dead(struct scratch *s)
{
	if (!(s->sample.event.flags & TM_FLAG_EXITING))
		return 0;
	return TASK_READ(s->walk.task, signal, live.counter) ? 0 : TM_PROCESS_DEAD;
}

static __always_inline void announce_store_epoch(struct scratch *s,
						 const struct tm_process_key *key, __u32 epoch)
{
	struct tm_process_state fresh = {
		.epoch = epoch, .exited = announce_dead(s), .seen_ktime = s->sample.event.ktime};
	struct tm_process_state *state = bpf_map_lookup_elem(&processes, key);

	if (announce_is_anonymous(s))
		fresh.anonymous_epoch = epoch;
	if (state) {
		state->epoch = epoch;
		if (fresh.anonymous_epoch)
			state->anonymous_epoch = epoch;
		state->seen_ktime = fresh.seen_ktime;
	} else if (!bpf_map_update_elem(&processes, key, &fresh, BPF_NOEXIST)) {
		nesting_add(&processes_made, 1);
	} else {
		s->counts.processes_full++;
		s->full_ktime = s->sample.event.ktime;
	}
}

/* Writes the PROCESS record of the sample's generation. */
__noinline int announce_process(__u32 level, __u32 epoch)
{
	struct scratch *s = nesting_scratch(level);
	__u64 task = bpf_get_current_task(), leader, position;
	struct tm_process_key key = {};
	struct tm_file_state *state;

	if (!s)
		return 0;
	leader = (__u64)TASK_READ(task, group_leader);
	s->path.flags = 0;
	s->path.position = sizeof(struct tm_process);
	s->announce.process.exe_file = TM_FILE_NONE;
	s->file = (__u64)TASK_READ(task, mm, exe_file);
	if (s->file) {
		file_identify(&s->block, s->file, &s->fresh.identity);
		s->announce.process.exe_file = file_number(&s->fresh, false, &state);
		path_write_file(level);
	}
	position = s->path.position;
	s->announce.process.path_bytes = (__u16)(position - sizeof(struct tm_process));
	path_write_cgroup(level);
	s->announce.process.cgroup_bytes = (__u16)(s->path.position - position);
	announce_head(s, TM_EVENT_PROCESS);
	bpf_probe_read_kernel(s->announce.process.comm, TM_COMM_BYTES,
			      &((struct task_struct *)leader)->comm);
	s->announce.process.ns_level = task_level(leader);
	s->announce.process.ns_tgid =
		(__u32)KERNEL_READ(upid, task_upid(leader, s->announce.process.ns_level), nr);
	s->announce.process.mnt_ns = task_mount_namespace(task);
	s->announce.process.own_tgid = task_own_number(leader);
	s->announce.process.euid = TASK_READ(task, cred, euid.val);
	s->announce.process.pad = 0;
	if (announce_is_anonymous(s))
		s->announce.process.event.flags |= TM_FLAG_ANONYMOUS;
	/* Its map must be opened before it is gone. */
	if (!announce_write(s, announce_is_anonymous(s) ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP))
		return 0;
	key.tgid = s->sample.event.tgid;
	key.exec_id = s->sample.event.exec_id;
	key.start_boottime = s->sample.event.start_boottime;
	announce_store_epoch(s, &key, epoch);
	return 0;
}

/*
 * The same, if it is due. Inside execve nothing is announced, since the ids, the command name and
 * the executable may be of different programs. Neither is a task that has lost its mm; before that
 * an exiting task is complete, and a short process may have been sampled only then. A generation
 * that had its EXIT is not announced again.
 */
static __always_inline void announce_generation(struct nesting *level)
{
	struct scratch *s = level->scratch;
	const struct tm_event *event = &s->sample.event;
	struct tm_process_key key = {event->tgid, event->exec_id, event->start_boottime};
	struct tm_process_state *state;
	bool anonymous = announce_is_anonymous(s);
	__u32 epoch;

	if (event->flags & TM_FLAG_IN_EXEC || !event->start_boottime)
		return;
	if (event->flags & TM_FLAG_EXITING && !s->walk.mm)
		return;
	epoch = announce_epoch(event->ktime, event->tgid * 0x9e37u);
	if (s->walk.has_mapping_cache && mapping_cache_of(s)->epoch == epoch &&
	    (!anonymous || mapping_cache_of(s)->anonymous_epoch == epoch))
		return;
	state = bpf_map_lookup_elem(&processes, &key);
	if (state && state->exited)
		return;
	if (state && s->walk.has_mapping_cache) {
		mapping_cache_of(s)->epoch = state->epoch;
		mapping_cache_of(s)->anonymous_epoch = state->anonymous_epoch;
	}
	if (state ? state->epoch == epoch && (!anonymous || state->anonymous_epoch == epoch)
		  : event->ktime - s->full_ktime < ANNOUNCE_FULL_NS)
		return;
	announce_process(level->number, epoch);
}

/* Writes the EXIT record of an announced generation. Its entry stays, so that there is only one. */
static __always_inline void announce_exit(struct nesting *level, const struct tm_event *event,
					  struct tm_process_state *state)
{
	struct tm_exit *out = &level->scratch->announce.exit;

	out->event = *event;
	out->event.bytes = sizeof(*out);
	out->event.type = TM_EVENT_EXIT;
	out->event.cpu = (__u16)level->cpu;
	out->event.ktime = level->ktime;
	state->seen_ktime = level->ktime;
	state->exited = TM_PROCESS_EXITED;
	announce_put(level->scratch, sizeof(*out), BPF_RB_NO_WAKEUP);
}
