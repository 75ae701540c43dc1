/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_requests - gets announced files opened, some at a time, and sends them to the symbolizer
 *
 * Shape      one small state per file number, a queue of announcements, and lanes, each for one
 *            file: request to the opener -> the kernel says which file its worker has mapped ->
 *            accept or refuse -> descriptor, or the reason for its lack, to the symbolizer. In
 *            turn with files, paths that the collector made are opened, one at a time; of those
 *            the kernel only says whether a process serves their file system.
 * Hangs      a file that hangs keeps its lane until its worker's deadline. What else its owner may
 *            have opened meanwhile, and later, says file_queue.h.
 * Back-off   a file that failed is tried again when it is announced after its pause. For reasons
 *            that may pass (gone, replaced, hung; the symbolizer could not parse it) its
 *            announcement mark in the BPF map is cleared after the pause, so that its next sample
 *            announces it. The number of a file that changed is retired then instead: its next
 *            sample gets another one.
 * Units      milliseconds of CLOCK_MONOTONIC, passed in by the caller.
 * Again      the record of a file that was sent is kept, so that its file can be opened once more
 *            when the symbolizer asks for it (REOPENED), also after the last sample. A file whose
 *            record is not kept is announced again by its next sample.
 * Owner      the opener client and the link stay the caller's.
 * Trust      records have passed tm_event_check_from_bpf; answers of the opener are checked here.
 * Limits     FILE_REQUESTS_MAX numbers, FILE_QUEUE_LANES lanes; announcements that the queue does
 *            not take wait until they are announced again, in the next epoch. TM_PATHS_IN_FLIGHT
 *            paths that the symbolizer asks for, FILE_REQUESTS_PERF_MAPS perf maps.
 * Threads    one. Never waits: while the wire is full, what is to be sent stays in its lane until
 *            the next round.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/file_queue.h"
#include "collector/file_records.h"
#include "collector/opener_client.h"
#include "collector/symbolizer_link.h"
#include "shared/bpf_state.h"

#define FILE_REQUESTS_MAX       SYMBOLIZER_LINK_NUMBERS
#define FILE_REQUESTS_PERF_MAPS 32
#define FILE_REQUESTS_USERS     4 /* of a file, that are known by themselves */
#define FILE_REQUESTS_PATHS     (TM_PATHS_IN_FLIGHT + FILE_REQUESTS_PERF_MAPS)
/* After the first failure; doubled by each further one. Short, since it may be that of a program
 * that ran for an instant in a container, before the one that stays. */
#define FILE_REQUESTS_PAUSE_MS   125
#define FILE_REQUESTS_PAUSES_MAX 9    /* doublings */
#define FILE_REQUESTS_PAUSES_NEW 6    /* doublings before a number is replaced */
#define FILE_REQUESTS_ASK_MS     3000 /* without a worker for so long, the opener is given up */

enum file_requests_state {
	FILE_REQUESTS_UNSEEN,
	FILE_REQUESTS_AHEAD, /* the same, but it has a number and a table already */
	FILE_REQUESTS_QUEUED,
	FILE_REQUESTS_SENT,
	FILE_REQUESTS_ANSWERED, /* its unwind table came */
	FILE_REQUESTS_FAILED,
	FILE_REQUESTS_RETRY, /* this one and the next: after a pause, without an announcement */
	FILE_REQUESTS_RETIRE /* as RETRY, but with another number */
};

struct file_requests_entry {
	uint8_t state; /* enum file_requests_state */
	uint8_t failures;
	bool again;         /* the record is queued or in a lane, for REOPENED */
	uint8_t user_count; /* at its last announcement; 0: none since it was reset */
	uint32_t retry_ms;  /* earliest next attempt */
	uint32_t seen_ms;   /* ktime of its last announcement, written by reclaim.c; 0: none */
	uint16_t users[FILE_REQUESTS_USERS]; /* the first ones; below FILE_QUEUE_OWNERS */
	uint32_t sent; /* FILE_REQUESTS_SENT: ktime of its announcement, in units of 2^10 ns */
};

struct file_requests_path {
	struct tm_wire answer; /* without its reason; kind 0: nobody waits for it any more */
	struct opener_request request;
};

enum file_requests_stage {
	FILE_REQUESTS_IDLE,
	FILE_REQUESTS_ASKED,
	FILE_REQUESTS_STARTED, /* it has a worker */
	FILE_REQUESTS_SENDING
};

struct file_requests_lane {
	enum file_requests_stage stage;
	struct tm_file *file;    /* NULL: for the path that is being opened */
	int worker;              /* socket to it; -1: none */
	uint64_t since_ms;       /* the worker's deadline begins then, or later */
	uint64_t until_ms;       /* waits for the worker's next answer, or its end */
	uint32_t owner;          /* of the opened file */
	bool accepted;           /* its descriptor may come */
	enum tm_no_file refusal; /* why what was found is not taken; 0: nothing was */
	int fd;                  /* to be sent; -1: the reason is sent */
	enum tm_no_file reason;
};

/* What the BPF side does for files; functions of the loader, or of a test. */
struct file_requests_kernel {
	void *context;
	/* Which file @pid has mapped at @address. @identity: NULL: any file is the right one.
	 * Return: enum tm_check_status from OTHER on, -errno. */
	int (*match_file)(void *context, uint32_t pid, uint64_t address,
			  const struct tm_identity *identity);
	/* Changes the BPF map entry of @number. @value: for TM_FILE_TABLE. Return: 0, -errno. */
	int (*change)(void *context, uint32_t number, enum tm_file_change change, uint64_t value);
	/* Numbers a file that was not sampled yet. Return: its number; -ENOENT: it gets none, or
	 * has one; -errno. */
	int (*number)(void *context, const struct tm_identity *identity);
};

struct file_requests {
	struct opener_client *opener;
	struct symbolizer_link *link;
	struct file_requests_kernel kernel;
	struct file_requests_entry *entries;
	uint32_t highest;  /* number announced so far */
	uint32_t retrying; /* entries in FILE_REQUESTS_RETRY or FILE_REQUESTS_RETIRE */
	struct file_queue queue;
	struct file_requests_path paths[FILE_REQUESTS_PATHS];
	uint32_t path_head, path_tail; /* free-running */
	uint32_t perf_maps;            /* of those paths */
	struct file_records records;

	struct file_requests_lane lanes[FILE_QUEUE_LANES];
	struct file_requests_path *path; /* has a lane; in `paths` */
	bool path_is_next;               /* if there is one */

	struct tm_file_counts counts;
};

/* Return: 0, -ENOMEM. */
int file_requests_init(struct file_requests *files, struct opener_client *opener,
		       struct symbolizer_link *link, struct file_requests_kernel kernel);
void file_requests_deinit(struct file_requests *files);

/* Queues a checked FILE record, of which it takes a copy. */
void file_requests_announce(struct file_requests *files, const struct tm_file *file,
			    uint64_t now_ms);
/* Has one of several paths opened and the answer sent. Return: whether there was space for it. */
bool file_requests_open_path(struct file_requests *files, const struct tm_wire *answer,
			     const struct opener_request *request);
/* Whether the number's file is queued or in a lane. */
bool file_requests_pending(const struct file_requests *files, uint32_t number);
/* Takes an unwind table for the answer to the FILE message that carried @value. Return: whether
 * that answer was due; it is then no longer. */
bool file_requests_answered(struct file_requests *files, uint32_t number, uint64_t value);
/* The symbolizer has answered the FILE message that carried @value and wants its file once more: it
 * is opened again, or announced again after a pause. Return: whether that message was the last one
 * and its file is not on its way already. */
bool file_requests_again(struct file_requests *files, uint32_t number, uint64_t value,
			 uint64_t now_ms);
/* The symbolizer could not parse the file of the FILE message that carried @value: it is sent again
 * after a pause. Return: whether that answer was due. */
bool file_requests_unparsed(struct file_requests *files, uint32_t number, uint64_t value,
			    uint64_t now_ms);
/* The number, which must not be pending, no longer means a file. */
void file_requests_drop(struct file_requests *files, uint32_t number);
/* Treats the number's next announcement as its first one, unless it is pending. */
void file_requests_reset(struct file_requests *files, uint32_t number);
/* The same for all numbers: a new symbolizer has none of the files. */
void file_requests_reset_all(struct file_requests *files);
/* Another opener, in place of one that is gone or of none. Takes @fd, the socket to it. */
void file_requests_take_opener(struct file_requests *files, int fd);
/* Reads answers, sends results and starts the next files, as far as possible without waiting. */
void file_requests_advance(struct file_requests *files, uint64_t now_ms);
/* Each attempt waits longer than the one before. @state: RETRY: it is made even if the file is not
 * announced again by itself; RETIRE: the same, and its number is another one then; or FAILED. */
void file_requests_note_failure(struct file_requests *files, struct file_requests_entry *entry,
				enum file_requests_state state, uint64_t now_ms);
/* Has failed files whose pause is over announced again; call it regularly. */
void file_requests_retry(struct file_requests *files, uint64_t now_ms);
/* Whether nothing is queued, or in a lane. */
bool file_requests_idle(const struct file_requests *files);
