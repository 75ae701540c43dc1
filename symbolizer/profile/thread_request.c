/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_request - asks the collector what all threads do, and takes its answers
 */

#include "symbolizer/profile/thread_request.h"

#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/clock.h"
#include "shared/fdpass.h"

static void ask(struct thread_request *request)
{
	const struct tm_wire message = {.kind = TM_WIRE_ASK_THREADS};

	if (!request->asked)
		request->asked = tm_fdpass_send(request->wire, &message, sizeof(message), -1,
						MSG_DONTWAIT) == 0;
}

void thread_request_init(struct thread_request *request, int wire, struct threads *threads,
			 struct interval **interval)
{
	*request = (struct thread_request){
		.wire = wire,
		.threads = threads,
		.interval = interval,
		.last = THREAD_BLOB_NULL,
	};
}

void thread_request_resume(struct thread_request *request, uint64_t ktime)
{
	if (request->wire < 0)
		return;
	threads_resume(request->threads, ktime);
	ask(request);
	request->begins = request->asked;
}

bool thread_request_round(struct thread_request *request, uint64_t ktime)
{
	if (request->wire < 0 || request->over)
		return true;
	if (!request->waits) {
		request->waits = true;
		request->answered = false;
		request->until = ktime;
		request->until_ms = tm_clock_ms() + THREAD_REQUEST_WAIT_MS;
	}
	if (!request->answered && tm_clock_ms() < request->until_ms) {
		ask(request); /* again where the socket was full */
		return false;
	}
	request->waits = false;
	request->late = request->asked;
	return true;
}

static void take(struct thread_request *request, struct thread_blob *blob)
{
	struct interval *interval = *request->interval;
	const struct thread_answer answer = {
		.threads = request->threads,
		.rows = &interval->threads,
		.aggregate = &interval->aggregate,
		.in_progress = &interval->in_progress,
		.until = request->waits ? request->until : UINT64_MAX,
	};

	thread_answer_take(&answer, blob);
	request->answered = true;
}

/* Return: whether @message says something. @ret_blob: open if there are threads. */
static bool open_answer(struct thread_request *request, const struct tm_wire *message, int fd,
			struct thread_blob *ret_blob)
{
	if (!message->value || message->value > tm_clock_ns() || !*request->interval)
		return false;
	return fd < 0 || !thread_blob_open(ret_blob, fd, message->value, &request->threads->budget);
}

static void take_last(struct thread_request *request, const struct tm_wire *message, int fd)
{
	thread_blob_close(&request->last);
	request->has_last = open_answer(request, message, fd, &request->last);
}

void thread_request_answer(void *context, const struct tm_wire *message, int fd)
{
	_cleanup_(tm_closep) int owned = fd;
	struct thread_request *request = context;
	struct thread_blob blob = THREAD_BLOB_NULL;
	bool asked = request->asked, begins = request->begins, late = request->late;

	request->asked = false;
	request->begins = false;
	request->late = false;
	if (!asked)
		take_last(request, message, owned);
	if (!asked || late)
		return;
	if (request->waits && !begins)
		request->until_ms = 0; /* there will be no other answer */
	if (!open_answer(request, message, owned, &blob))
		return;
	if (begins)
		thread_answer_begin(request->threads, &blob);
	else
		take(request, &blob);
	thread_blob_close(&blob);
}

void thread_request_finish(struct thread_request *request)
{
	request->waits = false;
	request->over = true;
	if (request->has_last && *request->interval) {
		take(request, &request->last);
		request->complete = true;
	}
	thread_request_deinit(request);
}

void thread_request_deinit(struct thread_request *request)
{
	thread_blob_close(&request->last);
	request->has_last = false;
}

bool thread_request_end_interval(struct thread_request *request)
{
	bool missing = request->wire >= 0 && !request->answered && !request->complete;

	request->answered = false;
	request->threads->interval++;
	return missing;
}
