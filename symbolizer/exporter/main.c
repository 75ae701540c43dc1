/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main - tidemark-exporter: sends finished reports to an OTLP receiver, sandboxed
 */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "exporter_filter.h"
#include "exporter_unix_filter.h"
#include "shared/landlock.h"
#include "shared/option.h"
#include "shared/sandbox.h"
#include "symbolizer/exporter/server.h"

#define DESCRIPTORS         64
#define ADDRESS_SPACE_BYTES (1ul << 30)

/* A peer that closes a connection shows as an error of write(2). */
static int ignore_signals(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	return sigaction(SIGPIPE, &ignore, NULL) < 0 ? -errno : 0;
}

/* With a unix socket, no file may be read and no port connected to. */
static int restrict_access(const struct options *options, struct network *network)
{
	const struct tm_landlock_allowed nothing = {.paths = NULL};
	int r;

	if (!options->unix_socket)
		return network_restrict(network);
	r = TM_SANITIZED ? 0 : tm_landlock_enter(&nothing);
	return r < 0 ? r : 0; /* kernels without Landlock have the account and the filter alone */
}

static int enter_sandbox(const struct options *options, struct network *network)
{
	int r = tm_sandbox_limits(DESCRIPTORS, ADDRESS_SPACE_BYTES);

	if (r == 0)
		r = ignore_signals();
	if (r == 0)
		r = restrict_access(options, network);
	if (r < 0)
		return r;
	return tm_sandbox_filter(options->unix_socket ? &exporter_unix_filter : &exporter_filter);
}

/* Reads what is needed from files and descriptors. */
static int prepare(const struct options *options, struct network *network, struct secrets *secrets,
		   struct delivery *delivery)
{
	int r = secrets_read(secrets, options);

	if (r == 0)
		r = network_prepare(network);
	if (r == 0)
		r = network_allow_url(network, options->url);
	if (r < 0)
		return r;
	delivery_init(delivery, options);
	return transfer_init(&delivery->transfer, options, network, secrets);
}

static int fail(const char *what, int r)
{
	(void)fprintf(stderr, "tidemark-exporter %s: %s\n", what, strerror(-r));
	return 1;
}

static int serve(const struct options *options, struct network *network, struct secrets *secrets,
		 struct delivery *delivery)
{
	int r = tm_sandbox_harden();

	if (r < 0)
		return fail("could not enter its sandbox", r);
	r = prepare(options, network, secrets, delivery);
	if (r < 0)
		return fail("could not prepare its connections", r);
	r = enter_sandbox(options, network);
	if (r < 0)
		return fail("could not enter its sandbox", r);
	r = server_run(options, network, delivery);
	return r < 0 ? fail("ended early", r) : 0;
}

int main(int argc, char **argv)
{
	static struct delivery delivery;
	struct network network = NETWORK_NULL;
	struct secrets secrets = SECRETS_NULL;
	struct options options;
	const char *bad = "";
	int code;

	(void)prctl(PR_SET_NAME, "tidemark-exporter");
	(void)mallopt(M_ARENA_MAX, 1); /* one is enough for short-lived threads */
	if (options_parse(&options, argc, argv, &bad) < 0 ||
	    fcntl(options.socket, F_SETFD, FD_CLOEXEC) < 0) {
		(void)fprintf(stderr, "tidemark-exporter is started by tidemark: %s\n", bad);
		return 2;
	}
	code = serve(&options, &network, &secrets, &delivery);
	delivery_deinit(&delivery);
	network_deinit(&network);
	secrets_deinit(&secrets);
	return code;
}
