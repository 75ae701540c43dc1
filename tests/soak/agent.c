/* SPDX-License-Identifier: GPL-2.0 */
/*
 * agent - a machine with another agent on it: agent SECONDS MICROSECONDS
 *
 * On each CPU a process spins and makes system calls in turn; another agent's tracepoint program
 * holds up every one of these for MICROSECONDS. Says "ready", waits for a line, and after SECONDS
 * "done NANOSECONDS RUNS", what that program took; after another line it ends.
 */

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <agent.skel.h>

static uint64_t now_ns(void)
{
	struct timespec at;

	(void)clock_gettime(CLOCK_MONOTONIC, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static void between_calls(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static int lane(int cpu, uint64_t seconds, uint64_t busy_ns, uint64_t mark)
{
	uint64_t end = now_ns() + seconds * 1000000000u;
	cpu_set_t own;

	CPU_ZERO(&own);
	CPU_SET((size_t)cpu, &own);
	if (sched_setaffinity(0, sizeof(own), &own) != 0)
		return 1;
	while (now_ns() < end) {
		between_calls(busy_ns);
		(void)syscall(SYS_getppid, 0, 0, 0, 0, 0, mark);
	}
	return 0;
}

static int lanes(uint64_t seconds, uint64_t busy_ns, uint64_t mark)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int status, wrong = 0;

	for (int cpu = 0; cpu < cpus; cpu++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(lane(cpu, seconds, busy_ns, mark));
		if (pid < 0)
			return -errno;
	}
	while (wait(&status) > 0)
		wrong |= status;
	return wrong ? -EIO : 0;
}

/* libbpf reads the tracepoint's number there; a host may not have it mounted. */
static void mount_tracefs(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		(void)mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
}

int main(int argc, char **argv)
{
	struct agent_bpf *skeleton = agent_bpf__open_and_load();
	uint64_t seconds = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t busy_ns = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000 : 0;
	char line[16];
	int r;

	(void)setvbuf(stdout, NULL, _IONBF, 0);
	if (!skeleton || !seconds)
		return 1;
	skeleton->bss->busy_ns = busy_ns;
	mount_tracefs();
	r = agent_bpf__attach(skeleton);
	printf(r < 0 ? "refused %d\n" : "ready\n", r);
	if (r < 0 || !fgets(line, sizeof(line), stdin))
		return 1;
	r = lanes(seconds, busy_ns, skeleton->data->marked);
	printf("done %llu %llu\n", (unsigned long long)skeleton->bss->spent_ns,
	       (unsigned long long)skeleton->bss->runs);
	if (!fgets(line, sizeof(line), stdin))
		r = -EIO;
	agent_bpf__destroy(skeleton);
	return r < 0;
}
