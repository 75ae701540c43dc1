/* SPDX-License-Identifier: Apache-2.0 */
/* record - `tidemark record`: the steps of one recording, in order */

#include "cli/record.h"

#include <stdlib.h>
#include <string.h>

#include "cli/confine.h"
#include "cli/event_loop.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/preflight.h"
#include "cli/preparation.h"
#include "cli/program_arguments.h"
#include "cli/report.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/start.h"
#include "cli/starter/serve.h"
#include "cli/starter_client.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

struct recording {
	struct options options;
	struct preparation preparation;
	struct starter_client starter;
	int signals;
	struct session session;
};

static void recording_deinit(struct recording *recording)
{
	session_deinit(&recording->session);
	/* Once there is a starter, it alone gives back what was prepared. */
	if (recording->starter.pid > 0)
		starter_client_stop(&recording->starter);
	else
		preparation_release(&recording->preparation);
	recording->signals = tm_close(recording->signals);
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
	struct preparation *preparation = &recording->preparation;
	int r = preflight_check();

	if (r == 0)
		r = preflight_check_processes(options);
	if (r == 0 && options->off_cpu.on)
		preflight_describe_off_cpu();
	if (r == 0)
		warn_of_environment(options);
	if (r == 0)
		r = preparation_open(preparation);
	if (r != 0)
		return r;
	workload_remember_limits();
	preflight_raise_limits();
	hotplug_open(&recording->session.hotplug);
	r = perf_events_open(&preparation->perf, options->hz);
	if (r == 0)
		r = program_arguments_make(preparation);
	if (r == 0)
		hotplug_begin(&recording->session.hotplug, &preparation->perf, &recording->starter);
	return r;
}

/* It waits, with the caller's rights. */
static int start_command(struct recording *recording)
{
	char *const *command = recording->options.command;
	struct workload *workload = &recording->session.workload;
	int r = command ? workload_start(workload, command) : 0;

	if (r < 0)
		terminal_print("%s cannot be started: %s", command[0], strerror(-r));
	recording->preparation.workload = workload->pidfd;
	return r < 0 ? EXIT_CODE_FAILED : 0;
}

/* The starter, which ends with the command. @context: the recording. */
static void serve(void *context, int socket, int command)
{
	struct recording *recording = context;
	struct workload *workload = &recording->session.workload;

	/* COMMAND waits for the end of its gate, which must not be here. */
	workload->gate = tm_close(workload->gate);
	workload->report = tm_close(workload->report);
	recording->signals = tm_close(recording->signals);
	hotplug_close(&recording->session.hotplug);
	if (confine_starter() == 0)
		starter_serve(&recording->preparation, socket, command);
	preparation_release(&recording->preparation);
}

/* From here on root's work is the starter's, and only the exporter knows its headers. Return: 0, or
 * an exit code, after printing why. */
static int give_up_root(struct recording *recording)
{
	struct uid_pool_account account = recording->preparation.accounts.command;
	int r;

	otlp_options_erase_headers(&recording->options.otlp);
	r = starter_client_fork(&recording->starter, serve, recording);
	if (r < 0) {
		terminal_print("the starter cannot be forked: %s", strerror(-r));
		return EXIT_CODE_FAILED;
	}
	preparation_forget(&recording->preparation);
	recording->session.starter = &recording->starter;
	recording->session.workload.starter = &recording->starter;
	return confine_command(account);
}

/* Starts both programs and COMMAND, and records. */
static int run(struct recording *recording)
{
	struct session *session = &recording->session;
	int r = start_command(recording);

	if (r == 0)
		r = give_up_root(recording);
	if (r == 0)
		r = outputs_open(&session->intervals.current, &recording->starter,
				 &recording->options, recording->options.every_ns ? 1 : 0);
	if (r == 0)
		r = start_programs(session);
	return r != 0 ? r : event_loop_run(session);
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
	static struct recording recording = {.starter = STARTER_CLIENT_NULL}; /* large */
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
	recording.options.is_sudo = getenv("SUDO_UID") != NULL;
	recording.signals = signals_open();
	session_init(&recording.session, &recording.options, recording.signals);
	preparation_init(&recording.preparation, &recording.options);
	r = prepare(&recording);
	if (r == 0)
		r = run(&recording);
	r = finish(&recording, r);
	recording_deinit(&recording);
	return r;
}
