/* SPDX-License-Identifier: Apache-2.0 */
/* program_arguments - account, capabilities and arguments of each program, before any is started */

#include "cli/program_arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/exit_code.h"
#include "cli/resource.h"
#include "cli/terminal.h"

static void add_text(char *title, const char *text)
{
	size_t used = strlen(title);

	(void)snprintf(title + used, PROGRAM_ARGUMENTS_TITLE_BYTES - used, " %s", text);
}

void program_arguments_title(const struct options *options,
			     char ret_title[PROGRAM_ARGUMENTS_TITLE_BYTES])
{
	char number[32];
	struct utsname host;
	size_t i;

	if (uname(&host) < 0)
		(void)snprintf(host.nodename, sizeof(host.nodename), "host");
	(void)snprintf(ret_title, PROGRAM_ARGUMENTS_TITLE_BYTES, "%s: tidemark record -F %u",
		       host.nodename, options->hz);
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
	terminal_clean(ret_title, PROGRAM_ARGUMENTS_TITLE_BYTES);
}

static uint64_t memory_bytes(const struct options *options)
{
	return (uint64_t)options->memory_mib << 20;
}

/* Of what the exporter has to send. */
static uint64_t queue_bytes(const struct options *options)
{
	uint64_t bytes = memory_bytes(options) / PROGRAM_ARGUMENTS_QUEUE_PART;

	return bytes < PROGRAM_ARGUMENTS_QUEUE_MAX ? bytes : PROGRAM_ARGUMENTS_QUEUE_MAX;
}

uint64_t program_arguments_process_bytes(const struct options *options)
{
	uint64_t bytes = PROGRAM_ARGUMENTS_PROCESS_BYTES;

	if (options->debuginfod.count > 0)
		bytes += PROGRAM_ARGUMENTS_CURL_BYTES;
	if (options->otlp.on)
		bytes += PROGRAM_ARGUMENTS_CURL_BYTES + queue_bytes(options);
	return options->off_cpu.on ? bytes + PROGRAM_ARGUMENTS_OFF_CPU_BYTES : bytes;
}

/* Those of @capabilities that this account has. */
static void grant(struct launch *launch, const cap_value_t *capabilities, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cap_get_bound(capabilities[i]) == CAP_SET)
			launch_capability(launch, capabilities[i]);
}

static void add_file(struct launch *launch, const char *option, int fd)
{
	if (fd >= 0)
		launch_descriptor(launch, option, fd);
}

/* --- the collector and its opener ------------------------------------------------------------- */

static void add_off_cpu(struct launch *launch, const struct off_cpu_options *off_cpu)
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

static void add_events(struct launch *launch, const struct perf_events *perf)
{
	char cpu[TM_CPUS_ONE_MAX];

	for (size_t i = 0; i < perf->count; i++) {
		tm_cpus_write(perf->events[i].cpu, cpu);
		launch_pair(launch, "perf-fd", cpu, perf->events[i].fd);
	}
}

static void add_collector(struct launch *launch, const struct preparation *preparation)
{
	static const cap_value_t capabilities[] = {CAP_BPF, CAP_PERFMON, CAP_SYSLOG};
	const struct options *options = preparation->options;
	size_t i;

	grant(launch, capabilities, sizeof(capabilities) / sizeof(*capabilities));
	add_events(launch, &preparation->perf);
	launch_argument(launch, "--hz=%u", options->hz);
	launch_argument(launch, "--ring-kib=%u", options->ring_kib);
	launch_argument(launch, "--memory-bytes=%" PRIu64, memory_bytes(options));
	launch_argument(launch, "--process-bytes=%" PRIu64,
			program_arguments_process_bytes(options));
	if (options->command || options->pid_count > 0)
		launch_argument(launch, "--selecting");
	if (options->restart)
		launch_argument(launch, "--restart");
	if (options->cpu_max_ppm)
		launch_argument(launch, "--may-lower");
	add_off_cpu(launch, &options->off_cpu);
	for (i = 0; i < options->debug_root_count; i++)
		launch_argument(launch, "--debug-root=%s", options->debug_roots[i]);
}

static void add_opener(struct launch *launch, const struct preparation *preparation)
{
	static const cap_value_t capabilities[] = {CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH,
						   CAP_CHECKPOINT_RESTORE};
	const size_t all = sizeof(capabilities) / sizeof(*capabilities);

	grant(launch, capabilities, preparation->options->public_files ? 1 : all);
}

/* --- the symbolizer and its children ---------------------------------------------------------- */

static void add_symbolizer(struct launch *launch, const struct preparation *preparation)
{
	const struct options *options = preparation->options;
	char title[PROGRAM_ARGUMENTS_TITLE_BYTES];

	launch_descriptor(launch, "parser-fd", preparation->programs[PROGRAM_PATHS_PARSER]);
	if (preparation->cache >= 0) {
		launch_descriptor(launch, "cache-fd", preparation->cache);
		launch_argument(launch, "--boot-id=%s", preparation->boot_id);
	}
	/* Under gcc, gzip took a quarter of its time: only a network or a disk is worth that. */
	if (options->otlp.uncompressed || (options->otlp.local && !options->spool.folder))
		launch_argument(launch, "--otlp-uncompressed");
	resource_launch(launch, &options->otlp.resource);
	launch_argument(launch, "--hz=%u", options->hz);
	launch_argument(launch, "--memory-bytes=%" PRIu64, memory_bytes(options));
	launch_argument(launch, "--ask-memory");
	launch_argument(launch, "--perf-map-mib=%u", options->perf_map_mib);
	if (options->cpu_max_ppm)
		launch_argument(launch, "--cpu-max-ppm=%u", options->cpu_max_ppm);
	if (options->off_cpu.on)
		launch_argument(launch, "--off-cpu");
	if (options->no_lines)
		launch_argument(launch, "--no-lines");
	if (options->runtime_internals)
		launch_argument(launch, "--runtime-internals");
	if (options->folded_lines)
		launch_argument(launch, "--folded-lines=%s", options->folded_lines);
	if (options->debug_root_count)
		launch_argument(launch, "--debug-files");
	if (options->no_demangle)
		launch_argument(launch, "--no-demangle");
	program_arguments_title(options, title);
	launch_argument(launch, "--title=%s", title);
}

static void add_debuginfod(struct launch *launch, const struct preparation *preparation)
{
	const struct debuginfod_urls *urls = &preparation->options->debuginfod;

	for (size_t i = 0; i < urls->count; i++)
		launch_argument(launch, "--url=%.*s", (int)urls->items[i].bytes,
				urls->items[i].text);
}

static void add_exporter(struct launch *launch, const struct preparation *preparation)
{
	const struct otlp_options *options = &preparation->options->otlp;
	const struct exporter_files *files = &preparation->exporter_files;

	launch_argument(launch, "--url=%s", options->endpoint.url);
	if (options->endpoint.socket[0] != '\0')
		launch_argument(launch, "--unix-socket=%s", options->endpoint.socket);
	launch_argument(launch, "--timeout-ms=%u", options->timeout_ms);
	launch_argument(launch, "--queue-bytes=%" PRIu64, queue_bytes(preparation->options));
	add_file(launch, "certificate-fd", files->certificate);
	add_file(launch, "client-certificate-fd", files->client_certificate);
	add_file(launch, "client-key-fd", files->client_key);
	add_file(launch, "headers-fd", files->headers);
}

static void add_spool(struct launch *launch, const struct preparation *preparation)
{
	const struct spool_options *options = &preparation->options->spool;

	launch_descriptor(launch, "directory-fd", preparation->spool_folder);
	launch_argument(launch, "--spool-bytes=%" PRIu64, options->max_bytes);
	launch_argument(launch, "--spool-seconds=%" PRIu64, options->max_age_s);
}

/* --- all of them ------------------------------------------------------------------------------ */

static void add_nothing(struct launch *launch, const struct preparation *preparation)
{
	(void)launch;
	(void)preparation;
}

int program_arguments_make(struct preparation *preparation)
{
	const struct uid_pool *accounts = &preparation->accounts;
	const struct {
		struct uid_pool_account account;
		void (*add)(struct launch *launch, const struct preparation *preparation);
	} programs[PROGRAM_PATHS_N] = {
		[PROGRAM_PATHS_COLLECTOR] = {accounts->collector, add_collector},
		[PROGRAM_PATHS_OPENER] = {accounts->collector, add_opener},
		[PROGRAM_PATHS_SYMBOLIZER] = {accounts->symbolizer, add_symbolizer},
		[PROGRAM_PATHS_PARSER] = {accounts->symbolizer, add_nothing},
		[PROGRAM_PATHS_DEBUGINFOD] = {accounts->debuginfod, add_debuginfod},
		[PROGRAM_PATHS_EXPORTER] = {accounts->exporter, add_exporter},
		[PROGRAM_PATHS_SPOOL] = {accounts->spool, add_spool},
	};

	for (unsigned i = 0; i < PROGRAM_PATHS_N; i++) {
		struct launch *launch = &preparation->launches[i];

		if (preparation->programs[i] < 0)
			continue; /* not needed */
		if (launch_init(launch, program_paths_name(i), preparation->programs[i],
				programs[i].account) < 0) {
			terminal_print("out of memory");
			return EXIT_CODE_FAILED;
		}
		programs[i].add(launch, preparation);
	}
	return 0;
}
