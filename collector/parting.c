/* SPDX-License-Identifier: Apache-2.0 */
/* parting - refuses more, drops what is unread, closes */

#include "collector/parting.h"

#include <sys/socket.h>

#include "shared/cleanup.h"

#define UNREAD_MAX 4096 /* messages; no socket buffer holds as many */

int parting_close(int socket)
{
	char first_byte; /* of each message; the rest of it goes with it */

	if (socket < 0)
		return -1;
	if (shutdown(socket, SHUT_RD) == 0)
		for (int i = 0; i < UNREAD_MAX; i++)
			if (recv(socket, &first_byte, sizeof(first_byte), MSG_DONTWAIT) <= 0)
				break;
	return tm_close(socket);
}
