/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * file_requests - the way of each announced file: seen, asked for, checked, handed over
 *
 * Shape      one small state per file number, a bounded queue of announcements, and one file under way:
 *            ask the opener -> the kernel says which file its worker holds -> accept or refuse ->
 *            descriptor, or the reason why not, to the symbolizer.
 * Back-off   a file that failed is tried again when it is announced again and its pause is over; for
 *            reasons that may pass (gone, replaced, hung; the symbolizer could not parse it then)
 *            its announcement mark is cleared then, so that the next sample announces it.
 * Limits     FILE_REQUESTS_MAX numbers, FILE_REQUESTS_QUEUE announcements; more wait for the next epoch.
 * Threads    one. Never waits: a full wire holds the file under way until the next round.
 */

#include <stdbool.h>
#include <stdint.h>

#include "collector/opener_client.h"
#include "collector/symbolizer_link.h"
#include "shared/event.h"

#define FILE_REQUESTS_MAX        65536
#define FILE_REQUESTS_QUEUE      1024
#define FILE_REQUESTS_PAUSE_MS   1000 /* after the first failure; doubled by each one more */
#define FILE_REQUESTS_PAUSES_MAX 6    /* the pause grows no further */
#define FILE_REQUESTS_ASK_MS     3000 /* without any answer the opener counts as lost */

enum file_requests_state {
	FILE_REQUESTS_UNSEEN,
	FILE_REQUESTS_QUEUED,
	FILE_REQUESTS_SENT,
	FILE_REQUESTS_ANSWERED, /* its unwind table came */
	FILE_REQUESTS_FAILED,
	FILE_REQUESTS_RETRY
};

struct file_requests_entry {
	uint8_t state; /* enum file_requests_state */
	uint8_t failures;
	uint32_t retry_ms; /* on the clock that the caller passes in */
	uint32_t seen_ms;  /* ktime of its last announcement, kept by reclaim.h; 0: none */
	uint32_t
		sent; /* FILE_REQUESTS_SENT: ktime of the announcement that was answered, in 2^10 ns */
};

enum file_requests_stage {
	FILE_REQUESTS_IDLE,
	FILE_REQUESTS_ASKED,
	FILE_REQUESTS_SENDING
};

enum file_requests_match {
	FILE_REQUESTS_OTHER,  /* not the sampled file */
	FILE_REQUESTS_SAME,   /* the sampled file */
	FILE_REQUESTS_SERVED, /* the sampled file, on a file system that a process serves */
};

/* What the kernel room does for files; calls of the loader, or of a test. */
struct file_requests_kernel {
	void *context;
	/* Which file @pid has mapped at @address. Return: enum file_requests_match, -errno. */
	int (*holds)(void *context, uint32_t pid, uint64_t address,
		     const struct tm_identity *identity);
	/* Changes the entry of the number; @value: of TM_FILE_TABLE. Return: 0, -errno. */
	int (*change)(void *context, uint32_t number, enum tm_file_change change, uint64_t value);
};

struct file_requests {
	struct opener_client *asker;
	struct symbolizer_link *handoff;
	struct file_requests_kernel kernel;
	struct file_requests_entry *entries;
	uint32_t highest;  /* number seen so far */
	uint32_t retrying; /* entries in FILE_REQUESTS_RETRY */
	struct tm_file *queue[FILE_REQUESTS_QUEUE];
	uint32_t queue_head, queue_tail; /* free-running */

	enum file_requests_stage stage;
	struct tm_file *current;
	uint64_t asked_ms;
	bool accepted; /* its descriptor may come */
	bool served;   /* it was found, but a process serves its file system */
	int fd;        /* to be sent, or -1 with reason */
	enum tm_no_file reason;

	uint64_t opened, refused, failed, abandoned;
};

/* Return: 0, -ENOMEM. */
int file_requests_init(struct file_requests *files, struct opener_client *asker,
		       struct symbolizer_link *handoff, struct file_requests_kernel kernel);
void file_requests_deinit(struct file_requests *files);

/* A checked FILE record; copied. */
void file_requests_announce(struct file_requests *files, const struct tm_file *file,
			    uint64_t now_ms);
/* Whether the number's file is queued or under way. */
bool file_requests_hold(const struct file_requests *files, uint32_t number);
/* Whether this is the one answer to the FILE message that carried @value; from now on it is given. */
bool file_requests_answered(struct file_requests *files, uint32_t number, uint64_t value);
/*
 * The symbolizer could not parse the file of the FILE message that carried @value: it is asked for
 * again after a pause. Return: whether that answer was due.
 */
bool file_requests_unparsed(struct file_requests *files, uint32_t number, uint64_t value,
			    uint64_t now_ms);
/* The number, not held, stands for nothing any more. */
void file_requests_drop(struct file_requests *files, uint32_t number);
/* Its next announcement counts as the first, unless it is held. */
void file_requests_begin_anew(struct file_requests *files, uint32_t number);
/* A new symbolizer knows none: whatever is announced again is opened and sent again. */
void file_requests_forget_sent(struct file_requests *files);
/* Goes on as far as it can without waiting: reads answers, sends, asks for the next. */
void file_requests_advance(struct file_requests *files, uint64_t now_ms);
/* Makes failed files whose pause is over be announced again; call now and then. */
void file_requests_retry(struct file_requests *files, uint64_t now_ms);
/* Whether nothing is queued or under way. */
bool file_requests_settled(const struct file_requests *files);
