/* SPDX-License-Identifier: Apache-2.0 */
/* record - `tidemark record`: the steps of one recording, in order */

#include "cli/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/event_loop.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/own_cost.h"
#include "cli/perf_events.h"
#include "cli/preflight.h"
#include "cli/program_paths.h"
#include "cli/report.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/spool_folder.h"
#include "cli/start.h"
#include "cli/table_cache.h"
#include "cli/terminal.h"
#include "cli/uid_pool.h"
#include "shared/cleanup.h"

struct recording {
	struct options options;
	struct uid_pool accounts;
	struct perf_events perf;
	int programs[PROGRAM_PATHS_N];
	struct exporter_files exporter_files;
	int spool_folder;
	int signals;
	int cache;
	char boot_id[TABLE_CACHE_BOOT_ID_BYTES];
	struct start start;
	struct session session;
};

static void recording_deinit(struct recording *recording)
{
	int i;

	session_deinit(&recording->session);
	perf_events_close(&recording->perf);
	for (i = 0; i < PROGRAM_PATHS_N; i++)
		recording->programs[i] = tm_close(recording->programs[i]);
	exporter_files_close(&recording->exporter_files);
	recording->spool_folder = tm_close(recording->spool_folder);
	recording->signals = tm_close(recording->signals);
	recording->cache = tm_close(recording->cache);
	uid_pool_release(&recording->accounts);
}

/* Return: 0, or an exit code, after printing why. */
static int open_cache(struct recording *recording)
{
	const struct options *options = &recording->options;
	int r;

	if (options->no_cache)
		return 0;
	r = table_cache_boot_id(recording->boot_id);
	if (r < 0) {
		terminal_verbose(
			"unwind tables are not kept, as the id of this boot cannot be read: %s",
			strerror(-r));
		return 0;
	}
	return table_cache_choose(options->cache, &recording->cache);
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

static void warn_of_environment(const struct options *options)
{
	bool used = options->otlp.on;

	for (size_t i = 0; i < options->output_count; i++)
		used = used || options->outputs[i].format == FORMAT_OTLP;
	if (used && options->otlp.resource.refused)
		terminal_print("%s in the environment makes no sense and is not used",
			       options->otlp.resource.refused);
}

/* Everything that can fail before anything runs. */
static int prepare(struct recording *recording)
{
	const struct options *options = &recording->options;
	int r = preflight_check();

	if (r == 0)
		r = preflight_check_processes(options);
	if (r == 0 && options->off_cpu.on)
		preflight_describe_off_cpu();
	if (r == 0)
		warn_of_environment(options);
	if (r == 0)
		r = outputs_open(&recording->session.intervals.current, options,
				 options->every_ns ? 1 : 0);
	if (r == 0)
		r = program_paths_open(recording->programs, left_out(options));
	if (r == 0 && options->otlp.on)
		r = exporter_files_open(&recording->exporter_files, &options->otlp);
	if (r == 0 && options->spool.folder)
		r = spool_folder_choose(options->spool.folder, &recording->spool_folder);
	if (r == 0)
		r = open_cache(recording);
	if (r == 0)
		r = uid_pool_acquire(&recording->accounts, options->debuginfod.count > 0,
				     options->otlp.on, options->spool.folder != NULL);
	if (r == 0 && options->spool.folder)
		r = spool_folder_give(options->spool.folder, recording->spool_folder,
				      recording->accounts.spool.uid, recording->accounts.spool.gid);
	if (r != 0)
		return r;
	workload_remember_limits();
	preflight_raise_limits();
	hotplug_open(&recording->session.hotplug, options->hz);
	r = perf_events_open(&recording->perf, options->hz);
	if (r == 0)
		hotplug_begin(&recording->session.hotplug, &recording->perf);
	return r;
}

static int start_command(struct recording *recording)
{
	char *const *command = recording->options.command;
	int r = command ? workload_start(&recording->session.workload, command) : 0;

	if (r < 0)
		terminal_print("%s cannot be started: %s", command[0], strerror(-r));
	return r < 0 ? EXIT_CODE_FAILED : 0;
}

/* Starts both programs and COMMAND, and records. */
static int run(struct recording *recording)
{
	int r;

	recording->start = (struct start){
		.options = &recording->options,
		.accounts = &recording->accounts,
		.perf = &recording->perf,
		.programs = recording->programs,
		.exporter_files = &recording->exporter_files,
		.spool_folder = recording->spool_folder,
		.cache = recording->cache,
		.boot_id = recording->boot_id,
	};
	recording->session.start = &recording->start;
	r = start_programs(&recording->start, &recording->session);

	if (r != 0)
		return r;
	perf_events_close(&recording->perf); /* the collector alone has them from here on */
	r = start_command(recording);
	return r != 0 ? r : event_loop_run(&recording->session);
}

/* Stores and prints what was recorded. */
static int finish(struct recording *recording, int exit_code)
{
	struct session *session = &recording->session;
	struct summary summary;
	int stored;

	if (session->ended_ns == 0 || session->aborted)
		return exit_code; /* never sampled, or aborted */
	if (session->workload.name)
		workload_finish(&session->workload);
	report_make(&summary, session, REPORT_LAST);
	stored = outputs_store(&session->intervals.current, &session->output_results, &summary);
	report_print(session, &summary);
	if (exit_code == 0)
		exit_code = intervals_exit_code(&session->intervals, stored);
	exit_code = report_check_export(&summary, session->options->output_count > 0, exit_code);
	return report_check(&summary, exit_code);
}

int record_main(int argc, char *const argv[])
{
	static struct recording recording = {
		/* large */
		.accounts = UID_POOL_NULL,
		.perf = PERF_EVENTS_NULL,
		.programs = {-1, -1, -1, -1, -1, -1, -1, -1},
		.exporter_files = EXPORTER_FILES_NULL,
		.spool_folder = -1,
		.cache = -1,
	};
	char problem[PROBLEM_BYTES];
	int r = options_parse(&recording.options, argc, argv, problem);

	if (r == OPTIONS_E_HELP)
		return help_print(HELP_RECORD);
	if (r == OPTIONS_E_USAGE) {
		terminal_print("%s (see tidemark record --help)", problem);
		return EXIT_CODE_USAGE;
	}
	terminal_set_verbose(recording.options.verbose);
	if (!recording.options.no_debuginfod && recording.options.debuginfod.count == 0)
		debuginfod_urls_add_environment(&recording.options.debuginfod,
						getenv("DEBUGINFOD_URLS"));
	recording.signals = signals_open();
	session_init(&recording.session, &recording.options, recording.signals);
	r = prepare(&recording);
	if (r == 0)
		r = run(&recording);
	r = finish(&recording, r);
	recording_deinit(&recording);
	return r;
}
