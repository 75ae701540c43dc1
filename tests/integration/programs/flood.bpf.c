/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flood - samples by the hundred thousand a second, through the protocol of bpf/nesting.bpf.h, into the
 * rings, marks and counts of a collector that is at work
 *
 * `flood` runs wherever the flooding threads rename themselves and is interrupted by the timer's
 * sample. `nest` runs in the middle of either, where it reads memory of the thread that is not there:
 * the page fault is a place for a program. Both count what they take where the collector counts, so
 * the balance of the recording holds only if nothing of it is lost. It flows as long as the timer's
 * hits do: once the collector has switched these off, what is in the rings must be all.
 */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"
#include "tests/integration/programs/flood.h"

char LICENSE[] SEC("license") = "GPL";

#define LINGER_NS    500000u /* with a mark set and nothing written yet: far beyond the guard; */
#define LINGER_ONE   2048u   /* one record of so many */
#define LINGER_STEPS 100000u
#define QUIET_NS     1050000u /* without a hit on this CPU, at 999 Hz: they are off */
#define CPUS_MAX     64u
#define FAULT_ONE    32u /* one record of so many reads what is not there */

__u32 flooder; /* process whose renames count, by its number in the namespace of */
__u64 namespace_dev;
__u64 namespace_ino;
__u64 hollow;    /* an address of its that is not there */
__u64 written;   /* records in the rings, both kinds */
__u64 nested;    /* of these, by `nest` */
__u64 discarded; /* found no room; counted as ring_full where the collector counts */

struct pulse { /* of this CPU's timer */
	__u64 hits;
	__u64 looked_ktime;
	__u64 changed_ktime; /* as far as it was seen to change; 0: not since the last pause */
};
static struct pulse pulses[CPUS_MAX];

/* A change that came in a pause of the flood's own may be an old one. */
static __always_inline bool timer_runs(const struct nesting *level)
{
	struct pulse *pulse = &pulses[level->cpu % CPUS_MAX];
	__u64 now = bpf_ktime_get_ns(), seen = *(volatile __u64 *)&level->slot->hits;
	bool paused = now - pulse->looked_ktime > QUIET_NS;

	if (paused)
		pulse->changed_ktime = 0;
	else if (pulse->hits != seen)
		pulse->changed_ktime = now;
	pulse->hits = seen;
	pulse->looked_ktime = now;
	return now - pulse->changed_ktime < QUIET_NS;
}

static long linger_step(__u32 step, void *data)
{
	const struct nesting *level = data;

	return bpf_ktime_get_ns() - level->ktime > LINGER_NS;
}

/* Someone slow: the record's ktime is read, and others go on meanwhile. */
static __always_inline void linger(struct nesting *level)
{
	if (bpf_get_prandom_u32() % LINGER_ONE == 0)
		bpf_loop(LINGER_STEPS, linger_step, level, 0);
}

/* `nest` comes in between, at another level. */
static __always_inline void fault(void)
{
	__u64 word;

	if (bpf_get_prandom_u32() % FAULT_ONE == 0)
		bpf_probe_read_user(&word, sizeof(word), (const void *)hollow);
}

static __always_inline void fill(struct nesting *level, const char *comm, __u8 stop)
{
	struct tm_sample *sample = &level->scratch->sample;

	task_describe(bpf_get_current_task(), &sample->event);
	sample->event.bytes = sizeof(*sample) + 8;
	sample->event.type = TM_EVENT_SAMPLE;
	sample->event.cpu = (__u16)level->cpu;
	sample->event.ktime = level->ktime;
	__builtin_memcpy(sample->comm, comm, TM_COMM_BYTES);
	sample->kernel_frames = 0;
	sample->user_frames = 1;
	sample->user_stop = stop;
	sample->kernel_stop = TM_STOP_NONE;
	sample->pad = 0;
	level->scratch->frames[0] = FLOOD_WORD;
}

static __always_inline void write_one(struct nesting *level, const char *comm, __u8 stop)
{
	int status = nesting_open(level);

	if (status == NESTING_NESTED) {
		nesting_add(&level->slot->nested, 1);
		return;
	}
	if (status == NESTING_NO_RING) {
		nesting_add(&level->slot->no_ring, 1);
		nesting_close(level);
		return;
	}
	level->scratch->counts.taken++;
	fill(level, comm, stop);
	linger(level);
	fault();
	if (nesting_write(&level->scratch->sample, sizeof(struct tm_sample) + 8, true,
			  BPF_RB_NO_WAKEUP)) {
		nesting_add(&written, 1);
	} else {
		level->scratch->counts.ring_full++;
		nesting_add(&discarded, 1);
	}
	nesting_close(level);
}

SEC("tp_btf/task_rename")
int flood(void *ctx)
{
	struct bpf_pidns_info own = {};
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};

	if (bpf_get_ns_current_pid_tgid(namespace_dev, namespace_ino, &own, sizeof(own)) ||
	    own.tgid != flooder)
		return 0;
	level.slot = nesting_slot(level.cpu);
	if (level.slot && timer_runs(&level))
		write_one(&level, FLOOD_COMM, FLOOD_STOP);
	return 0;
}

SEC("tp_btf/page_fault_kernel")
int nest(void *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};

	level.slot = nesting_slot(level.cpu);
	if (!level.slot || !*(volatile __u64 *)&level.slot->depth)
		return 0;
	nesting_add(&nested, 1);
	write_one(&level, FLOOD_NEST_COMM, FLOOD_NEST_STOP);
	return 0;
}
