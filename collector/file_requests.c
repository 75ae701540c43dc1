/* SPDX-License-Identifier: Apache-2.0 */
/* file_requests - gets announced files opened, some at a time, and sends them to the symbolizer */

#include "collector/file_requests.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

_Static_assert(FILE_QUEUE_LANES <= OPENER_LANES, "the opener serves as many");

int file_requests_init(struct file_requests *files, struct opener_client *opener,
		       struct symbolizer_link *link, struct file_requests_kernel kernel)
{
	*files = (struct file_requests){.opener = opener, .link = link, .kernel = kernel};
	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		files->lanes[i].worker = files->lanes[i].fd = -1;
	files->entries = calloc(FILE_REQUESTS_MAX, sizeof(*files->entries));
	if (!files->entries)
		return -ENOMEM;
	return file_records_init(&files->records, FILE_REQUESTS_MAX);
}

void file_requests_deinit(struct file_requests *files)
{
	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++) {
		struct file_requests_lane *lane = &files->lanes[i];

		free(lane->file);
		lane->worker = tm_close(lane->worker);
		lane->fd = tm_close(lane->fd);
	}
	while (files->queue.count)
		free(files->queue.files[--files->queue.count]);
	free(files->entries);
	file_records_deinit(&files->records);
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

/* A descriptor, or a reason, is to be sent to the symbolizer. */
static void finish(struct file_requests *files, struct file_requests_lane *lane, int fd,
		   enum tm_no_file reason)
{
	lane->stage = FILE_REQUESTS_SENDING;
	lane->worker = tm_close(lane->worker);
	lane->fd = fd;
	lane->reason = lane->refusal ? lane->refusal : reason;
	if (!lane->file)
		files->path->answer.form = fd < 0 ? (uint16_t)lane->reason : 0;
}

static struct opener_request request_for(const struct tm_file *file)
{
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

/* Has the opener asked for what the lane is for, if it may be. */
static void ask(struct file_requests *files, struct file_requests_lane *lane, uint64_t now_ms)
{
	const struct tm_file *file = lane->file;
	const struct opener_request request = file ? request_for(file) : files->path->request;
	enum tm_no_file reason = TM_NO_FILE_OPENER;

	if (file && file->magic == FUSE_SUPER_MAGIC)
		reason = TM_NO_FILE_SERVED;
	else if (file && file_queue_pauses(&files->queue, file, now_ms))
		reason = TM_NO_FILE_TIMEOUT;
	else
		lane->worker = opener_client_ask(files->opener, &request);
	if (lane->worker < 0)
		finish(files, lane, -1, reason);
}

/* Files and paths take turns. Return: whether there was one for this lane. */
static bool start_next(struct file_requests *files, struct file_requests_lane *lane,
		       uint64_t now_ms)
{
	bool path = files->path_head != files->path_tail && !files->path;
	struct tm_file *file = NULL;
	uint32_t open = 0; /* files, for whose descriptors there must be credit */

	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		open += files->lanes[i].file != NULL;
	if (!(path && files->path_is_next) && (files->link->credit > open || files->link->fd < 0))
		file = file_queue_take(&files->queue, now_ms);
	if (!file && !path)
		return false;
	files->path_is_next = file != NULL;
	if (!file)
		files->path = &files->paths[files->path_head % FILE_REQUESTS_PATHS];
	*lane = (struct file_requests_lane){
		.stage = FILE_REQUESTS_ASKED,
		.file = file,
		.worker = -1,
		.since_ms = now_ms,
		.until_ms = now_ms + FILE_REQUESTS_ASK_MS,
		.fd = -1,
	};
	ask(files, lane, now_ms);
	return true;
}

/* The kernel decides whether the opened file is the sampled one. */
static void check_opened(struct file_requests *files, struct file_requests_lane *lane,
			 const struct opener_answer *answer, uint64_t now_ms)
{
	int match = files->kernel.match_file(files->kernel.context, answer->worker, answer->address,
					     lane->file ? &lane->file->identity : NULL);

	lane->owner = answer->owner;
	lane->accepted = match == TM_CHECK_SAME;
	if (match == TM_CHECK_SERVED || match == TM_CHECK_CHANGED)
		lane->refusal = match == TM_CHECK_SERVED ? TM_NO_FILE_SERVED : TM_NO_FILE_CHANGED;
	if (match >= 0 && !lane->accepted && lane->file)
		files->counts.refused++;
	lane->since_ms = now_ms;
	lane->until_ms = now_ms + OPENER_DEADLINE_MS + OPENER_DEATH_MS;
	opener_client_verdict(lane->worker, lane->accepted);
}

/* Nothing is asked of the opener any more. What has a worker may still be answered. */
static void close_opener(struct file_requests *files, enum tm_no_file reason)
{
	files->opener->fd = tm_close(files->opener->fd);
	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		if (files->lanes[i].stage == FILE_REQUESTS_ASKED)
			finish(files, &files->lanes[i], -1, reason);
}

void file_requests_take_opener(struct file_requests *files, int fd)
{
	close_opener(files, TM_NO_FILE_OPENER);
	files->opener->fd = fd;
}

/* No answer will come. @ended: the worker, or what would have started it. */
static void end_unanswered(struct file_requests *files, struct file_requests_lane *lane, bool ended,
			   uint64_t now_ms)
{
	bool started = lane->stage == FILE_REQUESTS_STARTED;
	bool hung = started && now_ms - lane->since_ms >= OPENER_DEADLINE_MS;

	if (hung && lane->file)
		file_queue_hung(&files->queue, lane->file, now_ms);
	files->counts.abandoned += started && !ended;
	if (started || ended)
		finish(files, lane, -1, hung ? TM_NO_FILE_TIMEOUT : TM_NO_FILE_OPENER);
	else
		close_opener(files, TM_NO_FILE_TIMEOUT);
}

/* Return: whether something came, or will not come any more. */
static bool read_answer(struct file_requests *files, struct file_requests_lane *lane,
			uint64_t now_ms)
{
	bool started = lane->stage == FILE_REQUESTS_STARTED;
	_cleanup_(tm_closep) int fd = -1;
	struct opener_answer answer;
	int r = opener_client_receive(lane->worker, &answer, &fd);

	if (r == TM_FDPASS_E_AGAIN && now_ms < lane->until_ms)
		return false;
	if (r > 0) {
		end_unanswered(files, lane, r == TM_FDPASS_E_CLOSED, now_ms);
	} else if (r < 0 || (answer.status == OPENER_STARTED) == started ||
		   (answer.status == OPENER_HANDED && !lane->accepted)) {
		finish(files, lane, -1, TM_NO_FILE_OPENER);
		close_opener(files, TM_NO_FILE_OPENER);
	} else if (answer.status == OPENER_STARTED) {
		lane->stage = FILE_REQUESTS_STARTED;
		lane->until_ms = now_ms + OPENER_DEADLINE_MS + OPENER_DEATH_MS;
	} else if (answer.status == OPENER_OPENED) {
		check_opened(files, lane, &answer, now_ms);
	} else {
		finish(files, lane, TM_TAKE_FD(fd), answer.status);
	}
	return true;
}

static struct tm_wire result_of_file(const struct file_requests *files,
				     const struct file_requests_lane *lane)
{
	bool again = files->entries[lane->file->number].again;
	enum tm_wire_kind kind = lane->fd >= 0 ? TM_WIRE_FILE : TM_WIRE_NO_FILE;

	return (struct tm_wire){
		.kind = again ? TM_WIRE_REOPENED : kind,
		.number = lane->file->number,
		.value = lane->fd >= 0 ? lane->file->event.ktime : lane->reason,
	};
}

/* The symbolizer has the answer, or does not need it any more. */
static void end_file(struct file_requests *files, struct file_requests_lane *lane, uint64_t now_ms)
{
	struct file_requests_entry *entry = &files->entries[lane->file->number];
	bool again = entry->again;

	entry->again = false;
	if (lane->fd >= 0 && !again) {
		entry->state = FILE_REQUESTS_SENT;
		entry->sent = (uint32_t)(lane->file->event.ktime >> 10);
		files->counts.opened++;
	} else if (lane->fd < 0 && (!again || lane->reason == TM_NO_FILE_CHANGED)) {
		file_requests_note_failure(files, entry, next_attempt(lane->reason), now_ms);
		files->counts.failed++;
	}
	file_queue_done(&files->queue, lane->file);
	if (lane->fd >= 0)
		file_records_keep(&files->records, lane->file, lane->owner);
	else
		free(lane->file);
	lane->file = NULL;
}

static void end_path(struct file_requests *files)
{
	files->perf_maps -= files->path->request.kind == OPENER_PERF_MAP;
	files->path_head++;
	files->path = NULL;
}

/* Return: whether it was sent, or the wire is closed. */
static bool send_result(struct file_requests *files, struct file_requests_lane *lane,
			uint64_t now_ms)
{
	const struct tm_wire message =
		lane->file ? result_of_file(files, lane) : files->path->answer;

	if (message.kind &&
	    symbolizer_link_send(files->link, &message, lane->fd) == SYMBOLIZER_LINK_E_AGAIN)
		return false;
	if (lane->file)
		end_file(files, lane, now_ms);
	else
		end_path(files);
	lane->fd = tm_close(lane->fd);
	lane->stage = FILE_REQUESTS_IDLE;
	return true;
}

/* Return: whether the lane may go on. */
static bool advance(struct file_requests *files, struct file_requests_lane *lane, uint64_t now_ms)
{
	switch (lane->stage) {
	case FILE_REQUESTS_IDLE:
		return start_next(files, lane, now_ms);
	case FILE_REQUESTS_SENDING:
		return send_result(files, lane, now_ms);
	default:
		return read_answer(files, lane, now_ms);
	}
}

void file_requests_advance(struct file_requests *files, uint64_t now_ms)
{
	bool moved = true;

	opener_client_check(files->opener);
	while (moved) {
		moved = false;
		for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
			moved |= advance(files, &files->lanes[i], now_ms);
	}
}

bool file_requests_pending(const struct file_requests *files, uint32_t number)
{
	const struct file_requests_entry *entry = &files->entries[number];

	return entry->state == FILE_REQUESTS_QUEUED || entry->again;
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
	for (unsigned i = 0; i < FILE_QUEUE_LANES; i++)
		if (files->lanes[i].stage != FILE_REQUESTS_IDLE)
			return false;
	return !files->queue.count && files->path_head == files->path_tail;
}
