/* SPDX-License-Identifier: Apache-2.0 */
/* opener_client - starts the opener and exchanges its messages */

#include "collector/opener_client.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "collector/privileges.h"
#include "shared/child.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"

static const cap_value_t opener_capabilities[] = {CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE,
						  CAP_DAC_READ_SEARCH};

/* Runs in the child before exec. */
static int prepare(void)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	return privileges_keep(opener_capabilities,
			       sizeof(opener_capabilities) / sizeof(*opener_capabilities),
			       /* over_exec= */ true);
}

int opener_client_start(struct opener_client *opener, int program)
{
	struct tm_child child;
	int r = tm_child_start(&child, program, "tidemark-opener", prepare);

	if (r == 0)
		*opener = (struct opener_client){.fd = child.socket, .pid = child.pid};
	return r;
}

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

void opener_client_stop(struct opener_client *opener, struct tm_collector_cost *cost)
{
	struct tm_child child = {opener->pid, opener->fd};

	*opener = OPENER_CLIENT_NULL;
	tm_child_stop(&child, &cost->child_cpu_ns, &cost->child_rss_bytes);
}
