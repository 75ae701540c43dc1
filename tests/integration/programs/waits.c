/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits - waits in known ways: sleeps of half a second, and for answers through pipes
 *
 * waits SLEEPS ANSWERS: first the sleeps, then the answers; prints what these took by the clock, in
 * ns. The thread that answers sleeps 2 ms each time.
 */

#include "bare.h"

#define SLEEP_NS  500000000
#define ANSWER_NS 2000000

static int questions[2], answers[2];

bare_noinline static void sleep_for(long ns)
{
	const struct timespec time = {.tv_nsec = ns};

	bare_frame();
	bare_call(SYS_nanosleep, (long)(uintptr_t)&time, 0, 0, 0);
}

bare_noinline static long read_byte(int fd)
{
	char byte;

	bare_frame();
	return bare_call(SYS_read, fd, (long)(uintptr_t)&byte, 1, 0);
}

bare_noinline static void write_byte(int fd)
{
	bare_frame();
	bare_call(SYS_write, fd, (long)(uintptr_t) "x", 1, 0);
}

bare_noinline static void sleep_often(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sleep_for(SLEEP_NS);
	bare_frame();
}

bare_noinline static void answer(long count)
{
	for (long i = 0; i < count; i++) {
		read_byte(questions[0]);
		sleep_for(ANSWER_NS);
		write_byte(answers[1]);
	}
	bare_frame();
}

bare_noinline static void ask(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		write_byte(questions[1]);
		read_byte(answers[0]);
	}
	bare_frame();
}

static void say_number(const char *what, uint64_t number)
{
	char text[24];
	size_t at = sizeof(text);

	text[--at] = '\0';
	text[--at] = '\n';
	do {
		text[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	bare_say(what);
	bare_say(text + at);
}

int bare_run(int argc, char **argv)
{
	unsigned sleeps = argc > 1 ? bare_number(argv[1]) : 1;
	unsigned count = argc > 2 ? bare_number(argv[2]) : 1;
	uint64_t begin;

	if (bare_call(SYS_pipe, (long)(uintptr_t)questions, 0, 0, 0) ||
	    bare_call(SYS_pipe, (long)(uintptr_t)answers, 0, 0, 0))
		return 2;
	sleep_often(sleeps);
	begin = bare_clock_ns(CLOCK_MONOTONIC);
	bare_thread_begin(0, answer, (long)count);
	ask(count);
	say_number("TM-ASKED ", bare_clock_ns(CLOCK_MONOTONIC) - begin);
	bare_thread_join(0);
	return 0;
}
