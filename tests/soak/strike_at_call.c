/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strike_at_call - runs a command and sends a signal to one of its processes as it enters a certain
 * system call
 *
 * strike_at_call count REPORT COMMAND...: REPORT gets a line `PROGRAM CALL COUNT` each.
 * strike_at_call strike REPORT PROGRAM CALL NTH SIGNAL MS COMMAND...: strikes whoever is named
 *     PROGRAM as it enters call number CALL for the NTH time, counted over all processes of that
 *     name. SIGKILL keeps it from making the call; after SIGSTOP it makes the call, and goes on MS
 *     later. REPORT gets `struck MS PARENT`: when, since the start, and the name of the victim's
 *     parent; nothing if there was no such call.
 *
 * From the strike on nobody is traced. The exit code is that of the command; 99: this failed.
 */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/ptrace.h>

#define FAILED     99
#define COMM_BYTES 16 /* TASK_COMM_LEN */
#define KINDS      4096
#define THREADS    1024
#define SYSCALL    (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */
#define FOLLOWED                                                                                  \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEEXEC)

struct kind { /* calls of one number by programs of one name */
	char name[COMM_BYTES];
	uint64_t call;
	uint64_t count;
};

struct strike {
	const char *name; /* NULL: none is wanted */
	uint64_t call, nth;
	int signal;
	unsigned pause_ms;
	pid_t victim; /* 0: not yet */
};

static struct kind kinds[KINDS];
static unsigned kind_count;
static pid_t threads[THREADS]; /* 0: free */
static FILE *report;
static struct timespec began;

static void fail(const char *what)
{
	(void)fprintf(stderr, "strike_at_call: %s: %s\n", what, strerror(errno));
	exit(FAILED);
}

static unsigned milliseconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)((now.tv_sec - began.tv_sec) * 1000 +
			  (now.tv_nsec - began.tv_nsec) / 1000000);
}

/* The value of a line `KEY:\tVALUE` of /proc/PID/status. "": the process is gone. */
static void status_of(pid_t pid, const char *key, char ret_value[COMM_BYTES])
{
	char path[64], line[256];
	size_t length = strlen(key);
	FILE *file;

	ret_value[0] = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && !ret_value[0] && fgets(line, sizeof(line), file))
		if (strncmp(line, key, length) == 0 && line[length] == ':')
			(void)sscanf(line + length + 1, "%15s", ret_value);
	if (file)
		(void)fclose(file);
}

static pid_t number_of(pid_t pid, const char *key)
{
	char value[COMM_BYTES];

	status_of(pid, key, value);
	return (pid_t)strtol(value, NULL, 10);
}

static struct kind *kind_of(const char *name, uint64_t call)
{
	for (unsigned i = 0; i < kind_count; i++)
		if (kinds[i].call == call && strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	if (kind_count == KINDS)
		fail("too many kinds of calls");
	kinds[kind_count].call = call;
	(void)snprintf(kinds[kind_count].name, COMM_BYTES, "%s", name);
	return &kinds[kind_count++];
}

/* Those that run are interrupted, so that each stops once more and can be let go. */
static void interrupt_all(void)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (threads[i])
			(void)ptrace(PTRACE_INTERRUPT, threads[i], NULL, NULL);
}

/* A thread is about to make a call. */
static void note_call(struct strike *strike, pid_t thread, uint64_t call)
{
	char name[COMM_BYTES], parent[COMM_BYTES];
	pid_t process = number_of(thread, "Tgid");
	struct kind *kind;

	status_of(process, "Name", name);
	kind = kind_of(name, call);
	kind->count++;
	if (!strike->name || strike->victim || call != strike->call ||
	    strcmp(name, strike->name) != 0 || kind->count != strike->nth)
		return;
	status_of(number_of(process, "PPid"), "Name", parent);
	(void)fprintf(report, "struck %u %s\n", milliseconds(), parent);
	strike->victim = process;
	(void)kill(process, strike->signal);
	interrupt_all();
}

static bool know(pid_t thread, bool here)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (threads[i] == thread) {
			threads[i] = here ? thread : 0;
			return true;
		}
	return false;
}

static void add(pid_t thread)
{
	if (know(thread, true))
		return;
	for (unsigned i = 0; i < THREADS; i++)
		if (!threads[i]) {
			threads[i] = thread;
			return;
		}
	fail("too many threads");
}

/* The thread's child is traced, too, and may stop only after its parent was let go. */
static void add_child(pid_t thread)
{
	unsigned long child;

	if (ptrace(PTRACE_GETEVENTMSG, thread, NULL, &child) == 0 &&
	    number_of((pid_t)child, "TracerPid") == getpid())
		add((pid_t)child);
}

/* A traced thread has stopped: it is looked at, and goes on. */
static void stopped(struct strike *strike, pid_t thread, int status)
{
	struct ptrace_syscall_info info;
	int signal = WSTOPSIG(status), event = status >> 16;
	bool delivered = !event && signal != SYSCALL;

	add(thread);
	if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	    event == PTRACE_EVENT_CLONE)
		add_child(thread);
	if (signal == SYSCALL && !event && !strike->victim &&
	    ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) > 0 &&
	    info.op == PTRACE_SYSCALL_INFO_ENTRY)
		note_call(strike, thread, info.entry.nr);
	if (strike->victim) {
		/* Who is dying cannot be let go, and is waited for. */
		if (ptrace(PTRACE_DETACH, thread, NULL, delivered ? (long)signal : 0L) == 0)
			(void)know(thread, false);
	} else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
		(void)ptrace(PTRACE_LISTEN, thread, NULL, NULL);
	} else {
		(void)ptrace(PTRACE_SYSCALL, thread, NULL, delivered ? (long)signal : 0L);
	}
}

static bool is_traced(void)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (threads[i])
			return true;
	return false;
}

/* Until nobody is traced any more. Return: how the command ended; -1: it has not yet. */
static int follow(struct strike *strike, pid_t command)
{
	int status, end = -1;
	pid_t thread;

	while (is_traced()) {
		thread = waitpid(-1, &status, 0);
		if (thread < 0 && errno == ECHILD)
			break;
		if (thread < 0)
			continue;
		if (WIFSTOPPED(status)) {
			stopped(strike, thread, status);
			continue;
		}
		(void)know(thread, false);
		if (thread == command)
			end = status;
	}
	return end;
}

static pid_t start(char **arguments)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		fail("fork");
	if (child == 0) {
		(void)raise(SIGSTOP);
		(void)execvp(arguments[0], arguments);
		fail(arguments[0]);
	}
	if (waitpid(child, &status, WUNTRACED) < 0 || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SEIZE, child, NULL, (long)FOLLOWED) < 0)
		fail("the command cannot be traced");
	add(child);
	(void)kill(child, SIGCONT);
	return child;
}

/* Lets a stopped victim go on after the pause, unless the command has ended before. */
static void end_pause(const struct strike *strike)
{
	const struct timespec pause = {.tv_sec = strike->pause_ms / 1000,
				       .tv_nsec = strike->pause_ms % 1000 * 1000000L};

	if (!strike->victim || strike->signal != SIGSTOP)
		return;
	(void)nanosleep(&pause, NULL); /* how long is part of the test */
	(void)kill(strike->victim, SIGCONT);
}

int main(int argc, char **argv)
{
	struct strike strike = {0};
	int first = 3, status;
	pid_t command;

	if (argc > 8 && strcmp(argv[1], "strike") == 0) {
		strike = (struct strike){argv[3],
					 strtoul(argv[4], NULL, 10),
					 strtoul(argv[5], NULL, 10),
					 (int)strtol(argv[6], NULL, 10),
					 (unsigned)strtoul(argv[7], NULL, 10),
					 0};
		first = 8;
	} else if (argc < 4 || strcmp(argv[1], "count") != 0) {
		errno = EINVAL;
		fail("how to use it stands at its head");
	}
	report = fopen(argv[2], "we");
	if (!report)
		fail(argv[2]);
	(void)clock_gettime(CLOCK_MONOTONIC, &began);
	command = start(argv + first);
	status = follow(&strike, command);
	end_pause(&strike);
	if (status < 0 && waitpid(command, &status, 0) < 0)
		fail("the command is lost");
	for (unsigned i = 0; !strike.name && i < kind_count; i++)
		(void)fprintf(report, "%s %llu %llu\n", kinds[i].name,
			      (unsigned long long)kinds[i].call,
			      (unsigned long long)kinds[i].count);
	if (fclose(report) != 0)
		fail("REPORT");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
