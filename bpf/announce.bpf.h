/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * announce - writes PROCESS and EXIT records: what generations stand for
 *
 * Anonymous  a generation is announced once more, with TM_FLAG_ANONYMOUS, by the first sample of an
 *            epoch that has a frame in anonymous code: its perf map is wanted then. It is announced
 *            yet again once its jitdump is found.
 * Context    what it says of itself follows its announcement, or comes once it is found.
 */

#include "bpf/mapping_search.bpf.h"

#define ANNOUNCE_FULL_NS 100000000ull /* between announcements while `processes` is full */

/* tm_process_state.exited */
#define PROCESS_EXITED 1 /* its EXIT was sent, or lost for want of space */
#define PROCESS_DEAD   2 /* announced with no live thread left; EXIT is past or still to come */

/* Insertions into `processes`; the collector counts the deletions. */
__u64 processes_made;

static __always_inline bool announce_is_anonymous(const struct scratch *s)
{
	return s->walk.kinds >> TM_FRAME_ANON & 1;
}

/* For a process whose last thread is exiting: its EXIT may be past. */
static __always_inline __u32 announce_dead(struct scratch *s)
{
	if (!(s->sample.event.flags & TM_FLAG_EXITING))
		return 0;
	return TASK_READ(s->walk.task, signal, live.counter) ? 0 : PROCESS_DEAD;
}

static __always_inline void announce_store_epoch(struct scratch *s,
						 const struct tm_process_key *key, __u32 epoch)
{
	struct tm_process_state fresh = {
		.epoch = epoch, .exited = announce_dead(s), .seen_ktime = s->sample.event.ktime};
	struct tm_process_state *state = bpf_map_lookup_elem(&processes, key);

	if (announce_is_anonymous(s)) {
		fresh.anonymous_epoch = epoch;
		fresh.jitdump = s->jitdump;
	}
	if (state) {
		state->epoch = epoch;
		if (fresh.anonymous_epoch)
			state->anonymous_epoch = epoch;
		state->seen_ktime = fresh.seen_ktime;
	} else if (!bpf_map_update_elem(&processes, key, &fresh, BPF_NOEXIST)) {
		nesting_add(&processes_made, 1);
	} else {
		s->counts.bpf.processes_full++;
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
	__u32 vacant;

	if (!s)
		return 0;
	leader = (__u64)TASK_READ(task, group_leader);
	s->path.flags = 0;
	s->path.position = sizeof(struct tm_process);
	s->announce.process.exe_file = TM_FILE_NONE;
	s->file = (__u64)TASK_READ(task, mm, exe_file);
	if (s->file) {
		file_identify(&s->block, s->file, &s->fresh.identity);
		s->announce.process.exe_file = file_find(&s->fresh.identity, &state, &vacant);
		path_write_file(level);
		if (s->file != (__u64)TASK_READ(task, mm, exe_file)) { /* see lookup.bpf.h */
			s->announce.process.exe_file = TM_FILE_NONE;
			s->path.position = sizeof(struct tm_process);
			s->path.flags = TM_PATH_CUT;
		}
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
	s->announce.process.jitdump_file = TM_FILE_NONE;
	if (announce_is_anonymous(s)) {
		s->announce.process.jitdump_file = s->jitdump_file;
		s->announce.process.event.flags |= TM_FLAG_ANONYMOUS;
	}
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
 * that had its EXIT is not announced again. Return: whether it was due.
 */
static __always_inline bool announce_generation(struct nesting *level)
{
	struct scratch *s = level->scratch;
	const struct tm_event *event = &s->sample.event;
	struct tm_process_key key = {event->tgid, event->exec_id, event->start_boottime};
	struct tm_process_state *state;
	bool anonymous = announce_is_anonymous(s), searching, looking, due;
	__u32 epoch;

	if (event->flags & TM_FLAG_IN_EXEC || !event->start_boottime)
		return false;
	if (event->flags & TM_FLAG_EXITING && !s->walk.mm)
		return false;
	epoch = announce_epoch(event->ktime, event->tgid * 0x9e37u);
	if (s->walk.has_mapping_cache && mapping_cache_of(s)->epoch == epoch &&
	    (!anonymous || mapping_cache_of(s)->anonymous_epoch == epoch) &&
	    (__s32)(search_now_ms(s) - mapping_cache_of(s)->search_ms) < 0)
		return false;
	state = bpf_map_lookup_elem(&processes, &key);
	if (state && state->exited)
		return false;
	searching = state && state->jitdump.status == SEARCH_GOES_ON;
	looking = state && search_is_open(s, &state->context);
	if (state && s->walk.has_mapping_cache) {
		mapping_cache_of(s)->epoch =
			state->context.status == SEARCH_GOES_ON ? 0 : state->epoch;
		mapping_cache_of(s)->anonymous_epoch = searching ? 0 : state->anonymous_epoch;
		mapping_cache_of(s)->search_ms = search_next_ms(s, &state->context);
	}
	due = state ? state->epoch != epoch || (anonymous && state->anonymous_epoch != epoch)
		    : event->ktime - s->full_ktime >= ANNOUNCE_FULL_NS;
	if (anonymous && (due || searching) && search_jitdump(level->number, due))
		due = true;
	if (due)
		announce_process(level->number, epoch);
	if (due || looking)
		search_context(level->number, due);
	return due;
}

/* Writes the EXIT record of an announced generation, whose task is described. Its entry stays, so
 * that there is only one. Return: whether the record was written. */
static __always_inline bool announce_exit(const struct nesting *level, struct tm_exit *record,
					  struct tm_process_state *state)
{
	record->event.bytes = sizeof(*record);
	record->event.type = TM_EVENT_EXIT;
	record->event.cpu = (__u16)level->cpu;
	record->event.ktime = level->ktime;
	state->seen_ktime = level->ktime;
	state->exited = PROCESS_EXITED;
	return announce_put(record, sizeof(*record), BPF_RB_NO_WAKEUP);
}
