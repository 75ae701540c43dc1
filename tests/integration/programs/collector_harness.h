/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * collector_harness - a real collector at work, for a program that plays both the command and the
 * symbolizer
 *
 * Owns       the collector's process, both sockets, a child that spins so that there are samples.
 * Limits     each wait ends after HARNESS_PATIENCE messages of counts, of which some come each
 *            second.
 * Errors     -ETIMEDOUT: it did not happen; -EPIPE: the collector is gone; -errno.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "shared/control.h"

#define HARNESS_PATIENCE 40
#define HARNESS_HZ       499
#define HARNESS_CODES \
	64 /* files that the child runs code of, so that there is something to answer */

struct harness {
	pid_t collector, spinner;
	int control;
	const char *folder; /* the caller's */
	int wire;           /* our end; -1: the collector has closed it, or there is none */
	bool started;       /* sampling */
	bool over;          /* the collector is gone or says that it failed */
	uint64_t reports;
	struct tm_counts counts;
	struct tm_wire files[HARNESS_CODES]; /* the first FILEs of the child on this wire */
	unsigned file_count, files_used;
	struct tm_wire answer; /* the last OPENED of this wire */
	unsigned answers;
	ino_t opened; /* of the descriptor that came with it; 0: none came */
};

/*
 * @collector, @opener: paths; @folder: for the files of code, and the root of debug files; a full
 * path without links, which is kept. Records the whole host. Return: 0, -errno.
 */
int harness_start(struct harness *harness, const char *collector, const char *opener,
		  const char *folder);
/*
 * Replaces the wire by a new one, so that the collector takes us for a new symbolizer. Return: 0,
 * -errno.
 */
int harness_attach(struct harness *harness);
/* Receives messages until @met returns true. Return: 0, -ETIMEDOUT, -EPIPE. */
int harness_until(struct harness *harness,
		  bool (*met)(const struct harness *harness, const void *context),
		  const void *context);
/* Waits for the next FILE to answer. Return: 0, -ETIMEDOUT, -EPIPE. */
int harness_next_file(struct harness *harness, struct tm_wire *ret_file);
/* Sends STOP and waits for the end. Return: the collector's exit code, -errno. */
int harness_stop(struct harness *harness);
