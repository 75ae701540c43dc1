/* SPDX-License-Identifier: Apache-2.0 */
/* file_requests - gets announced files opened, one at a time, and sends them to the symbolizer */

#include "collector/file_requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/path.h"

int file_requests_init(struct file_requests *files, struct opener_client *opener,
		       struct symbolizer_link *link, struct file_requests_kernel kernel)
{
	*files = (struct file_requests){.opener = opener, .link = link, .kernel = kernel, .fd = -1};
	files->entries = calloc(FILE_REQUESTS_MAX, sizeof(*files->entries));
	return files->entries ? 0 : -ENOMEM;
}

static uint32_t record_bytes(const struct tm_file *record)
{
	return record ? record->event.bytes : 0;
}

static void drop_record(struct file_requests *files, uint32_t number)
{
	struct file_requests_entry *entry = &files->entries[number];

	files->kept -= record_bytes(entry->record);
	free(entry->record);
	entry->record = NULL;
}

void file_requests_deinit(struct file_requests *files)
{
	for (uint32_t number = 0; files->entries && number <= files->highest; number++)
		drop_record(files, number);
	while (files->queue_head != files->queue_tail)
		free(files->queue[files->queue_head++ % FILE_REQUESTS_QUEUE]);
	free(files->current);
	free(files->entries);
	files->fd = tm_close(files->fd);
	files->current = NULL;
	files->entries = NULL;
}

static bool is_retrying(const struct file_requests_entry *entry)
{
	return entry->state == FILE_REQUESTS_RETRY || entry->state == FILE_REQUESTS_RETIRE;
}

void file_requests_announce(struct file_requests *files, const struct tm_file *file,
			    uint64_t now_ms)
{
	struct file_requests_entry *entry;
	struct tm_file *copy;

	if (file->number >= FILE_REQUESTS_MAX)
		return;
	entry = &files->entries[file->number];
	if (entry->state == FILE_REQUESTS_QUEUED || entry->state == FILE_REQUESTS_SENT ||
	    entry->state == FILE_REQUESTS_ANSWERED || entry->state == FILE_REQUESTS_RETIRE)
		return;
	if (entry->failures && (int32_t)((uint32_t)now_ms - entry->retry_ms) < 0)
		return;
	if (files->queue_tail - files->queue_head == FILE_REQUESTS_QUEUE)
		return;
	copy = malloc(file->event.bytes);
	if (!copy)
		return;
	memcpy(copy, file, file->event.bytes);
	files->retrying -= is_retrying(entry);
	files->queue[files->queue_tail++ % FILE_REQUESTS_QUEUE] = copy;
	entry->state = FILE_REQUESTS_QUEUED;
	if (file->number > files->highest)
		files->highest = file->number;
}

/* The opener gets only a path that is complete and plain. */
static void fill_path(struct opener_request *request, const struct tm_file *file)
{
	if (!(file->event.flags & (TM_PATH_CUT | TM_PATH_DELETED | TM_PATH_UNNAMED)) &&
	    tm_path_is_plain(file->text, file->path_bytes))
		request->path_bytes =
			(uint32_t)tm_path_join(file->text, file->path_bytes, request->path);
}

/* Each attempt waits longer than the one before. @state: RETRY: it is made even if the file is not
 * announced again by itself; RETIRE: the same, and its number is another one then; or FAILED. */
static void note_failure(struct file_requests *files, struct file_requests_entry *entry,
			 enum file_requests_state state, uint64_t now_ms)
{
	unsigned pauses = entry->failures < FILE_REQUESTS_PAUSES_MAX ? entry->failures
								     : FILE_REQUESTS_PAUSES_MAX;

	if (state == FILE_REQUESTS_RETIRE)
		pauses = FILE_REQUESTS_PAUSES_NEW; /* old numbers take up places until W passed */
	entry->state = (uint8_t)state;
	files->retrying += state != FILE_REQUESTS_FAILED;
	if (entry->failures < UINT8_MAX)
		entry->failures++;
	entry->retry_ms = (uint32_t)(now_ms + ((uint64_t)FILE_REQUESTS_PAUSE_MS << pauses));
}

/* The file may be opened later, through another process or another opener's worker, or, if it
 * changed, under another number. */
static enum file_requests_state next_attempt(enum tm_no_file reason)
{
	if (reason == TM_NO_FILE_CHANGED)
		return FILE_REQUESTS_RETIRE;
	return reason == TM_NO_FILE_GONE || reason == TM_NO_FILE_OTHER ||
			       reason == TM_NO_FILE_TIMEOUT || reason == TM_NO_FILE_OPENER ||
			       reason == TM_NO_FILE_ERROR
		       ? FILE_REQUESTS_RETRY
		       : FILE_REQUESTS_FAILED;
}

/* The current file is done: a descriptor, or a reason, is to be sent to the symbolizer. */
static void finish_current(struct file_requests *files, int fd, enum tm_no_file reason,
			   uint64_t now_ms)
{
	struct file_requests_entry *entry = &files->entries[files->current->number];

	files->stage = FILE_REQUESTS_SENDING;
	files->fd = fd;
	files->reason = reason;
	if (entry->again && reason != TM_NO_FILE_CHANGED)
		return;
	if (fd >= 0) {
		entry->state = FILE_REQUESTS_SENT;
		entry->sent = (uint32_t)(files->current->event.ktime >> 10);
		files->opened++;
		return;
	}
	note_failure(files, entry, next_attempt(reason), now_ms);
	files->failed++;
}

static void start_next(struct file_requests *files, uint64_t now_ms)
{
	struct opener_request request = {0};

	files->current = files->queue[files->queue_head++ % FILE_REQUESTS_QUEUE];
	request.own_tid = files->current->own_tid;
	request.mnt_ns = files->current->mnt_ns;
	request.vm_start = files->current->vm_start;
	request.vm_end = files->current->vm_end;
	fill_path(&request, files->current);
	files->stage = FILE_REQUESTS_ASKED;
	files->accepted = false;
	files->served = false;
	files->changed = false;
	files->asked_ms = now_ms;
	if (files->opener->fd < 0 || opener_client_ask(files->opener, &request) < 0)
		finish_current(files, -1, TM_NO_FILE_OPENER, now_ms);
}

/* The kernel decides whether the opened file is the sampled one. */
static void check_opened(struct file_requests *files, const struct opener_answer *answer,
			 uint64_t now_ms)
{
	int match = files->kernel.match_file(files->kernel.context, answer->worker, answer->address,
					     &files->current->identity);

	files->accepted = match == FILE_REQUESTS_SAME;
	files->served |= match == FILE_REQUESTS_SERVED;
	files->changed |= match == FILE_REQUESTS_CHANGED;
	(void)opener_client_verdict(files->opener, files->accepted);
	if (match >= 0 && !files->accepted)
		files->refused++;
	if (files->opener->fd < 0)
		finish_current(files, -1, TM_NO_FILE_OPENER, now_ms);
}

/* The opener sent something invalid or missed its own deadline: nothing is asked of it any more. */
static void close_opener(struct file_requests *files, enum tm_no_file reason, uint64_t now_ms)
{
	files->opener->fd = tm_close(files->opener->fd);
	finish_current(files, -1, reason, now_ms);
}

/* Why the opener has found no file that was accepted. */
static enum tm_no_file reason_of(const struct file_requests *files, uint32_t status)
{
	if (files->served)
		return TM_NO_FILE_SERVED;
	return files->changed ? TM_NO_FILE_CHANGED : (enum tm_no_file)status;
}

/* Return: whether the stage changed. */
static bool read_answer(struct file_requests *files, uint64_t now_ms)
{
	_cleanup_(tm_closep) int fd = -1;
	struct opener_answer answer;
	int r = opener_client_receive(files->opener, &answer, &fd);

	if (r == TM_FDPASS_E_AGAIN && now_ms - files->asked_ms < FILE_REQUESTS_ASK_MS)
		return false;
	if (r != 0) {
		close_opener(files, r == TM_FDPASS_E_AGAIN ? TM_NO_FILE_TIMEOUT : TM_NO_FILE_OPENER,
			     now_ms);
		return true;
	}
	if (answer.abandoned > files->abandoned)
		files->abandoned = answer.abandoned;
	if (answer.status == OPENER_OPENED)
		check_opened(files, &answer, now_ms);
	else if (answer.status == OPENER_HANDED && files->accepted)
		finish_current(files, TM_TAKE_FD(fd), 0, now_ms);
	else if (answer.status == OPENER_HANDED) /* a descriptor that was not accepted */
		close_opener(files, TM_NO_FILE_OPENER, now_ms);
	else
		finish_current(files, -1, reason_of(files, answer.status), now_ms);
	return true;
}

/* Keeps the current record with its number. Where that is too much, those of others go in turn. */
static void keep_current(struct file_requests *files)
{
	drop_record(files, files->current->number);
	files->entries[files->current->number].record = files->current;
	files->kept += record_bytes(files->current);
	files->current = NULL;
	while (files->kept > FILE_REQUESTS_KEPT_BYTES)
		drop_record(files, files->hand++ % (files->highest + 1));
}

/* Return: whether it was sent, or the wire is closed. */
static bool send_result(struct file_requests *files)
{
	struct file_requests_entry *entry = &files->entries[files->current->number];
	enum tm_wire_kind kind = files->fd >= 0 ? TM_WIRE_FILE : TM_WIRE_NO_FILE;
	const struct tm_wire message = {
		.kind = entry->again ? TM_WIRE_REOPENED : kind,
		.number = files->current->number,
		.value = files->fd >= 0 ? files->current->event.ktime : files->reason,
	};

	if (symbolizer_link_send(files->link, &message, files->fd) == SYMBOLIZER_LINK_E_AGAIN)
		return false;
	if (files->fd >= 0 || entry->again)
		keep_current(files);
	entry->again = false;
	files->fd = tm_close(files->fd);
	free(files->current);
	files->current = NULL;
	files->stage = FILE_REQUESTS_IDLE;
	return true;
}

/*
 * Drops an answer that comes while no request is open: it is late. It also notices the end of a
 * dead opener, whose socket would otherwise stay readable and wake every poll.
 */
static void drop_late_answer(struct file_requests *files)
{
	struct opener_answer answer;
	int fd = -1;

	if (files->opener->fd >= 0 && !files->opener->awaiting)
		(void)opener_client_receive(files->opener, &answer, &fd);
}

void file_requests_advance(struct file_requests *files, uint64_t now_ms)
{
	bool moved = true;

	drop_late_answer(files);
	while (moved) {
		switch (files->stage) {
		case FILE_REQUESTS_IDLE:
			/* without credit the descriptor could not be sent on */
			moved = files->queue_head != files->queue_tail &&
				(files->link->credit > 0 || files->link->fd < 0);
			if (moved)
				start_next(files, now_ms);
			break;
		case FILE_REQUESTS_ASKED:
			moved = read_answer(files, now_ms);
			break;
		case FILE_REQUESTS_SENDING:
			moved = send_result(files);
			break;
		}
	}
}

void file_requests_retry(struct file_requests *files, uint64_t now_ms)
{
	for (uint32_t number = 0; files->retrying && number <= files->highest; number++) {
		struct file_requests_entry *entry = &files->entries[number];

		if (!is_retrying(entry) || (int32_t)((uint32_t)now_ms - entry->retry_ms) < 0)
			continue;
		(void)files->kernel.change(
			files->kernel.context, number,
			entry->state == FILE_REQUESTS_RETIRE ? TM_FILE_RETIRE : TM_FILE_FORGET, 0);
		entry->state = FILE_REQUESTS_FAILED;
		files->retrying--;
	}
}

bool file_requests_pending(const struct file_requests *files, uint32_t number)
{
	return files->entries[number].state == FILE_REQUESTS_QUEUED ||
	       files->entries[number].again || (files->current && files->current->number == number);
}

void file_requests_drop(struct file_requests *files, uint32_t number)
{
	files->retrying -= is_retrying(&files->entries[number]);
	drop_record(files, number);
	files->entries[number] = (struct file_requests_entry){0};
}

void file_requests_reset(struct file_requests *files, uint32_t number)
{
	struct file_requests_entry *entry = &files->entries[number];
	uint32_t seen_ms = entry->seen_ms;

	if (entry->again) { /* becomes an ordinary one */
		entry->again = false;
		entry->state = FILE_REQUESTS_QUEUED;
	}
	if (file_requests_pending(files, number))
		return;
	file_requests_drop(files, number);
	entry->seen_ms = seen_ms;
}

void file_requests_reset_all(struct file_requests *files)
{
	for (uint32_t number = 0; number <= files->highest; number++)
		file_requests_reset(files, number);
}

/* Whether @value is that of the last FILE message, which is in @state. */
static bool is_last(const struct file_requests_entry *entry, enum file_requests_state state,
		    uint64_t value)
{
	return entry->state == state && entry->sent == (uint32_t)(value >> 10);
}

bool file_requests_answered(struct file_requests *files, uint32_t number, uint64_t value)
{
	struct file_requests_entry *entry = &files->entries[number];

	if (!is_last(entry, FILE_REQUESTS_SENT, value))
		return false;
	entry->state = FILE_REQUESTS_ANSWERED;
	return true;
}

bool file_requests_unparsed(struct file_requests *files, uint32_t number, uint64_t value,
			    uint64_t now_ms)
{
	struct file_requests_entry *entry = &files->entries[number];

	if (!is_last(entry, FILE_REQUESTS_SENT, value))
		return false;
	note_failure(files, entry, FILE_REQUESTS_RETRY, now_ms);
	return true;
}

bool file_requests_again(struct file_requests *files, uint32_t number, uint64_t value,
			 uint64_t now_ms)
{
	struct file_requests_entry *entry = &files->entries[number];

	if (!is_last(entry, FILE_REQUESTS_ANSWERED, value) || entry->again ||
	    files->queue_tail - files->queue_head >= FILE_REQUESTS_QUEUE / 2)
		return false;
	if (!entry->record) {
		note_failure(files, entry, FILE_REQUESTS_RETRY, now_ms);
		return true;
	}
	entry->again = true;
	files->kept -= record_bytes(entry->record);
	files->queue[files->queue_tail++ % FILE_REQUESTS_QUEUE] = entry->record;
	entry->record = NULL;
	return true;
}

bool file_requests_idle(const struct file_requests *files)
{
	return files->stage == FILE_REQUESTS_IDLE && files->queue_head == files->queue_tail;
}
