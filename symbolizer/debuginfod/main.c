/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-debuginfod: fetches debug files by build id from debuginfod servers, sandboxed
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "debuginfod_filter.h"
#include "shared/fdpass.h"
#include "shared/option.h"
#include "shared/sandbox.h"
#include "symbolizer/debuginfod/server.h"
#include "symbolizer/network/network.h"

#define PORT_HTTP           80
#define PORT_HTTPS          443
#define ADDRESS_SPACE_BYTES (1ul << 30) /* answers are not mapped */

static int limit_files(uint64_t bytes)
{
	const struct rlimit limit = {bytes, bytes};

	return setrlimit(RLIMIT_FSIZE, &limit) < 0 ? -errno : 0;
}

/* A peer that closes a connection, and a full memfd, show as errors of write(2). */
static int ignore_signals(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	return sigaction(SIGPIPE, &ignore, NULL) < 0 || sigaction(SIGXFSZ, &ignore, NULL) < 0
		       ? -errno
		       : 0;
}

/* A redirect may lead to the default ports. Return: 0, -errno (-EINVAL: an invalid URL). */
static int prepare(struct network *network, const struct options *options)
{
	int r = network_prepare(network);

	if (r == 0)
		r = network_allow_port(network, PORT_HTTP);
	if (r == 0)
		r = network_allow_port(network, PORT_HTTPS);
	for (unsigned i = 0; r == 0 && i < options->url_count; i++)
		r = network_allow_url(network, options->urls[i]);
	return r;
}

static int enter_sandbox(const struct options *options, struct network *network)
{
	int r = tm_sandbox_limits(tm_sandbox_descriptors(TM_FDPASS_DESCRIPTORS),
				  ADDRESS_SPACE_BYTES);

	if (r == 0)
		r = limit_files(options->file_bytes);
	if (r == 0)
		r = ignore_signals();
	if (r == 0)
		r = network_restrict(network);
	return r < 0 ? r : tm_sandbox_filter(&debuginfod_filter);
}

static int fail(const char *what, int r)
{
	(void)fprintf(stderr, "tidemark-debuginfod %s: %s\n", what, strerror(-r));
	return 1;
}

int main(int argc, char **argv)
{
	struct network network = NETWORK_NULL;
	struct options options;
	const char *bad = "";
	int r;

	(void)prctl(PR_SET_NAME, "tidemark-debuginfod");
	(void)mallopt(M_ARENA_MAX, 1); /* one is enough for short-lived threads */
	if (options_parse(&options, argc, argv, &bad) < 0 ||
	    fcntl(options.socket, F_SETFD, FD_CLOEXEC) < 0) {
		(void)fprintf(stderr, "tidemark-debuginfod is started by tidemark: %s\n", bad);
		return 2;
	}
	r = tm_sandbox_harden();
	if (r < 0)
		return fail("could not enter its sandbox", r);
	r = prepare(&network, &options);
	if (r < 0)
		return fail("could not prepare its connections", r);
	r = enter_sandbox(&options, &network);
	if (r < 0)
		return fail("could not enter its sandbox", r);
	r = server_run(&options, &network);
	network_deinit(&network);
	return r < 0 ? fail("ended early", r) : 0;
}
