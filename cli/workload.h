/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * workload - COMMAND, the recorded program: it waits until sampling is attached, then runs
 *
 * It has the caller's identity, environment, stdio, descriptors, limits and signals.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "cli/command_files.h"

#define WORKLOAD_FILES_MAX (COMMAND_FILES_MAX + 2)     /* and those of this program and its libc */
#define WORKLOAD_FILES_MS  (2 * COMMAND_FILES_LIST_MS) /* then it is recorded without them */
#define WORKLOAD_END_MS    2000 /* between SIGTERM and SIGKILL at the end of the recording */

struct starter_client;

struct workload {
	const char *name;
	struct starter_client *starter; /* sends signals to it; borrowed. NULL: this process does */
	pid_t pid;                      /* 0: none */
	int pidfd;
	int gate;   /* one byte lets it run; closed: it exits */
	int report; /* an errno comes when it cannot be executed; end of file when it runs */
	uint64_t files[WORKLOAD_FILES_MAX]; /* addresses at which it has mapped what it will load */
	unsigned file_count;
	bool ended;
	int status; /* of wait; valid when ended */
	int error;  /* errno of exec; 0: none */
};
#define WORKLOAD_NULL ((struct workload){.pidfd = -1, .gate = -1, .report = -1})

/* Remembers the caller's limits; once, before any is changed. */
void workload_remember_limits(void);
/* Forks it; it maps its files and waits. Return: 0, -errno. */
int workload_start(struct workload *ret_workload, char *const argv[]);
/* Lets it run. */
void workload_release(struct workload *workload);
/* After `report` became readable: did the execution fail? Return: 0, or the errno. */
int workload_executed(struct workload *workload);
/* After `pidfd` became readable. */
void workload_reap(struct workload *workload);
/* Ends it if it still runs: SIGTERM, then SIGKILL. If the starter is gone, it goes on, which is
 * printed. Total. */
void workload_finish(struct workload *workload);
/* As a shell gives it, 0..255: the status, or 128 + signal. */
int workload_code(const struct workload *workload);
