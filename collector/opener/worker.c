/* SPDX-License-Identifier: Apache-2.0 */
/* worker - tries one way after another, shows each file found, and ends with the verdict */

#include "collector/opener/worker.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/opener/place.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

enum {
	WORKER_E_REFUSED = 1,
};

static int await_verdict(int socket, uint32_t id)
{
	struct opener_request verdict;
	int r = tm_fdpass_recv(socket, &verdict, sizeof(verdict), /* ret_fd= */ NULL, 0);

	if (r != 0)
		return r < 0 ? r : -EPIPE;
	if (verdict.kind != OPENER_VERDICT || verdict.id != id)
		return -EBADMSG;
	return verdict.accepted ? 0 : WORKER_E_REFUSED;
}

/* The page is never touched: a fault on a hung mount could not be interrupted. */
static int show(int socket, int fd, struct opener_answer *answer)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	int r;

	if (page == MAP_FAILED)
		return -errno;
	answer->status = OPENER_OPENED;
	answer->worker = (uint32_t)getpid();
	answer->address = (uint64_t)(uintptr_t)page;
	r = tm_fdpass_send(socket, answer, sizeof(*answer), fd, 0);
	if (r == 0)
		r = await_verdict(socket, answer->id);
	else if (r > 0)
		r = -EPIPE;
	(void)munmap(page, bytes);
	return r;
}

int worker_run(int socket, const struct opener_request *request, uint32_t abandoned)
{
	struct opener_answer answer = {.id = request->id, .abandoned = abandoned};
	enum tm_no_file reason = TM_NO_FILE_GONE;

	for (unsigned which = 0; which < PLACE_N; which++) {
		_cleanup_(tm_closep) int fd = place_open(which, request);
		int r;

		if (fd < 0) {
			if (reason == TM_NO_FILE_GONE)
				reason = place_reason(fd);
			continue;
		}
		r = show(socket, fd, &answer);
		if (r <= 0)
			return r < 0;
		reason = TM_NO_FILE_OTHER;
	}
	answer =
		(struct opener_answer){.id = request->id, .status = reason, .abandoned = abandoned};
	return tm_fdpass_send(socket, &answer, sizeof(answer), -1, 0) != 0;
}
