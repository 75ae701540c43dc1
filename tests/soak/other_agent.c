/* SPDX-License-Identifier: GPL-2.0 */
/*
 * other_agent - loads another agent's BPF program and keeps it busy on each CPU
 *
 * usage: other_agent SECONDS MICROSECONDS. One process on each CPU spins and makes system calls in
 * turn; the program delays each of these calls by MICROSECONDS. Prints "ready", waits for a line,
 * prints "done NANOSECONDS RUNS" after SECONDS (the run time of that program), and ends after
 * another line.
 */

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <other_agent.skel.h>

#include "shared/clock.h"
#include "tests/integration/programs/cpus.h"

static void between_calls(uint64_t ns)
{
	uint64_t end = tm_clock_ns() + ns;

	while (tm_clock_ns() < end)
		;
}

/* Return: 0, 1 when the CPU cannot be used. */
static int run_on(size_t cpu, uint64_t seconds, uint64_t busy_ns, uint64_t mark)
{
	uint64_t end = tm_clock_ns() + seconds * 1000000000u;

	if (cpus_pin(cpu) < 0)
		return 1;
	while (tm_clock_ns() < end) {
		between_calls(busy_ns);
		(void)syscall(SYS_getppid, 0, 0, 0, 0, 0, mark);
	}
	return 0;
}

static int run_everywhere(uint64_t seconds, uint64_t busy_ns, uint64_t mark)
{
	static size_t cpus[CPUS_MOST];
	size_t count = cpus_usable(cpus);
	int status, wrong = 0;

	for (size_t i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(run_on(cpus[i], seconds, busy_ns, mark));
		if (pid < 0)
			return -errno;
	}
	while (wait(&status) > 0)
		wrong |= status;
	return wrong ? -EIO : 0;
}

/* libbpf reads the tracepoint's number in tracefs, which a host may not have mounted. */
static void mount_tracefs(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		(void)mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
}

int main(int argc, char **argv)
{
	struct other_agent_bpf *skeleton = other_agent_bpf__open_and_load();
	uint64_t seconds = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t busy_ns = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000 : 0;
	char line[16];
	int r;

	(void)setvbuf(stdout, NULL, _IONBF, 0);
	if (!skeleton || !seconds)
		return 1;
	skeleton->bss->busy_ns = busy_ns;
	mount_tracefs();
	r = other_agent_bpf__attach(skeleton);
	printf(r < 0 ? "refused %d\n" : "ready\n", r);
	if (r < 0 || !fgets(line, sizeof(line), stdin))
		return 1;
	r = run_everywhere(seconds, busy_ns, skeleton->data->marked);
	printf("done %llu %llu\n", (unsigned long long)skeleton->bss->spent_ns,
	       (unsigned long long)skeleton->bss->runs);
	if (!fgets(line, sizeof(line), stdin))
		r = -EIO;
	other_agent_bpf__destroy(skeleton);
	return r < 0;
}
