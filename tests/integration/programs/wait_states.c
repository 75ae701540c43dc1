/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_states - waits in known ways, and prints how long; see wait_states.h
 *
 * wait_states CASE COUNT NS [CASE COUNT NS]...: one case after the other
 */

#include "wait_states.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpus.h"
#include "spin.h"

#define STACK_BYTES (32u << 10)
#define BUSY_STEPS  200u

/* The stratum is long when a recording starts, and halved every 100 ms. Until then COUNT waits of
 * NS are not judged. */
static noinline int settle(unsigned count, uint64_t ns)
{
	for (unsigned i = 0; i < count; i++)
		(void)wait_sleep(ns);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(unsigned count, uint64_t ns);
} cases[] = {
	{"settle", settle},
	{"pipes", wait_on_pipes},
	{"futex", wait_on_futex},
	{"epoll", wait_on_epoll},
	{"asleep", wait_asleep},
	{"bounded", wait_bounded},
	{"long_and_short", wait_long_and_short},
	{"disk", wait_on_disk},
	{"io_uring", wait_on_io_uring},
	{"vfork", wait_on_vfork},
	{"preempted", wait_preempted},
	{"yielding", wait_yielding},
	{"stopped", wait_stopped},
	{"moved", wait_moved},
	{"beside", wait_beside},
	{"mixed", wait_mixed},
};

long wait_must(long number, const char *what)
{
	if (number >= 0)
		return number;
	(void)fprintf(stderr, "wait_states: %s failed: %s\n", what, strerror((int)-number));
	exit(1);
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t wait_clock(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

/* ns that the calling thread has waited for a CPU, as the scheduler counts them. */
static uint64_t read_queued(void)
{
	char text[96] = "", *end;
	long fd = wait_call(SYS_openat, AT_FDCWD, (long)"/proc/thread-self/schedstat", O_RDONLY, 0);

	(void)wait_must(fd, "opening schedstat");
	(void)wait_must(wait_call(SYS_read, fd, (long)text, sizeof(text) - 1, 0), "schedstat");
	(void)wait_call(SYS_close, fd, 0, 0, 0);
	(void)strtoull(text, &end, 10); /* the time on CPUs, as of the last tick */
	return strtoull(end, NULL, 10);
}

struct wait_time wait_now(void)
{
	struct wait_time now;

	now.queued = read_queued();
	now.cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
	now.clock = wait_clock();
	return now;
}

void wait_add(struct wait_sum *sum, const struct wait_time *begin, uint64_t count)
{
	struct wait_time end = wait_now();

	wait_add_to(&sum->count, count);
	wait_add_to(&sum->off_cpu, end.clock - begin->clock - (end.cpu - begin->cpu));
	wait_add_to(&sum->queued, end.queued - begin->queued);
}

void wait_print(const char *function, const char *state, const struct wait_sum *sum)
{
	(void)printf("%s %s %llu %llu %llu %llu %llu\n", function, state,
		     (unsigned long long)sum->count, (unsigned long long)sum->off_cpu,
		     (unsigned long long)sum->queued, (unsigned long long)sum->calls,
		     (unsigned long long)sum->asleep);
	(void)fflush(stdout);
}

/* The CPUs that the program may use, before any thread is kept on one. */
static size_t usable[CPUS_MOST];
static size_t usable_count;

unsigned wait_cpus(void)
{
	return (unsigned)usable_count;
}

void wait_pin(int tid, unsigned index)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MOST);
	size_t bytes = CPU_ALLOC_SIZE(CPUS_MOST);

	if (!set || !usable_count)
		exit(1);
	CPU_ZERO_S(bytes, set);
	CPU_SET_S(usable[index % usable_count], bytes, set);
	(void)wait_must(wait_call(SYS_sched_setaffinity, tid, (long)bytes, (long)set, 0),
			"choosing a thread's CPU");
	CPU_FREE(set);
}

void wait_busy(uint64_t ns)
{
	uint64_t end = wait_clock() + ns;

	while (wait_clock() < end)
		spin_steps(BUSY_STEPS);
}

void wait_threads(unsigned count, void *(*start)(void *), void *arguments, unsigned bytes)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t small;

	if (!threads)
		exit(1);
	(void)pthread_attr_init(&small);
	(void)pthread_attr_setstacksize(&small, STACK_BYTES);
	for (unsigned i = 0; i < count; i++)
		(void)wait_must(-pthread_create(&threads[i], &small, start,
						(char *)arguments + (size_t)i * bytes),
				"making a thread");
	for (unsigned i = 0; i < count; i++)
		(void)pthread_join(threads[i], NULL);
	(void)pthread_attr_destroy(&small);
	free(threads);
}

/* Ticks that the hypervisor took from all CPUs. A thread that runs then uses no CPU time. */
static unsigned long long stolen_ticks(void)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long long stolen = 0;

	if (!file || fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &stolen) != 1)
		stolen = 0;
	if (file)
		(void)fclose(file);
	return stolen;
}

/* The ticks are cut, so one more may have been stolen, where any ever were. */
static void print_stolen(const char *name, unsigned long long before)
{
	unsigned long long tick = 1000000000u / (unsigned long long)sysconf(_SC_CLK_TCK);
	unsigned long long now = stolen_ticks();

	(void)printf("%s stolen %llu\n", name, now ? (now - before + 1) * tick : 0);
}

static int run(const char *name, const char *count, const char *ns)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(name, cases[i].name) == 0)
			return cases[i].run((unsigned)strtoul(count, NULL, 10),
					    strtoull(ns, NULL, 10));
	return 2;
}

int main(int argc, char **argv)
{
	int result = argc > 1 && argc % 3 == 1 ? 0 : 2;

	usable_count = cpus_usable(usable);
	for (int i = 1; i + 2 < argc && result == 0; i += 3) {
		unsigned long long before = stolen_ticks();

		result = run(argv[i], argv[i + 1], argv[i + 2]);
		print_stolen(argv[i], before);
	}
	return result;
}
