/* SPDX-License-Identifier: Apache-2.0 */
/* service_client - asks the symbolizer of the service over one of its sockets */

#include "cli/service_client.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "cli/terminal.h"
#include "shared/cleanup.h"
#include "shared/fdpass.h"
#include "shared/service.h"

int service_client_open(const char *path, int seconds)
{
	const struct timeval patience = {.tv_sec = seconds};
	_cleanup_(tm_closep) int fd = tm_service_connect(path);

	if (fd < 0)
		return fd;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		return -errno;
	return TM_TAKE_FD(fd);
}

int service_client_receive(int socket, void *answer, size_t bytes)
{
	int r = tm_fdpass_recv(socket, answer, bytes, NULL, 0);

	if (r == TM_FDPASS_E_AGAIN)
		return -ETIMEDOUT;
	return r > 0 ? -ECONNRESET : r;
}

void service_client_explain(const char *path, int r, const char *whom)
{
	if (r == -ENOENT || r == -ECONNREFUSED)
		terminal_print("the services do not run: nobody listens at %s "
			       "(systemctl start tidemark.target)",
			       path);
	else if (r == -EACCES || r == -EPERM)
		terminal_print("%s is for %s", path, whom);
	else if (r == -ETIMEDOUT)
		terminal_print("tidemark-symbolizer does not answer at %s; it may wait for the "
			       "collector (systemctl status tidemark-collector)",
			       path);
	else
		terminal_print("%s: %s", path, strerror(-r));
}
