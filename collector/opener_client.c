/* SPDX-License-Identifier: Apache-2.0 */
/* opener_client - the collector's end of its talk with the opener */

#include "collector/opener_client.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "collector/privileges.h"
#include "shared/child.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

static const cap_value_t opener_rights[] = {CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE,
					    CAP_DAC_READ_SEARCH};

/* In the child. */
static int keep_opener_rights(void)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	return privileges_keep(opener_rights, sizeof(opener_rights) / sizeof(*opener_rights), true);
}

int opener_client_start(struct opener_client *asker, int program)
{
	struct tm_child child;
	int r = tm_child_start(&child, program, "tidemark-opener", keep_opener_rights);

	if (r == 0)
		*asker = (struct opener_client){.fd = child.socket, .pid = child.pid};
	return r;
}

static int send_request(struct opener_client *asker, const struct opener_request *request)
{
	int r = tm_fdpass_send(asker->fd, request, sizeof(*request), -1, MSG_DONTWAIT);

	if (r == 0)
		return 0;
	asker->fd = tm_close(asker->fd);
	return -EPIPE;
}

int opener_client_ask(struct opener_client *asker, struct opener_request *request)
{
	request->kind = OPENER_ASK;
	request->id = ++asker->id;
	asker->open = true;
	return send_request(asker, request);
}

int opener_client_verdict(struct opener_client *asker, bool accepted)
{
	const struct opener_request request = {
		.kind = OPENER_VERDICT, .id = asker->id, .accepted = accepted};

	return send_request(asker, &request);
}

int opener_client_receive(struct opener_client *asker, struct opener_answer *ret_answer,
			  int *ret_fd)
{
	_cleanup_(tm_closep) int fd = -1;
	int r = tm_fdpass_recv(asker->fd, ret_answer, sizeof(*ret_answer), &fd, MSG_DONTWAIT);

	if (r == TM_FDPASS_E_AGAIN)
		return r;
	if (r != 0 || ret_answer->status > OPENER_HANDED ||
	    (ret_answer->status == OPENER_HANDED) != (fd >= 0)) {
		asker->fd = tm_close(asker->fd);
		return -EPIPE;
	}
	if (!asker->open || ret_answer->id != asker->id) /* late: that ask is over */
		return TM_FDPASS_E_AGAIN;
	asker->open = ret_answer->status == OPENER_OPENED;
	*ret_fd = TM_TAKE_FD(fd);
	return 0;
}

void opener_client_stop(struct opener_client *asker, struct tm_collector_cost *cost)
{
	struct tm_child child = {asker->pid, asker->fd};

	*asker = OPENER_CLIENT_NULL;
	tm_child_stop(&child, &cost->child_cpu_ns, &cost->child_rss_bytes);
}
