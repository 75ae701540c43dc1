/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spawn_wait - starts a program and waits for its end, one program at a time or at a given rate
 */

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

/* Sleeps until @ns of CLOCK_MONOTONIC. */
static inline void spawn_wait_until(uint64_t ns)
{
	const struct timespec at = {.tv_sec = (time_t)(ns / 1000000000u),
				    .tv_nsec = (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

/*
 * Runs @program with one argument, or with none where it is NULL, and an empty environment.
 * Return: the wait status, or -errno.
 */
static inline int spawn_and_wait(char *program, char *argument)
{
	char *arguments[] = {program, argument, NULL}, *environment[] = {NULL};
	int status, r;
	pid_t pid;

	r = posix_spawn(&pid, program, NULL, NULL, arguments, environment);
	if (r != 0)
		return -r;
	return waitpid(pid, &status, 0) == pid ? status : -errno;
}
