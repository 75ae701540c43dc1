/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * workload - COMMAND, the program that is recorded: waits until sampling is attached, then runs
 *
 * It has the caller's identity, environment, stdio, descriptors, limits and signals.
 */

#include <sys/resource.h>
#include <sys/types.h>

#define COMMAND_END_MS 2000 /* between SIGTERM and SIGKILL at the end of the recording */

struct command {
	const char *name;
	pid_t pid; /* 0: none */
	int pidfd;
	int gate;   /* one byte lets it run; closed: it gives up */
	int report; /* an errno comes when it cannot be executed; end of file when it runs */
	int ended;
	int status; /* of wait; valid when ended */
	int error;  /* errno of exec; 0: none */
};
#define COMMAND_NULL ((struct command){.pidfd = -1, .gate = -1, .report = -1})

/* Remembers the caller's limits; once, before any is changed. */
void command_remember_limits(void);
/* Forks it; it waits. Return: 0, -errno. */
int command_start(struct command *ret_command, char *const argv[]);
/* Lets it run. */
void command_release(struct command *command);
/* After `report` became readable: did the execution fail? Return: 0, or the errno. */
int command_executed(struct command *command);
/* After `pidfd` became readable. */
void command_reap(struct command *command);
/* Ends it if it still runs: SIGTERM, then SIGKILL. Total. */
void command_finish(struct command *command);
/* 0..255 as a shell would say it: the status, or 128 + signal. */
int command_code(const struct command *command);
