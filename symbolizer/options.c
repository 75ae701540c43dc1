/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options - parses the arguments that the command, or the service's unit, passes
 */

#include "symbolizer/options.h"

#include <errno.h>
#include <string.h>

#include "shared/option.h"
#include "shared/parse.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/parser/parser.h"

static const char *const formats[OUTPUTS_FORMAT_N] = {
	[OUTPUTS_HTML] = "html",     [OUTPUTS_PPROF] = "pprof",
	[OUTPUTS_FOLDED] = "folded", [OUTPUTS_SPEEDSCOPE] = "speedscope",
	[OUTPUTS_OTLP] = "otlp",     [OUTPUTS_TABLE] = "table",
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

/* What only the service has, behind --service. Return: 0, -EINVAL: other, or a wrong value. */
static int parse_service(struct options *options, char *text)
{
	const char *value;

	if (!options->service)
		return -EINVAL;
	if ((value = tm_option_value(text, "--every-ms")))
		return tm_parse_number(value, OPTIONS_EVERY_MS_MIN, OPTIONS_EVERY_MS_MAX,
				       &options->every_ms)
			       ? -EINVAL
			       : 0;
	if ((value = tm_option_value(text, "--connect")))
		options->connect = value;
	else if ((value = tm_option_value(text, "--parser")))
		options->parser = value;
	else if ((value = tm_option_value(text, "--cache")))
		options->cache = *value ? value : NULL;
	else if ((value = tm_option_value(text, "--endpoint"))) /* the exporter's; "": none */
		options->exports = *value != '\0';
	else if ((value = tm_option_value(text, "--spool-bytes"))) /* the spool's; 0: none */
		options->spools = strcmp(value, "0") != 0;
	else
		return -EINVAL;
	return 0;
}

/* Options that a unit always writes have the value "yes", "no" or nothing. */
static int parse_switch(const char *value, bool *ret_on)
{
	*ret_on = strcmp(value, "yes") == 0 || strcmp(value, "1") == 0;
	return *ret_on || !*value || strcmp(value, "no") == 0 || strcmp(value, "0") == 0 ? 0
											 : -EINVAL;
}

/* Return: 0, -EINVAL: it is none. */
static int parse_flag(struct options *options, const char *text)
{
	const struct {
		const char *name;
		bool *on;
	} flags[] = {
		{"--service", &options->service},
		{"--ask-memory", &options->ask_memory},
		{"--off-cpu", &options->off_cpu},
		{"--otlp-uncompressed", &options->otlp_uncompressed},
		{"--no-lines", &options->no_lines},
		{"--runtime-internals", &options->runtime_internals},
		{"--debug-files", &options->debug_files},
		{"--no-demangle", &options->no_demangle},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(text, flags[i].name) == 0) {
			*flags[i].on = true;
			return 0;
		}
	return -EINVAL;
}

static int parse_folded_lines(const char *value, enum report_lines *ret_lines)
{
	static const char *const words[] = {
		[REPORT_LINES_PYTHON] = "python",
		[REPORT_LINES_ALL] = "all",
		[REPORT_LINES_NONE] = "none",
	};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(value, words[i]) == 0) {
			*ret_lines = (enum report_lines)i;
			return 0;
		}
	return -EINVAL;
}

static int parse_argument(struct options *options, char *text)
{
	const char *value;
	int r = resource_options_parse(&options->resource, text);

	if (r <= 0)
		return r;
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
	if ((value = tm_option_value(text, "--spool-fd")))
		return tm_option_fd(value, &options->spool_fd);
	if ((value = tm_option_value(text, "--cache-fd")))
		return tm_option_fd(value, &options->cache_fd);
	if ((value = tm_option_value(text, "--boot-id"))) {
		options->boot_id = value;
		return *value ? 0 : -EINVAL;
	}
	if ((value = tm_option_value(text, "--folded-lines")))
		return parse_folded_lines(value, &options->folded_lines);
	if ((value = tm_option_value(text, "--output")))
		return parse_output(options, value);
	if ((value = tm_option_value(text, "--title"))) {
		options->title = value;
		return 0;
	}
	if ((value = tm_option_value(text, "--hz")))
		return tm_parse_number(value, 1, OPTIONS_HZ_MAX, &options->hz) ? -EINVAL : 0;
	if ((value = tm_option_value(text, "--cpu-max-ppm")))
		return tm_option_number(value, 0, OPTIONS_CPU_PPM_MAX, &options->cpu_max_ppm);
	if ((value = tm_option_value(text, "--memory-bytes")))
		return tm_parse_number(value, OPTIONS_MEMORY_MIN, OPTIONS_MEMORY_MAX,
				       &options->memory_bytes)
			       ? -EINVAL
			       : 0;
	if ((value = tm_option_value(text, "--perf-map-mib")))
		return tm_parse_number(value, 1, PARSER_PERF_MAP_MIB_MAX, &options->perf_map_mib)
			       ? -EINVAL
			       : 0;
	if ((value = tm_option_value(text, "--off-cpu")))
		return parse_switch(value, &options->off_cpu);
	return parse_flag(options, text) == 0 ? 0 : parse_service(options, text);
}

int options_parse(struct options *options, int argc, char *const argv[], const char **ret_bad)
{
	*options = (struct options){
		.control_fd = -1,
		.wire_fd = -1,
		.parser_fd = -1,
		.debuginfod_fd = -1,
		.exporter_fd = -1,
		.spool_fd = -1,
		.cache_fd = -1,
		.boot_id = "",
		.resource.resource.service_name = "",
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
	*ret_bad = "--connect, --parser, --hz and --every-ms are required with --service";
	if (options->service)
		return options->connect && options->parser && options->hz && options->every_ms
			       ? 0
			       : -EINVAL;
	*ret_bad = "--control-fd, --wire-fd, --parser-fd and --hz are required";
	return options->control_fd < 0 || options->wire_fd < 0 || options->parser_fd < 0 ||
			       !options->hz
		       ? -EINVAL
		       : 0;
}
