/* SPDX-License-Identifier: Apache-2.0 */
/* file_requests - gets announced files opened, one at a time, and sends them to the symbolizer */

#include "collector/file_requests.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

int file_requests_init(struct file_requests *files, struct opener_client *opener,
		       struct symbolizer_link *link, struct file_requests_kernel kernel)
{
	*files = (struct file_requests){.opener = opener, .link = link, .kernel = kernel, .fd = -1};
	files->entries = calloc(FILE_REQUESTS_MAX, sizeof(*files->entries));
	if (!files->entries)
		return -ENOMEM;
	return file_records_init(&files->records, FILE_REQUESTS_MAX);
}

void file_requests_deinit(struct file_requests *files)
{
	do
		free(files->current);
	while ((files->current = file_queue_take(&files->queue)));
	free(files->entries);
	file_records_deinit(&files->records);
	files->fd = tm_close(files->fd);
	files->entries = NULL;
}

static void note_users(struct file_requests_entry *entry, const struct tm_file *file)
{
	entry->user_count = 0;
	for (unsigned i = 0; i < TM_FILE_USERS; i++) {
		if (!file->users[i])
			continue;
		if (entry->user_count < FILE_REQUESTS_USERS)
			entry->users[entry->user_count] = file->users[i] % FILE_QUEUE_OWNERS;
		entry->user_count++;
	}
}

void file_requests_announce(struct file_requests *files, const struct tm_file *file,
			    uint64_t now_ms)
{
	struct file_requests_entry *entry;

	if (file->number >= FILE_REQUESTS_MAX)
		return;
	entry = &files->entries[file->number];
	note_users(entry, file);
	if (entry->state == FILE_REQUESTS_QUEUED || entry->state == FILE_REQUESTS_SENT ||
	    entry->state == FILE_REQUESTS_ANSWERED || entry->state == FILE_REQUESTS_RETIRE ||
	    (entry->failures && (int32_t)((uint32_t)now_ms - entry->retry_ms) < 0) ||
	    !file_queue_add(&files->queue, file))
		return;
	files->retrying -= entry->state >= FILE_REQUESTS_RETRY;
	entry->state = FILE_REQUESTS_QUEUED;
	if (file->number > files->highest)
		files->highest = file->number;
}

/* The file may be opened later, through another process or another opener's worker, or, if it
 * changed, under another number. */
static enum file_requests_state next_attempt(enum tm_no_file reason)
{
	bool passes = reason == TM_NO_FILE_GONE || reason == TM_NO_FILE_OTHER ||
		      (reason >= TM_NO_FILE_TIMEOUT && reason <= TM_NO_FILE_ERROR);

	if (reason == TM_NO_FILE_CHANGED)
		return FILE_REQUESTS_RETIRE;
	return passes ? FILE_REQUESTS_RETRY : FILE_REQUESTS_FAILED;
}

bool file_requests_open_path(struct file_requests *files, const struct tm_wire *answer,
			     const struct opener_request *request)
{
	struct file_requests_path *path = &files->paths[files->path_tail % FILE_REQUESTS_PATHS];
	uint32_t others = files->path_tail - files->path_head - files->perf_maps;
	bool map = request->kind == OPENER_PERF_MAP;

	if (map ? files->perf_maps == FILE_REQUESTS_PERF_MAPS : others == TM_PATHS_IN_FLIGHT)
		return false;
	files->perf_maps += map;
	*path = (struct file_requests_path){*answer, *request};
	files->path_tail++;
	return true;
}

/* The current file is done: a descriptor, or a reason, is to be sent to the symbolizer. */
static void finish_current(struct file_requests *files, int fd, enum tm_no_file reason,
			   uint64_t now_ms)
{
	struct file_requests_entry *entry;

	files->stage = FILE_REQUESTS_SENDING;
	files->fd = fd;
	files->reason = reason;
	if (files->path) {
		files->path->answer.form = fd < 0 ? (uint16_t)reason : 0;
		return;
	}
	entry = &files->entries[files->current->number];
	if (entry->again && reason != TM_NO_FILE_CHANGED)
		return;
	if (fd >= 0) {
		entry->state = FILE_REQUESTS_SENT;
		entry->sent = (uint32_t)(files->current->event.ktime >> 10);
		files->counts.opened++;
		return;
	}
	file_requests_note_failure(files, entry, next_attempt(reason), now_ms);
	files->counts.failed++;
}

static struct opener_request next_file(struct file_requests *files)
{
	const struct tm_file *file = files->current = file_queue_take(&files->queue);
	struct opener_request request = {
		.kind = OPENER_ASK,
		.own_tid = file->own_tid,
		.mnt_ns = file->mnt_ns,
		.vm_start = file->vm_start,
		.vm_end = file->vm_end,
	};

	request.path_bytes = file_records_path(file, request.path);
	return request;
}

/* Return: why nothing is asked for the current file; 0: it is asked for. */
static enum tm_no_file refusal_unasked(const struct file_requests *files, uint64_t now_ms)
{
	const struct tm_file *file = files->path ? NULL : files->current;

	if (file && file->magic == FUSE_SUPER_MAGIC)
		return TM_NO_FILE_SERVED;
	return file && file_queue_pauses(&files->queue, file, now_ms) ? TM_NO_FILE_TIMEOUT : 0;
}

/* Files and paths take turns. Return: whether there was one. */
static bool start_next(struct file_requests *files, uint64_t now_ms)
{
	/* without credit the descriptor could not be sent on */
	bool file = files->queue.count && (files->link->credit > 0 || files->link->fd < 0);
	bool path = files->path_head != files->path_tail && (files->path_is_next || !file);
	struct opener_request request;

	if (!file && !path)
		return false;
	files->path_is_next = !path;
	if (path)
		files->path = &files->paths[files->path_head % FILE_REQUESTS_PATHS];
	request = path ? files->path->request : next_file(files);
	files->stage = FILE_REQUESTS_ASKED;
	files->accepted = false;
	files->refusal = refusal_unasked(files, now_ms);
	files->asked_ms = now_ms;
	if (!files->refusal && opener_client_ask(files->opener, &request) < 0)
		files->refusal = TM_NO_FILE_OPENER;
	if (files->refusal)
		finish_current(files, -1, files->refusal, now_ms);
	return true;
}

/* The kernel decides whether the opened file is the sampled one. */
static void check_opened(struct file_requests *files, const struct opener_answer *answer,
			 uint64_t now_ms)
{
	int match = files->kernel.match_file(files->kernel.context, answer->worker, answer->address,
					     files->path ? NULL : &files->current->identity);

	files->owner = answer->owner;
	files->accepted = match == TM_CHECK_SAME;
	if (match == TM_CHECK_SERVED || match == TM_CHECK_CHANGED)
		files->refusal = match == TM_CHECK_SERVED ? TM_NO_FILE_SERVED : TM_NO_FILE_CHANGED;
	(void)opener_client_verdict(files->opener, files->accepted);
	if (match >= 0 && !files->accepted && !files->path)
		files->counts.refused++;
	if (files->opener->fd < 0)
		finish_current(files, -1, TM_NO_FILE_OPENER, now_ms);
}

/* The opener sent something invalid or missed its own deadline: nothing is asked of it any more. */
static void close_opener(struct file_requests *files, enum tm_no_file reason, uint64_t now_ms)
{
	files->opener->fd = tm_close(files->opener->fd);
	finish_current(files, -1, reason, now_ms);
}

void file_requests_take_opener(struct file_requests *files, int fd, uint64_t now_ms)
{
	if (files->stage == FILE_REQUESTS_ASKED)
		close_opener(files, TM_NO_FILE_OPENER, now_ms);
	(void)tm_close(files->opener->fd);
	*files->opener = (struct opener_client){.fd = fd};
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
	if (answer.abandoned > files->counts.abandoned)
		files->counts.abandoned = answer.abandoned;
	if (answer.status == TM_NO_FILE_TIMEOUT && files->current)
		file_queue_hung(&files->queue, files->current, now_ms);
	if (answer.status == OPENER_OPENED)
		check_opened(files, &answer, now_ms);
	else if (answer.status == OPENER_HANDED && files->accepted)
		finish_current(files, TM_TAKE_FD(fd), 0, now_ms);
	else if (answer.status == OPENER_HANDED) /* a descriptor that was not accepted */
		close_opener(files, TM_NO_FILE_OPENER, now_ms);
	else
		finish_current(files, -1, files->refusal ? files->refusal : answer.status, now_ms);
	return true;
}

static struct tm_wire result_of_file(const struct file_requests *files)
{
	bool again = files->entries[files->current->number].again;
	enum tm_wire_kind kind = files->fd >= 0 ? TM_WIRE_FILE : TM_WIRE_NO_FILE;

	return (struct tm_wire){
		.kind = again ? TM_WIRE_REOPENED : kind,
		.number = files->current->number,
		.value = files->fd >= 0 ? files->current->event.ktime : files->reason,
	};
}

static void end_current(struct file_requests *files)
{
	files->entries[files->current->number].again = false;
	if (files->fd >= 0)
		file_records_keep(&files->records, files->current, files->owner);
	else
		free(files->current);
	files->current = NULL;
}

/* Return: whether it was sent, or the wire is closed. */
static bool send_result(struct file_requests *files)
{
	const struct tm_wire message = files->path ? files->path->answer : result_of_file(files);

	if (message.kind &&
	    symbolizer_link_send(files->link, &message, files->fd) == SYMBOLIZER_LINK_E_AGAIN)
		return false;
	files->perf_maps -= files->path && files->path->request.kind == OPENER_PERF_MAP;
	if (files->path)
		files->path_head++;
	else
		end_current(files);
	files->path = NULL;
	files->fd = tm_close(files->fd);
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
			moved = start_next(files, now_ms);
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

bool file_requests_pending(const struct file_requests *files, uint32_t number)
{
	return files->entries[number].state == FILE_REQUESTS_QUEUED ||
	       files->entries[number].again || (files->current && files->current->number == number);
}

void file_requests_drop(struct file_requests *files, uint32_t number)
{
	files->retrying -= files->entries[number].state >= FILE_REQUESTS_RETRY;
	file_records_drop(&files->records, number);
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
	files->path_tail = files->path_head + (files->path != NULL);
	files->perf_maps = files->path && files->path->request.kind == OPENER_PERF_MAP;
	if (files->path)
		files->path->answer.kind = 0;
}

bool file_requests_idle(const struct file_requests *files)
{
	return files->stage == FILE_REQUESTS_IDLE && !files->queue.count &&
	       files->path_head == files->path_tail;
}
