/* SPDX-License-Identifier: Apache-2.0 */
/* exporter - starts tidemark-exporter, which sends what the symbolizers hand over by OTLP */

#include "cli/exporter.h"

#include <inttypes.h>

#include "shared/cleanup.h"

struct arguments {
	const struct otlp_options *options;
	const struct exporter_files *files;
	uint64_t queue_bytes;
};

static void add_file(struct launch *launch, const char *option, int fd)
{
	if (fd >= 0)
		launch_descriptor(launch, option, fd);
}

static void add_arguments(struct launch *launch, const void *context)
{
	const struct arguments *arguments = context;
	const struct otlp_options *options = arguments->options;
	const struct exporter_files *files = arguments->files;

	launch_argument(launch, "--url=%s", options->endpoint.url);
	if (options->endpoint.socket[0] != '\0')
		launch_argument(launch, "--unix-socket=%s", options->endpoint.socket);
	launch_argument(launch, "--timeout-ms=%u", options->timeout_ms);
	launch_argument(launch, "--queue-bytes=%" PRIu64, arguments->queue_bytes);
	add_file(launch, "certificate-fd", files->certificate);
	add_file(launch, "client-certificate-fd", files->client_certificate);
	add_file(launch, "client-key-fd", files->client_key);
	add_file(launch, "headers-fd", files->headers);
}

void exporter_start(struct exporter *exporter, const struct otlp_options *options,
		    uint64_t queue_bytes, const struct exporter_files *files, int program,
		    struct uid_pool_account account)
{
	const struct arguments arguments = {options, files, queue_bytes};
	const struct symbolizer_child_start start = {
		.name = PROGRAM_PATHS_EXPORTER,
		.program = program,
		.account = account,
		.add_arguments = add_arguments,
		.context = &arguments,
	};

	if (options->on && exporter->socket < 0)
		exporter->socket = symbolizer_child_start(&exporter->child, &start);
}

void exporter_end(struct exporter *exporter, bool expected)
{
	symbolizer_child_end(&exporter->child, expected, "no more profiles are sent");
}

void exporter_stop(struct exporter *exporter, unsigned ms)
{
	exporter->socket = tm_close(exporter->socket);
	symbolizer_child_await(&exporter->child, ms);
}
