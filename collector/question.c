/* SPDX-License-Identifier: Apache-2.0 */
/* question - BPF iterators, read for their effect or for their text */

#include "collector/question.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"

#define TRIES 3 /* of a mapping that was being modified */

int question_open(int program, pid_t only)
{
	union bpf_iter_link_info info = {.task.pid = (uint32_t)only};
	LIBBPF_OPTS(bpf_link_create_opts, options, .iter_info = &info,
		    .iter_info_len = sizeof(info));
	_cleanup_(tm_closep) int link = -1;
	int fd;

	if (only)
		link = bpf_link_create(program, 0, BPF_TRACE_ITER, &options);
	if (link < 0)
		link = bpf_link_create(program, 0, BPF_TRACE_ITER, NULL);
	if (link < 0)
		return -errno;
	fd = bpf_iter_create(link);
	return fd < 0 ? -errno : fd;
}

int question_ask(int program, pid_t only)
{
	_cleanup_(tm_closep) int fd = question_open(program, only);
	char ignored[64];
	ssize_t n;

	if (fd < 0)
		return fd;
	do {
		n = read(fd, ignored, sizeof(ignored));
	} while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	return n < 0 ? -errno : 0;
}

int question_holds(int program, struct tm_check *check, uint32_t pid, uint64_t address,
		   const struct tm_identity *identity)
{
	for (int i = 0; i < TRIES; i++) {
		int r;

		*check = (struct tm_check){.own_tid = pid, .address = address};
		r = question_ask(program, (pid_t)pid);
		if (r < 0)
			return r;
		if (check->status == TM_CHECK_ASKED)
			return -ESRCH;
		if (check->status != TM_CHECK_BUSY)
			return check->status == TM_CHECK_FILE &&
			       memcmp(&check->identity, identity, sizeof(*identity)) == 0;
	}
	return -EBUSY;
}
