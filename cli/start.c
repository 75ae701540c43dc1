/* SPDX-License-Identifier: Apache-2.0 */
/* start - starts the collector and the symbolizer with the descriptors of shared/control.h */

#include "cli/start.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/exit_code.h"
#include "cli/launch.h"
#include "cli/resource.h"
#include "cli/terminal.h"
#include "shared/cleanup.h"

struct sockets {
	int wire[2];           /* collector, symbolizer */
	int collector_control; /* the program's ends */
	int symbolizer_control;
	int debuginfod; /* the symbolizer's end; -1: there is none */
	int opener;     /* the collector's end; -1: there is none */
};
#define SOCKETS_NULL ((struct sockets){{-1, -1}, -1, -1, -1, -1})

static void sockets_close(struct sockets *sockets)
{
	sockets->wire[0] = tm_close(sockets->wire[0]);
	sockets->wire[1] = tm_close(sockets->wire[1]);
	sockets->collector_control = tm_close(sockets->collector_control);
	sockets->symbolizer_control = tm_close(sockets->symbolizer_control);
	sockets->debuginfod = tm_close(sockets->debuginfod);
	sockets->opener = tm_close(sockets->opener);
}

/* Sending on our end fails after START_SEND_SECONDS if the program does not read. */
static int open_control(int *ret_ours, int *ret_theirs)
{
	const struct timeval patience = {.tv_sec = START_SEND_SECONDS};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	*ret_ours = pair[0];
	*ret_theirs = pair[1];
	if (setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		return -errno;
	return 0;
}

static int open_sockets(struct sockets *sockets, struct session *session)
{
	int r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets->wire) < 0)
		return -errno;
	r = open_control(&session->collector.control, &sockets->collector_control);
	if (r == 0)
		r = open_control(&session->symbolizer.control, &sockets->symbolizer_control);
	return r;
}

static void add_text(char *title, const char *text)
{
	size_t used = strlen(title);

	(void)snprintf(title + used, START_TITLE_BYTES - used, " %s", text);
}

void start_title(const struct options *options, char ret_title[START_TITLE_BYTES])
{
	char number[32];
	struct utsname host;
	size_t i;

	if (uname(&host) < 0)
		(void)snprintf(host.nodename, sizeof(host.nodename), "host");
	(void)snprintf(ret_title, START_TITLE_BYTES, "%s: tidemark record -F %u", host.nodename,
		       options->hz);
	if (options->off_cpu.on)
		add_text(ret_title, "--off-cpu");
	if (options->off_cpu.wakers)
		add_text(ret_title, "--wakers");
	for (i = 0; i < options->pid_count; i++) {
		(void)snprintf(number, sizeof(number), "-p %d", options->pids[i]);
		add_text(ret_title, number);
	}
	if (options->command)
		add_text(ret_title, "--");
	for (i = 0; options->command && options->command[i]; i++)
		add_text(ret_title, options->command[i]);
	terminal_clean(ret_title, START_TITLE_BYTES);
}

static uint64_t memory_bytes(const struct options *options)
{
	return (uint64_t)options->memory_mib << 20;
}

/* Of what the exporter has to send. */
static uint64_t queue_bytes(const struct options *options)
{
	uint64_t bytes = memory_bytes(options) / START_QUEUE_PART;

	return bytes < START_QUEUE_MAX ? bytes : START_QUEUE_MAX;
}

uint64_t start_process_bytes(const struct options *options)
{
	uint64_t bytes = START_PROCESS_BYTES;

	if (options->debuginfod.count > 0)
		bytes += START_CURL_BYTES;
	if (options->otlp.on)
		bytes += START_CURL_BYTES + queue_bytes(options);
	return options->off_cpu.on ? bytes + START_OFF_CPU_BYTES : bytes;
}

/* The collector's capabilities, if this account has them. */
static void grant(struct launch *launch)
{
	static const cap_value_t capabilities[] = {CAP_BPF, CAP_PERFMON, CAP_SYSLOG};
	size_t i;

	for (i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		if (cap_get_bound(capabilities[i]) == CAP_SET)
			launch_capability(launch, capabilities[i]);
}

static void ask_for_off_cpu(struct launch *launch, const struct off_cpu_options *off_cpu)
{
	if (!off_cpu->on)
		return;
	launch_argument(launch, "--off-cpu=%u", off_cpu->rate);
	launch_argument(launch, "--off-cpu-min-ns=%" PRIu64, off_cpu->min_ns);
	launch_argument(launch, "--off-cpu-max-ns=%" PRIu64, off_cpu->max_ns);
	if (off_cpu->kernel_threads)
		launch_argument(launch, "--off-cpu-kernel");
	if (off_cpu->wakers)
		launch_argument(launch, "--wakers");
}

static int start_collector(const struct start *start, const struct sockets *sockets,
			   struct session *session)
{
	const struct options *options = start->options;
	struct launch launch;
	char cpu[TM_CPUS_ONE_MAX];
	size_t i;
	int r;

	if (launch_init(&launch, program_paths_name(PROGRAM_PATHS_COLLECTOR),
			start->programs[PROGRAM_PATHS_COLLECTOR], start->accounts->collector) < 0) {
		terminal_print("%s cannot be started: out of memory", launch.name);
		return EXIT_CODE_FAILED;
	}
	grant(&launch);
	launch_descriptor(&launch, "control-fd", sockets->collector_control);
	launch_descriptor(&launch, "wire-fd", sockets->wire[0]);
	if (sockets->opener >= 0)
		launch_descriptor(&launch, "opener-fd", sockets->opener);
	for (i = 0; i < start->perf->count; i++) {
		tm_cpus_write(start->perf->events[i].cpu, cpu);
		launch_pair(&launch, "perf-fd", cpu, start->perf->events[i].fd);
	}
	launch_argument(&launch, "--hz=%u", options->hz);
	launch_argument(&launch, "--ring-kib=%u", options->ring_kib);
	launch_argument(&launch, "--memory-bytes=%" PRIu64, memory_bytes(options));
	launch_argument(&launch, "--process-bytes=%" PRIu64, start_process_bytes(options));
	if (options->command || options->pid_count > 0)
		launch_argument(&launch, "--selecting");
	if (options->restart)
		launch_argument(&launch, "--restart");
	if (options->cpu_max_ppm)
		launch_argument(&launch, "--may-lower");
	ask_for_off_cpu(&launch, &options->off_cpu);
	for (i = 0; i < options->debug_root_count; i++)
		launch_argument(&launch, "--debug-root=%s", options->debug_roots[i]);
	r = launch_start(&launch, &session->collector);
	launch_deinit(&launch);
	return r;
}

/* It gets the output files of the report in the making. */
static int start_symbolizer(const struct start *start, const struct sockets *sockets,
			    struct session *session)
{
	const struct options *options = start->options;
	char title[START_TITLE_BYTES];
	struct launch launch;
	size_t i;
	int r;

	if (launch_init(&launch, program_paths_name(PROGRAM_PATHS_SYMBOLIZER),
			start->programs[PROGRAM_PATHS_SYMBOLIZER],
			start->accounts->symbolizer) < 0) {
		terminal_print("%s cannot be started: out of memory", launch.name);
		return EXIT_CODE_FAILED;
	}
	launch_descriptor(&launch, "control-fd", sockets->symbolizer_control);
	launch_descriptor(&launch, "wire-fd", sockets->wire[1]);
	launch_descriptor(&launch, "parser-fd", start->programs[PROGRAM_PATHS_PARSER]);
	for (i = 0; i < options->output_count; i++)
		launch_pair(&launch, "output", format_name(options->outputs[i].format),
			    session->intervals.current.items[i].fd);
	if (start->cache >= 0) {
		launch_descriptor(&launch, "cache-fd", start->cache);
		launch_argument(&launch, "--boot-id=%s", start->boot_id);
	}
	if (sockets->debuginfod >= 0)
		launch_descriptor(&launch, "debuginfod-fd", sockets->debuginfod);
	if (session->exporter.socket >= 0)
		launch_descriptor(&launch, "exporter-fd", session->exporter.socket);
	if (session->spool.socket >= 0)
		launch_descriptor(&launch, "spool-fd", session->spool.socket);
	if (options->otlp.uncompressed)
		launch_argument(&launch, "--otlp-uncompressed");
	resource_launch(&launch, &options->otlp.resource);
	launch_argument(&launch, "--hz=%u", options->hz);
	launch_argument(&launch, "--memory-bytes=%" PRIu64, memory_bytes(options));
	launch_argument(&launch, "--ask-memory");
	launch_argument(&launch, "--perf-map-mib=%u", options->perf_map_mib);
	if (options->cpu_max_ppm)
		launch_argument(&launch, "--cpu-max-ppm=%u", options->cpu_max_ppm);
	if (options->off_cpu.on)
		launch_argument(&launch, "--off-cpu");
	if (options->no_lines)
		launch_argument(&launch, "--no-lines");
	if (options->debug_root_count)
		launch_argument(&launch, "--debug-files");
	if (options->no_demangle)
		launch_argument(&launch, "--no-demangle");
	start_title(options, title);
	launch_argument(&launch, "--title=%s", title);
	r = launch_start(&launch, &session->symbolizer);
	launch_deinit(&launch);
	return r;
}

/* Return: the symbolizer's end of its socket; -1: there is none. */
static int start_debuginfod(const struct start *start, struct session *session)
{
	return debuginfod_start(&session->debuginfod, &start->options->debuginfod,
				start->programs[PROGRAM_PATHS_DEBUGINFOD],
				start->accounts->debuginfod);
}

static void start_exporter(const struct start *start, struct session *session)
{
	exporter_start(&session->exporter, &start->options->otlp, queue_bytes(start->options),
		       start->exporter_files, start->programs[PROGRAM_PATHS_EXPORTER],
		       start->accounts->exporter);
}

static void start_spool(const struct start *start, struct session *session)
{
	spool_start(&session->spool, &start->options->spool, start->spool_folder,
		    start->programs[PROGRAM_PATHS_SPOOL], start->accounts->spool);
}

int start_programs(const struct start *start, struct session *session)
{
	struct sockets sockets = SOCKETS_NULL;
	int r = open_sockets(&sockets, session);

	if (r < 0) {
		terminal_print("the sockets to the programs cannot be made: %s", strerror(-r));
		r = EXIT_CODE_FAILED;
	}
	if (r == 0)
		sockets.opener = opener_start(&session->opener, start->options->public_files,
					      start->programs[PROGRAM_PATHS_OPENER],
					      start->accounts->collector);
	if (r == 0)
		r = start_collector(start, &sockets, session);
	if (r == 0)
		start_exporter(start, session);
	if (r == 0)
		start_spool(start, session);
	if (r == 0)
		sockets.debuginfod = start_debuginfod(start, session);
	if (r == 0)
		r = start_symbolizer(start, &sockets, session);
	sockets_close(&sockets);
	return r;
}

/* The collector's end of the new wire. */
static int attach(struct session *session, const struct sockets *sockets)
{
	int r = child_send_fd(&session->collector, TM_CONTROL_ATTACH, 0, sockets->wire[0]);

	if (r == 0)
		return 0;
	terminal_print("the new symbolizer could not be sent to %s: %s", session->collector.name,
		       strerror(-r));
	return EXIT_CODE_FAILED;
}

int start_symbolizer_again(const struct start *start, struct session *session)
{
	struct sockets sockets = SOCKETS_NULL;
	int r = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.wire) < 0)
		r = -errno;
	if (r == 0)
		r = open_control(&session->symbolizer.control, &sockets.symbolizer_control);
	if (r < 0) {
		terminal_print("the sockets to the symbolizer cannot be made: %s", strerror(-r));
		r = EXIT_CODE_FAILED;
	}
	if (r == 0)
		sockets.debuginfod = start_debuginfod(start, session);
	if (r == 0)
		r = start_symbolizer(start, &sockets, session);
	if (r == 0)
		r = attach(session, &sockets);
	sockets_close(&sockets);
	return r;
}
