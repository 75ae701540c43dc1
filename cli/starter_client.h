/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * starter_client - asks the starter, which keeps root, for what the command may not do itself
 *
 * Shape      each call but the first and the last is one request and its answer, which it waits for
 *            (starter/message.h).
 * Errors     -EPIPE: the starter is gone, which is printed once. Its programs die with it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/program_paths.h"
#include "cli/starter/message.h"

struct starter_client {
	int socket; /* -1: none */
	pid_t pid;
	bool is_gone;
};
#define STARTER_CLIENT_NULL ((struct starter_client){.socket = -1})

/* What a program that was started is known by here. */
struct starter_client_started {
	pid_t pid;
	int pidfd;
	int errors; /* its stderr */
};

/* The starter's work. @command: a pidfd of the process that forked it. */
typedef void starter_client_serve_fn(void *context, int socket, int command);

/* Forks it. Return: 0, -errno. */
int starter_client_fork(struct starter_client *ret_client, starter_client_serve_fn *serve,
			void *context);
/* The next START hands @fd over, which stays the caller's; -1: nothing. Return: 0, -EPIPE. */
int starter_client_give(struct starter_client *client, enum starter_slot slot, int fd);
/* Return: 0, or an exit code, after printing why. The descriptors are the caller's. */
int starter_client_start(struct starter_client *client, enum program_paths_program program,
			 struct starter_client_started *ret_started);
/* SIGKILL for what was started last as @program. */
void starter_client_kill(struct starter_client *client, enum program_paths_program program);
/* Waits for its end. Return: 0, -errno. */
int starter_client_wait(struct starter_client *client, enum program_paths_program program,
			struct starter_answer *ret_answer);
/* @number: SIGTERM, SIGCONT or SIGKILL, for COMMAND. Return: 0, -errno. */
int starter_client_signal(struct starter_client *client, int number);
/* Return: the perf event of @cpu, -errno. */
int starter_client_event(struct starter_client *client, unsigned cpu);

/* Files of reports: those of the first one until NEXT, then those of the next.
 * @count: of @ret_fds; -1 in it: that one is left out. Return: 0, or an exit code, after printing
 * why. */
int starter_client_open(struct starter_client *client, unsigned number, bool must, int *ret_fds,
			size_t count);
/* Return: 0, -errno, printed. */
int starter_client_commit(struct starter_client *client, size_t index);
void starter_client_renumber(struct starter_client *client, unsigned number);
void starter_client_next(struct starter_client *client);

/* Ends it, and waits until it has removed what is not stored. Total. */
void starter_client_stop(struct starter_client *client);
