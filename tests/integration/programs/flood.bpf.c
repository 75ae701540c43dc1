/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flood - writes samples into the rings of a running collector, hundreds of thousands a second
 *
 * It follows the protocol of bpf/nesting.bpf.h and uses the collector's rings, marks and counters;
 * the recording is without off-CPU samples and wakers, whose levels are free.
 * `flood` runs wherever the threads of flood.c rename themselves; the timer's sample interrupts it.
 * `nest` runs in the middle of either: both read unbacked memory of the thread, and a program is
 * attached to that page fault. Samples are counted in the collector's counters, so the recording
 * balances only if none of them is lost. The flood stops when the timer's hits do: once the
 * collector has disabled its events, nothing new may enter the rings.
 */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"
#include "tests/integration/programs/flood.h"

char LICENSE[] SEC("license") = "GPL";

#define DELAY_NS    500000u /* between mark and write, far beyond the guard */
#define DELAY_ONE   2048u   /* one of so many records is delayed */
#define DELAY_STEPS 100000u
#define QUIET_NS    1050000u /* without a timer hit on this CPU at 999 Hz: disabled */
#define CPUS_MOST   8192u    /* a power of two, the most that a kernel can be built for */
#define FAULT_ONE   32u      /* one of so many records faults */

__u32 flooder; /* the process whose renames count: its number in this PID namespace */
__u64 namespace_dev;
__u64 namespace_ino;
__u64 unbacked;  /* an address in it without memory */
__u64 written;   /* records in the rings, both kinds */
__u64 nested;    /* of these, by `nest` */
__u64 discarded; /* the ring was full; also counted in the collector's ring_full */

struct timer { /* of one CPU */
	__u64 hits;
	__u64 polled_ktime;
	__u64 changed_ktime; /* when `hits` was last seen to change; 0: not since the last pause */
};
static struct timer timers[CPUS_MOST];

/* A change that is found after a pause of the flood may have happened long before. */
static __always_inline bool timer_runs(const struct nesting *level)
{
	struct timer *timer = &timers[level->cpu % CPUS_MOST];
	__u64 now = bpf_ktime_get_ns(), seen = *(volatile __u64 *)&level->slot->hits;
	bool paused = now - timer->polled_ktime > QUIET_NS;

	if (paused)
		timer->changed_ktime = 0;
	else if (timer->hits != seen)
		timer->changed_ktime = now;
	timer->hits = seen;
	timer->polled_ktime = now;
	return now - timer->changed_ktime < QUIET_NS;
}

static long delay_step(__u32 step, void *data)
{
	const struct nesting *level = data;

	return bpf_ktime_get_ns() - level->ktime > DELAY_NS;
}

/* Imitates a slow program: it has read its ktime, and others write meanwhile. */
static __always_inline void delay(struct nesting *level)
{
	if (bpf_get_prandom_u32() % DELAY_ONE == 0)
		bpf_loop(DELAY_STEPS, delay_step, level, 0);
}

/* `nest` interrupts, at another nesting level. */
static __always_inline void fault(void)
{
	__u64 word;

	if (bpf_get_prandom_u32() % FAULT_ONE == 0)
		bpf_probe_read_user(&word, sizeof(word), (const void *)unbacked);
}

struct record {
	struct tm_sample sample;
	__u64 frame;
};

static __always_inline void fill(struct record *record, const struct nesting *level,
				 const char *comm, __u8 stop)
{
	struct tm_sample *sample = &record->sample;

	task_describe(bpf_get_current_task(), &sample->event);
	sample->event.bytes = sizeof(*record);
	sample->event.type = TM_EVENT_SAMPLE;
	sample->event.cpu = (__u16)level->cpu;
	sample->event.ktime = level->ktime;
	__builtin_memcpy(sample->comm, comm, TM_COMM_BYTES);
	sample->kernel_frames = 0;
	sample->user_frames = 1;
	sample->user_stop = stop;
	sample->kernel_stop = TM_STOP_NONE;
	sample->kind = TM_SAMPLE_ON_CPU;
	sample->state = TM_THREAD_ON_CPU;
	sample->since = sample->duration = sample->value = sample->stack = 0;
	record->frame = FLOOD_FRAME;
}

/* Counts by atomic addition: it may have interrupted the timer, or be interrupted by it. */
static __always_inline void write_one(struct nesting *level, enum tm_level number, const char *comm,
				      __u8 stop)
{
	struct scratch *timers_scratch = nesting_scratch(TM_LEVEL_TIMER);
	int status = timers_scratch ? nesting_open_mark(level, number) : NESTING_NO_RING;
	struct record record = {};

	if (status == NESTING_NESTED) {
		nesting_add(&level->slot->nested, 1);
		return;
	}
	if (status == NESTING_NO_RING) {
		nesting_add(&level->slot->no_ring, 1);
		return;
	}
	if (!timers_scratch)
		return; /* for the verifier */
	nesting_add(&timers_scratch->counts.taken, 1);
	fill(&record, level, comm, stop);
	delay(level);
	fault();
	if (nesting_write(&record, sizeof(record), NESTING_SAMPLES, BPF_RB_NO_WAKEUP)) {
		nesting_add(&written, 1);
	} else {
		nesting_add(&timers_scratch->counts.ring_full, 1);
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
		write_one(&level, TM_LEVEL_SWITCH, FLOOD_COMM, FLOOD_STOP);
	return 0;
}

static __always_inline bool in_use(const struct tm_cpu_slot *slot, enum tm_level number)
{
	return *(const volatile __u64 *)&slot->level[number].ktime != 0;
}

SEC("tp_btf/page_fault_kernel")
int nest(void *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};

	level.slot = nesting_slot(level.cpu);
	if (!level.slot ||
	    (!in_use(level.slot, TM_LEVEL_TIMER) && !in_use(level.slot, TM_LEVEL_SWITCH)))
		return 0;
	nesting_add(&nested, 1);
	write_one(&level, TM_LEVEL_WAKER, FLOOD_NEST_COMM, FLOOD_NEST_STOP);
	return 0;
}
