/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * message - what the command asks its starter for, and the answers
 *
 * Shape      one SEQPACKET socketpair; requests and answers are structs of one size each. Each
 *            request but GIVE is answered, in order.
 * Trust      the starter trusts no request beyond what its kinds allow: no path, no account, no
 *            argument of a program and no pid comes from the command.
 */

#include <stdint.h>

enum starter_request_kind {
	/* `what`: enum starter_slot; with a descriptor for the next START. Not answered. */
	STARTER_GIVE = 1,
	/* `what`: enum program_paths_program. It gets the descriptors that were given. Answer:
	 * `code` (0, or an exit code, and why is printed) and `pid`, with the pidfd; after 0 a
	 * second answer comes with what to read its stderr from. */
	STARTER_START,
	/* `what`: a program that was started: SIGKILL. Answer: `code` (0, -errno). */
	STARTER_KILL,
	/* `what`: likewise: waits for its end. Answer: `status`, `cpu_ns`, `rss_bytes`. */
	STARTER_WAIT,
	/* `what`: a signal to COMMAND: SIGTERM, SIGCONT or SIGKILL. Answer: as KILL. */
	STARTER_SIGNAL,
	/* `value`: a CPU. Answer: with its perf event; or `code`: -errno. */
	STARTER_EVENT,
	/* The files of report `value`. `what`: 1: of the first one, and each must open, once; 0: of
	 * the next one, and those that do not open are left out: numbers follow each other.
	 * Answer: `code` (0, or an exit code, and why is printed); after 0 one more for each
	 * output, and one for the summary if there is one: with its descriptor, or `code` 1: it was
	 * left out, which is printed. */
	STARTER_OPEN,
	/* Output `what` of the first report that has files is whole: it gets its name. The
	 * summary's number is that behind the last output. Answer: `code` (0, or -errno, which is
	 * printed). */
	STARTER_COMMIT,
	/* That report gets the number `value` instead of its own: of one that was lost. Answer:
	 * `code` (0, -EINVAL). */
	STARTER_RENUMBER,
	/* It is over: what has no name yet is removed, and the next one is the first. */
	STARTER_NEXT,
};

/* Descriptors that the programs are given: which of them has which, says starter/programs.c. */
enum starter_slot {
	STARTER_SLOT_CONTROL,
	STARTER_SLOT_WIRE,
	STARTER_SLOT_SOCKET, /* of a program that has only one */
	STARTER_SLOT_OPENER,
	STARTER_SLOT_DEBUGINFOD,
	STARTER_SLOT_EXPORTER,
	STARTER_SLOT_SPOOL,
	STARTER_SLOT_N,
};

struct starter_request {
	uint32_t kind; /* enum starter_request_kind */
	uint32_t what;
	uint64_t value;
};

struct starter_answer {
	int32_t code;
	int32_t pid;
	int32_t status; /* of wait */
	int32_t unused;
	uint64_t cpu_ns, rss_bytes; /* peak */
};
