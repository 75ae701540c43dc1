/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * preparation - what a recording opens as root before anything runs, and its starter keeps
 *
 * Owns       the descriptors, and the borrowed uids with their locks.
 */

#include "cli/exporter_files.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/perf_events.h"
#include "cli/program_paths.h"
#include "cli/table_cache.h"
#include "cli/uid_pool.h"

struct preparation {
	const struct options *options; /* borrowed */
	struct uid_pool accounts;
	struct perf_events perf;
	int programs[PROGRAM_PATHS_N];           /* -1: not needed */
	struct launch launches[PROGRAM_PATHS_N]; /* of those, by program_arguments_make */
	struct exporter_files exporter_files;
	int spool_folder; /* -1: none */
	int cache;        /* -1: none; with the id of this boot */
	char boot_id[TABLE_CACHE_BOOT_ID_BYTES];
	int workload; /* borrowed pidfd of COMMAND; -1: none */
};

void preparation_init(struct preparation *preparation, const struct options *options);
/* All but the events. Return: 0, or an exit code, after printing why. */
int preparation_open(struct preparation *preparation);
/* Closes what this process has of it; another one still has it. */
void preparation_forget(struct preparation *preparation);
/* Closes it, and gives back the uids. Total. */
void preparation_release(struct preparation *preparation);
