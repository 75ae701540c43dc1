/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clocks - G: how far bpf_ktime_get_ns and clock_gettime(CLOCK_MONOTONIC) disagree, either way
 *
 * usage: clocks [SECONDS]. On one CPU, and between two if there are two, a reading of BPF is
 * compared with readings of user space that certainly came before or after it. Meanwhile adjtimex
 * slews the clock up and down, by frequency as ntpd does and by tick as chronyd does, and is
 * restored. Exit status: 1 when WATERMARK_GUARD_US is less than the largest disagreement.
 */

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
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
#include "shared/clock.h"
#include "tests/integration/programs/clocks.h"
#include "tests/integration/programs/cpus.h"
#include <clocks.skel.h>

#define SKIPPED   77
#define PHASE_NS  50000000
#define FREQUENCY (500 << 16) /* ppm, the most that the kernel takes */
#define TICK      1000        /* microseconds in 10,000: a tenth */

static struct clocks_bpf *skeleton;
static atomic_bool ended;
static size_t cpus[CPUS_MOST], cpu_count;
static uint64_t ahead[CLOCKS_SLOTS]; /* largest stamp - own reading that came after it */
static uint64_t behind;              /* largest own reading - stamp that came after it, one CPU */
static uint64_t narrowest = UINT64_MAX; /* of the brackets: smaller differences may be missed */
static uint64_t readings[CLOCKS_SLOTS];

static void raise_to(uint64_t *most, uint64_t value)
{
	if (value > *most)
		*most = value;
}

/* Takes a reading, a stamp and a reading, all on one CPU. */
static void *bracket(void *unused)
{
	const _Atomic uint64_t *stamped = (const void *)&skeleton->bss->clocks[0].stamped;

	(void)cpus_pin(cpus[0]);
	while (!atomic_load(&ended)) {
		uint64_t before = tm_clock_ns(), stamp, after;

		(void)prctl(PR_SET_NAME, "a", 0, 0, 0);
		after = tm_clock_ns();
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

static void *keep_stamping(void *unused)
{
	(void)cpus_pin(cpus[0]);
	while (!atomic_load(&ended))
		(void)prctl(PR_SET_NAME, "b", 0, 0, 0);
	return NULL;
}

/*
 * A stamp of the other CPU must not exceed our next reading, nor a reading posted here its next
 * stamp.
 */
static void *compare(void *unused)
{
	const _Atomic uint64_t *stamped = (const void *)&skeleton->bss->clocks[1].stamped;
	_Atomic uint64_t *posted = (void *)&skeleton->bss->clocks[1].posted;

	(void)cpus_pin(cpus[cpu_count - 1]);
	while (!atomic_load(&ended)) {
		uint64_t stamp = atomic_load(stamped), own = tm_clock_ns();

		if (stamp > own)
			raise_to(&ahead[1], stamp - own);
		atomic_store(posted, own);
		readings[1]++;
	}
	return NULL;
}

/* Slews up and down by frequency, then up and down by tick. */
static int slew(const struct timex *saved, unsigned phase)
{
	struct timex change = {
		.modes = ADJ_FREQUENCY | ADJ_TICK, .freq = saved->freq, .tick = saved->tick};
	int sign = phase % 2 ? -1 : 1;

	if (phase % 4 < 2)
		change.freq = sign * FREQUENCY;
	else
		change.tick = 10000 + sign * TICK;
	return adjtimex(&change) < 0 ? -errno : 0;
}

static void restore(const struct timex *saved)
{
	struct timex change = {
		.modes = ADJ_FREQUENCY | ADJ_TICK, .freq = saved->freq, .tick = saved->tick};

	(void)adjtimex(&change);
}

static int measure(uint64_t seconds)
{
	static void *(*const bodies[])(void *) = {bracket, keep_stamping, compare};
	const size_t count = cpu_count > 1 ? 3 : 1;
	const struct timespec phase_length = {.tv_nsec = PHASE_NS};
	uint64_t end_ns = tm_clock_ns() + seconds * 1000000000ull;
	struct timex saved = {0};
	sigset_t all, before;
	pthread_t threads[3];
	int r = 0;

	/* Signals wait until the clock is restored. */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);

	if (adjtimex(&saved) < 0 || (r = slew(&saved, 0)) < 0)
		return r < 0 ? r : -errno;
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, bodies[i], NULL) != 0)
			return -EAGAIN;
	for (unsigned phase = 0; phase % 4 != 0 || tm_clock_ns() < end_ns; phase++) {
		(void)slew(&saved, phase);
		(void)nanosleep(&phase_length, NULL);
	}
	restore(&saved);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	atomic_store(&ended, true);
	for (size_t i = 0; i < count; i++)
		(void)pthread_join(threads[i], NULL);
	return 0;
}

/* Return: whether the guard covers the largest disagreement. */
static bool print_result(void)
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

	cpu_count = cpus_usable(cpus);
	skeleton = clocks_bpf__open_and_load();
	if (!skeleton) {
		(void)printf("cannot run here: %s\n", strerror(errno));
		return errno == EPERM ? SKIPPED : 1;
	}
	skeleton->bss->renamer = (uint32_t)getpid();
	r = clocks_bpf__attach(skeleton);
	if (r == 0)
		r = measure(seconds);
	if (r < 0)
		(void)printf(
			"cannot run here: a container may neither stamp nor slew the clock: %s\n",
			strerror(-r));
	else
		r = print_result() && readings[0] > 0 && (readings[1] > 0 || cpu_count == 1) ? 0
											     : 1;
	clocks_bpf__destroy(skeleton);
	return r == -EPERM ? SKIPPED : r != 0;
}
