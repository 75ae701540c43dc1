/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * child - one of the started programs while it runs: its control socket, stderr and end
 *
 * Parent     this process, or its starter, which then ends it and waits for it.
 * Trust      it may be compromised: messages have one size or close the connection, text is cleaned
 *            and bounded before it is printed, and the program can be killed at any time.
 * Errors     CHILD_E_NONE (no message now), CHILD_E_CLOSED (no further message).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/starter_client.h"
#include "shared/control.h"

#define CHILD_NOTES_MAX  64u
#define CHILD_STDERR_MAX (32u << 10) /* bytes; what comes after is thrown away */

enum {
	CHILD_E_NONE = 1,
	CHILD_E_CLOSED = 2,
};

struct child {
	const char *name;
	struct starter_client *starter; /* borrowed; NULL: this process is its parent */
	enum program_paths_program program;
	pid_t pid; /* 0: not running */
	int pidfd;
	int control; /* our end; -1: closed */
	int errors;  /* its stderr; -1: closed */
	bool ready;
	bool done;   /* sent DONE with code 0 */
	bool failed; /* sent FAILED, or DONE with an error */
	bool lost;   /* will not finish: failed, or died before DONE */
	bool ended;  /* waited for */
	int status;  /* of wait */
	unsigned notes;
	size_t stderr_bytes;
	uint64_t cpu_ns;    /* once ended also of the children it waited for */
	uint64_t rss_bytes; /* peak; last seen alive, else from wait */
};
#define CHILD_NULL ((struct child){.pidfd = -1, .control = -1, .errors = -1})

/* Has @starter start it; what it is to get was given before. Return: 0, or an exit code, after
 * printing why. */
int child_start(struct child *ret_program, struct starter_client *starter,
		enum program_paths_program program);
/* Return: 0 (text in it is cleaned), CHILD_E_NONE, CHILD_E_CLOSED (killed, unless it is done). */
int child_receive(struct child *program, struct tm_control *ret_message);
/* Return: 0, -errno (-EAGAIN: it does not read). */
int child_send(struct child *program, enum tm_control_kind kind, uint64_t value);
/* The same with a descriptor, which stays the caller's. */
int child_send_fd(struct child *program, enum tm_control_kind kind, uint64_t value, int fd);
/* Any message. @fd: -1 for none, else a descriptor, which stays the caller's. */
int child_send_message(struct child *program, const struct tm_control *message, int fd);
/* Prints what it wrote to its stderr, line by line, until nothing is there. */
void child_print_errors(struct child *program);
/* Prints a NOTE, up to CHILD_NOTES_MAX of them. */
void child_note(struct child *program, const char *text);
/* Reads the peak of its memory and the CPU time it used; nothing if it is gone. */
void child_measure(struct child *program);
/* SIGKILL, if it still runs. */
void child_end(struct child *program);
/* After its pidfd became readable: waits, keeps status and cost. */
void child_reap(struct child *program);
/* SIGKILL and wait, if it still runs; closes everything. Total. */
void child_kill(struct child *program);
