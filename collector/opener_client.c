/* SPDX-License-Identifier: Apache-2.0 */
/* opener_client - exchanges messages with the opener */

#include "collector/opener_client.h"

#include <errno.h>
#include <sys/socket.h>

#include "shared/cleanup.h"
#include "shared/fdpass.h"

static int send_request(struct opener_client *opener, const struct opener_request *request)
{
	int r = tm_fdpass_send(opener->fd, request, sizeof(*request), -1, MSG_DONTWAIT);

	if (r == 0)
		return 0;
	opener->fd = tm_close(opener->fd);
	return -EPIPE;
}

int opener_client_ask(struct opener_client *opener, struct opener_request *request)
{
	request->id = ++opener->id;
	opener->awaiting = true;
	return send_request(opener, request);
}

int opener_client_verdict(struct opener_client *opener, bool accepted)
{
	const struct opener_request request = {
		.kind = OPENER_VERDICT, .id = opener->id, .accepted = accepted};

	return send_request(opener, &request);
}

int opener_client_receive(struct opener_client *opener, struct opener_answer *ret_answer,
			  int *ret_fd)
{
	_cleanup_(tm_closep) int fd = -1;
	int r = tm_fdpass_recv(opener->fd, ret_answer, sizeof(*ret_answer), &fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return r;
	if (r != 0 || ret_answer->status > OPENER_HANDED ||
	    (ret_answer->status == OPENER_HANDED) != (fd >= 0)) {
		opener->fd = tm_close(opener->fd);
		return -EPIPE;
	}
	if (!opener->awaiting || ret_answer->id != opener->id) /* late: that request is over */
		return TM_FDPASS_E_AGAIN;
	opener->awaiting = ret_answer->status == OPENER_OPENED;
	*ret_fd = TM_TAKE_FD(fd);
	return 0;
}
