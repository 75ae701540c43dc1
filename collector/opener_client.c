/* SPDX-License-Identifier: Apache-2.0 */
/* opener_client - exchanges messages with the opener and its workers */

#include "collector/opener_client.h"

#include <errno.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

int opener_client_ask(const struct opener_client *opener, const struct opener_request *request)
{
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	r = tm_fdpass_send(opener->fd, request, sizeof(*request), ends[1], MSG_DONTWAIT);
	(void)tm_close(ends[1]);
	if (r == 0)
		return ends[0];
	(void)tm_close(ends[0]);
	return -EPIPE;
}

void opener_client_verdict(int worker, bool accepted)
{
	const struct opener_verdict verdict = {.accepted = accepted};

	(void)tm_fdpass_send(worker, &verdict, sizeof(verdict), -1, MSG_DONTWAIT);
}

int opener_client_receive(int worker, struct opener_answer *ret_answer, int *ret_fd)
{
	int r = tm_fdpass_recv(worker, ret_answer, sizeof(*ret_answer), ret_fd, MSG_DONTWAIT);

	if (r == 0 && (ret_answer->status > OPENER_STARTED ||
		       (ret_answer->status == OPENER_HANDED) != (*ret_fd >= 0))) {
		*ret_fd = tm_close(*ret_fd);
		return -EBADMSG;
	}
	return r;
}

void opener_client_check(struct opener_client *opener)
{
	char none;

	if (opener->fd >= 0 && tm_fdpass_recv(opener->fd, &none, sizeof(none), /* ret_fd= */ NULL,
					      MSG_DONTWAIT) != TM_FDPASS_E_AGAIN)
		opener->fd = tm_close(opener->fd);
}
