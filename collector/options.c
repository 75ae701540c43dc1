/* SPDX-License-Identifier: Apache-2.0 */
/* options - parses the options that `tidemark record` passes to the collector */

#include "collector/options.h"

#include <errno.h>
#include <string.h>

#include "shared/option.h"
#include "shared/parse.h"

static int parse_perf(struct options *options, char *text)
{
	struct options_perf *perf = &options->perf[options->perf_count];
	char *fd = strchr(text, ':');

	if (options->perf_count == OPTIONS_CPUS_MAX || !fd)
		return -EINVAL;
	*fd++ = '\0';
	if (tm_option_number(text, 0, OPTIONS_CPUS_MAX - 1, &perf->cpu) < 0 ||
	    tm_option_fd(fd, &perf->fd) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < options->perf_count; i++)
		if (options->perf[i].cpu == perf->cpu)
			return -EINVAL;
	options->perf_count++;
	return 0;
}

static int add_debug_root(struct options *options, const char *path)
{
	path += strspn(path, "/");
	if (!*path || options->debug_root_count == OPTIONS_ROOTS_MAX)
		return -EINVAL;
	options->debug_roots[options->debug_root_count++] = path;
	return 0;
}

static int parse_one(struct options *options, char *argument)
{
	char *value;

	if ((value = tm_option_value(argument, "--control-fd")))
		return tm_option_fd(value, &options->control_fd);
	if ((value = tm_option_value(argument, "--wire-fd")))
		return tm_option_fd(value, &options->wire_fd);
	if ((value = tm_option_value(argument, "--opener-fd")))
		return tm_option_fd(value, &options->opener_fd);
	if ((value = tm_option_value(argument, "--perf-fd")))
		return parse_perf(options, value);
	if ((value = tm_option_value(argument, "--hz")))
		return tm_option_number(value, 1, OPTIONS_HZ_MAX, &options->hz);
	if ((value = tm_option_value(argument, "--ring-kib")))
		return tm_option_number(value, 0, OPTIONS_RING_KIB_MAX, &options->ring_kib);
	if ((value = tm_option_value(argument, "--table-bytes")))
		return tm_option_number(value, OPTIONS_TABLES_MIN, OPTIONS_TABLES_MAX,
					&options->table_bytes);
	if ((value = tm_option_value(argument, "--off-cpu")))
		return tm_option_number(value, 1, OPTIONS_OFF_CPU_MAX, &options->off_cpu);
	if ((value = tm_option_value(argument, "--off-cpu-min-ns")))
		return tm_parse_number(value, 0, UINT64_MAX, &options->off_cpu_min_ns);
	if ((value = tm_option_value(argument, "--off-cpu-max-ns")))
		return tm_parse_number(value, 1, UINT64_MAX, &options->off_cpu_max_ns);
	if ((value = tm_option_value(argument, "--debug-root")))
		return add_debug_root(options, value);
	if (strcmp(argument, "--selecting") == 0)
		options->selecting = true;
	else if (strcmp(argument, "--off-cpu-kernel") == 0)
		options->off_cpu_kernel = true;
	else if (strcmp(argument, "--wakers") == 0)
		options->wakers = true;
	else if (strcmp(argument, "--restart") == 0)
		options->restart = true;
	else
		return -EINVAL;
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, const char **ret_wrong)
{
	memset(options, 0, sizeof(*options));
	options->control_fd = options->wire_fd = options->opener_fd = -1;
	options->off_cpu_max_ns = UINT64_MAX;
	options->table_bytes = OPTIONS_TABLES_BYTES;
	for (int i = 1; i < argc; i++) {
		*ret_wrong = argv[i];
		if (parse_one(options, argv[i]) < 0)
			return -EINVAL;
	}
	*ret_wrong = "one of --control-fd, --wire-fd, --hz, --perf-fd";
	return options->control_fd < 0 || options->wire_fd < 0 || !options->hz ||
			       !options->perf_count
		       ? -EINVAL
		       : 0;
}
