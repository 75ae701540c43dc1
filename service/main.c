/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-service: starts a program of ours in its systemd unit, with its descriptors
 */

#include <stdio.h>
#include <string.h>

#include "service/collector.h"
#include "service/connect.h"
#include "service/listen.h"

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "connect") == 0)
		return connect_main(argv + 2);
	if (argc >= 4 && strcmp(argv[1], "collector") == 0)
		return collector_main(argv + 2);
	if (argc >= 5 && strcmp(argv[1], "listen") == 0)
		return listen_main(argv + 2);
	(void)fprintf(stderr, "usage: tidemark-service connect SOCKET PROGRAM [OPTION...]\n"
			      "       tidemark-service collector HZ PROGRAM [OPTION...]\n"
			      "       tidemark-service listen NAME=PATH... -- PROGRAM [OPTION...]\n"
			      "Only units and containers of tidemark start this program.\n");
	return 2;
}
