/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clocks - G: how far bpf_ktime_get_ns and clock_gettime(CLOCK_MONOTONIC) disagree, either way
 *
 * usage: clocks [SECONDS]. On one CPU, and between two, BPF's reading is compared with user space's that
 * came surely before or surely after it; meanwhile adjtimex slews the clock up and down, by frequency as
 * ntpd does and by tick as chronyd does, and is put back. Asserted: WATERMARK_GUARD_US covers it all.
 */

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "collector/watermark.h"
#include "tests/integration/programs/clocks.h"
#include <clocks.skel.h>

#define SKIPPED   77
#define PHASE_NS  50000000
#define FREQUENCY (500 << 16) /* ppm, the most that the kernel takes */
#define TICK      1000        /* microseconds in 10,000: a tenth */

static struct clocks_bpf *skeleton;
static atomic_bool over;
static uint64_t ahead[CLOCKS_SLOTS]; /* largest stamp - own reading that came after it */
static uint64_t behind;              /* largest own reading - stamp that came after it, one CPU */
static uint64_t narrowest = UINT64_MAX; /* of the brackets: what is smaller may go unseen */
static uint64_t readings[CLOCKS_SLOTS];

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void pin(size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static void raise_to(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/* Reading, stamp, reading: all on one CPU. */
static void *bracket(void *unused)
{
	const _Atomic uint64_t *stamped = (const void *)&skeleton->bss->clocks[0].stamped;

	pin(0);
	while (!atomic_load(&over)) {
		uint64_t before = now_ns(), stamp, after;

		(void)prctl(PR_SET_NAME, "a", 0, 0, 0);
		after = now_ns();
		stamp = atomic_load(stamped);
		if (stamp < before)
			raise_to(&behind, before - stamp);
		if (stamp > after)
			raise_to(&ahead[0], stamp - after);
		if (after - before < narrowest)
			narrowest = after - before;
		readings[0]++;
	}
	return NULL;
}

static void *stamp_for_ever(void *unused)
{
	pin(0);
	while (!atomic_load(&over))
		(void)prctl(PR_SET_NAME, "b", 0, 0, 0);
	return NULL;
}

/* What the other CPU has stamped must not be after ours; what we post, not after its next. */
static void *compare(void *unused)
{
	const _Atomic uint64_t *stamped = (const void *)&skeleton->bss->clocks[1].stamped;
	_Atomic uint64_t *posted = (void *)&skeleton->bss->clocks[1].posted;

	pin(1);
	while (!atomic_load(&over)) {
		uint64_t stamp = atomic_load(stamped), own = now_ns();

		if (stamp > own)
			raise_to(&ahead[1], stamp - own);
		atomic_store(posted, own);
		readings[1]++;
	}
	return NULL;
}

/* Up, down, up, down; by frequency, then by tick. */
static int slew(const struct timex *kept, unsigned phase)
{
	struct timex change = {
		.modes = ADJ_FREQUENCY | ADJ_TICK, .freq = kept->freq, .tick = kept->tick};
	int sign = phase % 2 ? -1 : 1;

	if (phase % 4 < 2)
		change.freq = sign * FREQUENCY;
	else
		change.tick = 10000 + sign * TICK;
	return adjtimex(&change) < 0 ? -errno : 0;
}

static void put_back(const struct timex *kept)
{
	struct timex change = {
		.modes = ADJ_FREQUENCY | ADJ_TICK, .freq = kept->freq, .tick = kept->tick};

	(void)adjtimex(&change);
}

static int measure(uint64_t seconds)
{
	static void *(*const bodies[])(void *) = {bracket, stamp_for_ever, compare};
	const struct timespec phase_length = {.tv_nsec = PHASE_NS};
	uint64_t end_ns = now_ns() + seconds * 1000000000ull;
	struct timex kept = {0};
	sigset_t all, before;
	pthread_t threads[3];
	int r = 0;

	/* What ends us meanwhile waits until the clock is put back. */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);

	if (adjtimex(&kept) < 0 || (r = slew(&kept, 0)) < 0)
		return r < 0 ? r : -errno;
	for (size_t i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, bodies[i], NULL) != 0)
			return -EAGAIN;
	for (unsigned phase = 0; phase % 4 != 0 || now_ns() < end_ns; phase++) {
		(void)slew(&kept, phase);
		(void)nanosleep(&phase_length, NULL);
	}
	put_back(&kept);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	atomic_store(&over, true);
	for (size_t i = 0; i < 3; i++)
		(void)pthread_join(threads[i], NULL);
	return 0;
}

/* Return: whether the guard covers it. */
static bool tell(void)
{
	const struct clocks *one = &skeleton->bss->clocks[0], *two = &skeleton->bss->clocks[1];
	uint64_t guard = WATERMARK_GUARD_US * 1000ull, most = behind;

	raise_to(&most, two->back);
	raise_to(&most, ahead[0]);
	raise_to(&most, ahead[1]);
	(void)printf("one CPU: %" PRIu64 " stamps, at most %" PRIu64
		     " ns behind a reading before, %" PRIu64
		     " ns ahead of one after; brackets from %" PRIu64 " ns on\n",
		     one->count, behind, ahead[0], narrowest);
	(void)printf("two CPUs: %" PRIu64 " stamps, at most %" PRIu64 " ns behind; %" PRIu64
		     " readings, at most %" PRIu64 " ns ahead\n",
		     two->count, two->back, readings[1], ahead[1]);
	(void)printf("FIGURE G disagreement of the clocks | %" PRIu64
		     " comparisons, slewed | %" PRIu64 " ns | %" PRIu64 " ns\n",
		     one->count + two->count + readings[1], most, guard);
	return most <= guard;
}

int main(int argc, char **argv)
{
	uint64_t seconds = argc > 1 ? strtoull(argv[1], NULL, 0) : 4;
	int r;

	skeleton = clocks_bpf__open_and_load();
	if (!skeleton) {
		(void)printf("cannot run here: %s\n", strerror(errno));
		return errno == EPERM ? SKIPPED : 1;
	}
	skeleton->bss->asker = (uint32_t)getpid();
	r = clocks_bpf__attach(skeleton);
	if (r == 0)
		r = measure(seconds);
	if (r < 0)
		(void)printf(
			"cannot run here: stamping or slewing the clock, which a container may not: %s\n",
			strerror(-r));
	else
		r = tell() && readings[0] > 0 && readings[1] > 0 ? 0 : 1;
	clocks_bpf__destroy(skeleton);
	return r == -EPERM ? SKIPPED : r != 0;
}
