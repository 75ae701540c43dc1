/* SPDX-License-Identifier: Apache-2.0 */
/* debuginfod - starts tidemark-debuginfod, which fetches debug files for one symbolizer */

#include "cli/debuginfod.h"

static void add_urls(struct launch *launch, const void *context)
{
	const struct debuginfod_urls *urls = context;

	for (size_t i = 0; i < urls->count; i++)
		launch_argument(launch, "--url=%.*s", (int)urls->items[i].bytes,
				urls->items[i].text);
}

int debuginfod_start(struct symbolizer_child *debuginfod, const struct debuginfod_urls *urls,
		     int program, struct uid_pool_account account)
{
	const struct symbolizer_child_start start = {
		.name = PROGRAM_PATHS_DEBUGINFOD,
		.program = program,
		.account = account,
		.add_arguments = add_urls,
		.context = urls,
	};

	return urls->count > 0 ? symbolizer_child_start(debuginfod, &start) : -1;
}
