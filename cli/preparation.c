/* SPDX-License-Identifier: Apache-2.0 */
/* preparation - what a recording opens as root before anything runs, and its starter keeps */

#include "cli/preparation.h"

#include <string.h>

#include "cli/spool_folder.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

void preparation_init(struct preparation *preparation, const struct options *options)
{
	*preparation = (struct preparation){
		.options = options,
		.accounts = UID_POOL_NULL,
		.perf = PERF_EVENTS_NULL,
		.exporter_files = EXPORTER_FILES_NULL,
		.spool_folder = -1,
		.cache = -1,
		.workload = -1,
	};
	for (size_t i = 0; i < PROGRAM_PATHS_N; i++)
		preparation->programs[i] = -1;
}

/* Return: 0, or an exit code, after printing why. */
static int open_cache(struct preparation *preparation)
{
	const struct options *options = preparation->options;
	int r;

	if (options->no_cache)
		return 0;
	r = table_cache_boot_id(preparation->boot_id);
	if (r < 0) {
		terminal_verbose(
			"unwind tables are not kept, as the id of this boot cannot be read: %s",
			strerror(-r));
		return 0;
	}
	return table_cache_choose(options->cache, &preparation->cache);
}

/* The programs that are not needed: bits by enum program_paths_program. */
static unsigned left_out(const struct options *options)
{
	unsigned programs = 1u << PROGRAM_PATHS_VIEWER;

	if (options->debuginfod.count == 0)
		programs |= 1u << PROGRAM_PATHS_DEBUGINFOD;
	if (!options->otlp.on)
		programs |= 1u << PROGRAM_PATHS_EXPORTER;
	if (!options->spool.folder)
		programs |= 1u << PROGRAM_PATHS_SPOOL;
	return programs;
}

int preparation_open(struct preparation *preparation)
{
	const struct options *options = preparation->options;
	int r = program_paths_open(preparation->programs, left_out(options));

	if (r == 0 && options->otlp.on)
		r = exporter_files_open(&preparation->exporter_files, &options->otlp);
	if (r == 0 && options->spool.folder)
		r = spool_folder_choose(options->spool.folder, &preparation->spool_folder);
	if (r == 0)
		r = open_cache(preparation);
	if (r == 0)
		r = uid_pool_acquire(&preparation->accounts, options->debuginfod.count > 0,
				     options->otlp.on, options->spool.folder != NULL);
	if (r == 0 && options->spool.folder)
		r = spool_folder_give(options->spool.folder, preparation->spool_folder,
				      preparation->accounts.spool.uid,
				      preparation->accounts.spool.gid);
	return r;
}

void preparation_forget(struct preparation *preparation)
{
	perf_events_close(&preparation->perf);
	for (size_t i = 0; i < PROGRAM_PATHS_N; i++) {
		launch_deinit(&preparation->launches[i]);
		preparation->programs[i] = tm_close(preparation->programs[i]);
	}
	exporter_files_close(&preparation->exporter_files);
	preparation->spool_folder = tm_close(preparation->spool_folder);
	preparation->cache = tm_close(preparation->cache);
	uid_pool_forget(&preparation->accounts);
}

void preparation_release(struct preparation *preparation)
{
	uid_pool_release(&preparation->accounts);
	preparation_forget(preparation);
}
