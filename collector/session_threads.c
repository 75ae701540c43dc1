/* SPDX-License-Identifier: Apache-2.0 */
/* session_threads - answers the symbolizer's question what all threads do */

#include "collector/session.h"

#include <errno.h>

#include "shared/cleanup.h"
#include "shared/clock.h"

void session_ask_threads(struct session *session)
{
	if (!session->options->off_cpu || session->threads_asked)
		return;
	session->threads_asked = true;
	thread_reader_begin(&session->threads, loader_threads(&session->loader));
}

bool session_send_threads(struct session *session)
{
	struct tm_wire message = {.kind = TM_WIRE_THREADS};
	_cleanup_(tm_closep) int fd = -1;
	int r;

	if (!session->threads_asked)
		return true;
	r = thread_reader_advance(&session->threads);
	if (r == 0)
		return false;
	if (r > 0)
		fd = thread_reader_seal(&session->threads, &session->symbols);
	if (fd >= 0 || fd == -ENODATA)
		message.value = tm_clock_ns();
	thread_reader_deinit(&session->threads);
	session->threads_asked = false;
	if (symbolizer_link_send(&session->link, &message, fd) != SYMBOLIZER_LINK_E_AGAIN)
		return true;
	session_ask_threads(session); /* the socket is full: what was read would be old then */
	return false;
}
