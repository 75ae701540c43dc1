/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-parser: parses the ELF files of others, each in a process of its own
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "parser_filter.h"
#include "shared/fdpass.h"
#include "shared/option.h"
#include "shared/sandbox.h"
#include "symbolizer/parser/server.h"

static int enter_sandbox(void)
{
	int r;

	r = tm_sandbox_harden();
	if (r < 0)
		return r;
	r = tm_sandbox_limits(tm_sandbox_descriptors(TM_FDPASS_DESCRIPTORS), 0);
	return r < 0 ? r : tm_sandbox_filter(&parser_filter);
}

int main(int argc, char **argv)
{
	int fd = tm_option_socket(argc, argv);
	int r;

	(void)prctl(PR_SET_NAME, "tidemark-parser");
	if (fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) {
		(void)fprintf(stderr, "tidemark-parser: no socket was passed as --socket-fd=N; "
				      "tidemark-symbolizer starts this program\n");
		return 2;
	}
	r = enter_sandbox();
	if (r < 0) {
		errno = -r;
		perror("tidemark-parser could not enter its sandbox");
		return 1;
	}
	return server_run(fd) < 0;
}
