/* SPDX-License-Identifier: Apache-2.0 */
/* spool - starts tidemark-spool, which keeps what the symbolizers hand over on this host */

#include "cli/spool.h"

#include <inttypes.h>

#include "shared/cleanup.h"

struct arguments {
	const struct spool_options *options;
	int folder;
};

static void add_arguments(struct launch *launch, const void *context)
{
	const struct arguments *arguments = context;

	launch_descriptor(launch, "directory-fd", arguments->folder);
	launch_argument(launch, "--spool-bytes=%" PRIu64, arguments->options->max_bytes);
	launch_argument(launch, "--spool-seconds=%" PRIu64, arguments->options->max_age_s);
}

void spool_start(struct spool *spool, const struct spool_options *options, int folder, int program,
		 struct uid_pool_account account)
{
	const struct arguments arguments = {options, folder};
	const struct symbolizer_child_start start = {
		.name = PROGRAM_PATHS_SPOOL,
		.program = program,
		.account = account,
		.add_arguments = add_arguments,
		.context = &arguments,
	};

	if (options->folder && spool->socket < 0)
		spool->socket = symbolizer_child_start(&spool->child, &start);
}

void spool_end(struct spool *spool, bool expected)
{
	symbolizer_child_end(&spool->child, expected, "no more reports are kept");
}

void spool_stop(struct spool *spool, unsigned ms)
{
	spool->socket = tm_close(spool->socket);
	symbolizer_child_await(&spool->child, ms);
}
