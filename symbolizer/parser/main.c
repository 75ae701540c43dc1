/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-parser, where foreign ELF bytes are looked at, one process per file
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "parser_filter.h"
#include "shared/option.h"
#include "shared/sandbox.h"
#include "symbolizer/parser/server.h"

#define DESCRIPTORS 64

static int wall_in(void)
{
	int r;

	r = tm_sandbox_harden();
	if (r < 0)
		return r;
	r = tm_sandbox_limits(DESCRIPTORS, 0);
	return r < 0 ? r : tm_sandbox_filter(&parser_filter);
}

int main(int argc, char **argv)
{
	int fd = tm_option_socket(argc, argv);

	(void)prctl(PR_SET_NAME, "tidemark-parser");
	if (fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
		(void)fprintf(stderr, "tidemark-parser is started by tidemark-symbolizer\n");
		return 2;
	}
	if (wall_in() < 0)
		return 1;
	return server_run(fd) < 0;
}
