/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pid_reuse - gives one PID to one child after the other, each spinning in a function of its own
 *
 * pid_reuse PID COUNT MICROSECONDS CASE [ARGUMENT...]     (the parent; writes "index pid cpu_us"
 * lines)
 *   fork                 the child goes on in this executable
 *   cgroup FD FD         the same, born in one of two cgroups in turn (open directories)
 *   exec PROGRAM         the child executes PROGRAM spin INDEX MICROSECONDS
 *   clones PREFIX        the child executes PREFIXnnnnnn MILLISECONDS, nnnnnn from 1
 * pid_reuse spin INDEX MICROSECONDS                       (what such a PROGRAM does)
 *
 * The child of index N renames itself to gN and burns its CPU time in spin_N. The parent reaps a
 * child and asks at once for the same PID again (clone3, set_tid).
 */

#include <linux/sched.h>
#include <sys/resource.h>

#include "bare.h"

#define SPINS          10000 /* functions; SPIN_BYTES apart */
#define SPIN_BYTES     32
#define SIGCHLD_NUMBER 17
#define TRIES          64 /* of a PID that another process may have taken */

/* spin_0 .. spin_9999: counts rdi down, with a frame of its own. */
__asm__(".altmacro\n"
	".macro spin_function number\n"
	".balign 32\n"
	".globl spin_\\number\n"
	".type spin_\\number, @function\n"
	"spin_\\number:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"1:	dec %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	".size spin_\\number, . - spin_\\number\n"
	".endm\n"
	".text\n"
	".balign 32\n"
	".set spin_index, 0\n"
	".rept 10000\n"
	"	spin_function %spin_index\n"
	".set spin_index, spin_index + 1\n"
	".endr\n"
	".noaltmacro\n");
/* Hidden, since position-independent code would otherwise read its address from a table that is
 * never relocated. */
__attribute__((visibility("hidden"))) extern const char spin_0[];

struct plan {
	unsigned count;
	unsigned microseconds;
	const char *what;
	char **arguments;
};

static int same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static char *put_number(char *at, unsigned long value, unsigned digits)
{
	char text[24];
	unsigned n = 0;

	do {
		text[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value || n < digits);
	while (n)
		*at++ = text[--n];
	*at = '\0';
	return at;
}

static char *put_text(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	*at = '\0';
	return at;
}

bare_noinline static void spin_until(unsigned index, unsigned microseconds)
{
	uint64_t address = (uint64_t)(uintptr_t)spin_0 + (uint64_t)index * SPIN_BYTES;
	void (*spin)(uint64_t) = (void (*)(uint64_t))(uintptr_t)address;
	uint64_t begin = bare_clock_ns(CLOCK_PROCESS_CPUTIME_ID); /* kept over an exec */

	while (bare_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin < (uint64_t)microseconds * 1000u)
		spin(100000);
}

static void be_child(unsigned index, unsigned microseconds)
{
	char name[16];

	put_number(put_text(name, "g"), index, 1);
	bare_call(SYS_prctl, 15 /* PR_SET_NAME */, (long)(uintptr_t)name, 0, 0);
	spin_until(index, microseconds);
	bare_call(SYS_exit_group, 0, 0, 0, 0);
}

static void execute(const struct plan *plan, unsigned index)
{
	char number[16], microseconds[16], path[512], word[] = "spin";
	char *spin[] = {plan->arguments[0], word, number, microseconds, NULL};
	char *clone[] = {path, microseconds, NULL};
	char *none[] = {NULL};
	char **arguments = spin;

	put_number(number, index, 1);
	put_number(microseconds, plan->microseconds, 1);
	if (same_text(plan->what, "clones")) {
		put_number(put_text(path, plan->arguments[0]), index + 1, 6);
		put_number(microseconds, plan->microseconds / 1000, 1);
		arguments = clone;
	}
	bare_call(SYS_execve, (long)(uintptr_t)arguments[0], (long)(uintptr_t)arguments,
		  (long)(uintptr_t)none, 0);
	bare_call(SYS_exit_group, 9, 0, 0, 0);
}

static long give_birth(const struct plan *plan, unsigned index, int pid)
{
	struct clone_args arguments = {.exit_signal = SIGCHLD_NUMBER};
	long child = -17;

	arguments.set_tid = (uint64_t)(uintptr_t)&pid;
	arguments.set_tid_size = 1;
	if (same_text(plan->what, "cgroup")) {
		arguments.flags = CLONE_INTO_CGROUP;
		arguments.cgroup = bare_number(plan->arguments[index & 1]);
	}
	child = bare_call(SYS_clone3, (long)(uintptr_t)&arguments, sizeof(arguments), 0, 0);
	if (child == 0) {
		if (same_text(plan->what, "fork") || same_text(plan->what, "cgroup"))
			be_child(index, plan->microseconds);
		execute(plan, index);
	}
	return child;
}

static void report(unsigned index, long pid, const struct rusage *usage)
{
	char line[96];
	char *at = put_number(line, index, 1);

	at = put_number(put_text(at, " "), (unsigned long)pid, 1);
	at = put_number(
		put_text(at, " "),
		(unsigned long)((usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000 +
				usage->ru_utime.tv_usec + usage->ru_stime.tv_usec),
		1);
	put_text(at, "\n");
	bare_say(line);
}

/* If another process has that PID, the next lower one is used. */
static int reuse(const struct plan *plan, unsigned pid)
{
	for (unsigned index = 0; index < plan->count; index++) {
		struct rusage usage;
		long child = -17;
		int status = 0;

		for (unsigned tries = 0; child < 0 && tries < TRIES; tries++) {
			child = give_birth(plan, index, (int)pid);
			pid -= child < 0;
		}
		if (child < 0)
			return (int)-child;
		bare_call(SYS_wait4, child, (long)(uintptr_t)&status, 0, (long)(uintptr_t)&usage);
		if (status != 0)
			return 8;
		report(index, child, &usage);
	}
	return 0;
}

int bare_run(int argc, char **argv)
{
	struct plan plan;

	if (argc >= 4 && same_text(argv[1], "spin")) { /* as a #! interpreter it gets one more */
		be_child(bare_number(argv[argc - 2]), bare_number(argv[argc - 1]));
	} else if (argc >= 5) {
		plan.count = bare_number(argv[2]);
		plan.microseconds = bare_number(argv[3]);
		plan.what = argv[4];
		plan.arguments = argv + 5;
		return plan.count > SPINS ? 2 : reuse(&plan, bare_number(argv[1]));
	}
	return 2;
}
