/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options - parses the arguments that the command passes, among them inherited descriptors
 */

#include "symbolizer/options.h"

#include <errno.h>
#include <string.h>

#include "shared/option.h"
#include "shared/parse.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/parser/parser.h"

#define HZ_MAX     10000
#define MEMORY_MIN (1ull << 20)
#define MEMORY_MAX (2ull << 30) /* half of ADDRESS_SPACE_BYTES */

static const char *const formats[OUTPUTS_FORMAT_N] = {
	[OUTPUTS_HTML] = "html",     [OUTPUTS_PPROF] = "pprof",
	[OUTPUTS_FOLDED] = "folded", [OUTPUTS_SPEEDSCOPE] = "speedscope",
	[OUTPUTS_OTLP] = "otlp",
};

static int parse_output(struct options *options, const char *text)
{
	const char *colon = strchr(text, ':');
	struct options_output *out = &options->outputs[options->output_count];

	if (!colon || options->output_count == OPTIONS_OUTPUTS_MAX)
		return -EINVAL;
	for (int i = 0; i < OUTPUTS_FORMAT_N; i++) {
		size_t length = strlen(formats[i]);

		if (length != (size_t)(colon - text) || memcmp(text, formats[i], length) != 0)
			continue;
		out->format = (enum outputs_format)i;
		options->output_count++;
		return tm_option_fd(colon + 1, &out->fd);
	}
	return -EINVAL;
}

static int parse_argument(struct options *options, char *text)
{
	const char *value;

	if ((value = tm_option_value(text, "--control-fd")))
		return tm_option_fd(value, &options->control_fd);
	if ((value = tm_option_value(text, "--wire-fd")))
		return tm_option_fd(value, &options->wire_fd);
	if ((value = tm_option_value(text, "--parser-fd")))
		return tm_option_fd(value, &options->parser_fd);
	if ((value = tm_option_value(text, "--debuginfod-fd")))
		return tm_option_fd(value, &options->debuginfod_fd);
	if ((value = tm_option_value(text, "--exporter-fd")))
		return tm_option_fd(value, &options->exporter_fd);
	if ((value = tm_option_value(text, "--cache-fd")))
		return tm_option_fd(value, &options->cache_fd);
	if ((value = tm_option_value(text, "--boot-id"))) {
		options->boot_id = value;
		return *value ? 0 : -EINVAL;
	}
	if ((value = tm_option_value(text, "--output")))
		return parse_output(options, value);
	if ((value = tm_option_value(text, "--title"))) {
		options->title = value;
		return 0;
	}
	if ((value = tm_option_value(text, "--hz")))
		return tm_parse_number(value, 1, HZ_MAX, &options->hz) ? -EINVAL : 0;
	if ((value = tm_option_value(text, "--memory-bytes")))
		return tm_parse_number(value, MEMORY_MIN, MEMORY_MAX, &options->memory_bytes)
			       ? -EINVAL
			       : 0;
	if ((value = tm_option_value(text, "--perf-map-mib")))
		return tm_parse_number(value, 1, PARSER_PERF_MAP_MIB_MAX, &options->perf_map_mib)
			       ? -EINVAL
			       : 0;
	if (strcmp(text, "--off-cpu") == 0) {
		options->off_cpu = true;
		return 0;
	}
	if (strcmp(text, "--otlp-uncompressed") == 0) {
		options->otlp_uncompressed = true;
		return 0;
	}
	if (strcmp(text, "--no-lines") == 0) {
		options->no_lines = true;
		return 0;
	}
	if (strcmp(text, "--debug-files") == 0) {
		options->debug_files = true;
		return 0;
	}
	if (strcmp(text, "--no-demangle") == 0) {
		options->no_demangle = true;
		return 0;
	}
	return -EINVAL;
}

int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad)
{
	*options = (struct options){
		.control_fd = -1,
		.wire_fd = -1,
		.parser_fd = -1,
		.debuginfod_fd = -1,
		.exporter_fd = -1,
		.cache_fd = -1,
		.boot_id = "",
		.memory_bytes = BUDGET_TOTAL_BYTES,
		.perf_map_mib = PARSER_PERF_MAP_MIB,
		.title = "",
	};
	for (int i = 1; i < argc; i++)
		if (parse_argument(options, argv[i])) {
			*ret_bad = argv[i];
			return -EINVAL;
		}
	*ret_bad = "--cache-fd and --boot-id must be given together";
	if ((options->cache_fd >= 0) != (*options->boot_id != '\0'))
		return -EINVAL;
	*ret_bad = "--control-fd, --wire-fd, --parser-fd and --hz are required";
	return options->control_fd < 0 || options->wire_fd < 0 || options->parser_fd < 0 ||
			       !options->hz
		       ? -EINVAL
		       : 0;
}
