/* SPDX-License-Identifier: Apache-2.0 */
/* options - reads --name=NUMBER and --perf-fd=CPU:NUMBER */

#include "collector/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FD_MAX (1 << 20)

/* The digits up to @stop. Return: what follows @stop (the end itself for '\0'), NULL if no number. */
static const char *number(const char *text, unsigned max, char stop, unsigned *ret)
{
	char *end = NULL;
	unsigned long value;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || value > max || *end != stop)
		return NULL;
	*ret = (unsigned)value;
	return stop ? end + 1 : end;
}

static const char *value_of(const char *argument, const char *name)
{
	size_t n = strlen(name);

	return strncmp(argument, name, n) == 0 && argument[n] == '=' ? argument + n + 1 : NULL;
}

static int parse_fd(const char *text, int *ret_fd)
{
	unsigned fd;

	if (!number(text, FD_MAX, '\0', &fd) || fd < 3)
		return -EINVAL;
	*ret_fd = (int)fd;
	return 0;
}

static int parse_perf(struct options *options, const char *text)
{
	struct options_perf *perf = &options->perf[options->perf_count];

	if (options->perf_count == OPTIONS_CPUS_MAX)
		return -EINVAL;
	text = number(text, OPTIONS_CPUS_MAX - 1, ':', &perf->cpu);
	if (!text || parse_fd(text, &perf->fd) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < options->perf_count; i++)
		if (options->perf[i].cpu == perf->cpu)
			return -EINVAL;
	options->perf_count++;
	return 0;
}

static int parse_one(struct options *options, const char *argument)
{
	const char *value;

	if ((value = value_of(argument, "--control-fd")))
		return parse_fd(value, &options->control_fd);
	if ((value = value_of(argument, "--wire-fd")))
		return parse_fd(value, &options->wire_fd);
	if ((value = value_of(argument, "--opener-fd")))
		return parse_fd(value, &options->opener_fd);
	if ((value = value_of(argument, "--perf-fd")))
		return parse_perf(options, value);
	if ((value = value_of(argument, "--hz")))
		return number(value, OPTIONS_HZ_MAX, '\0', &options->hz) && options->hz ? 0
											: -EINVAL;
	if ((value = value_of(argument, "--ring-kib")))
		return number(value, OPTIONS_RING_KIB_MAX, '\0', &options->ring_kib) ? 0 : -EINVAL;
	if (strcmp(argument, "--selecting") == 0)
		options->selecting = true;
	else if (strcmp(argument, "--verbose") == 0)
		options->verbose = true;
	else
		return -EINVAL;
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, const char **ret_wrong)
{
	options->control_fd = options->wire_fd = options->opener_fd = -1;
	options->hz = options->ring_kib = options->perf_count = 0;
	options->selecting = options->verbose = false;
	for (int i = 1; i < argc; i++) {
		*ret_wrong = argv[i];
		if (parse_one(options, argv[i]) < 0)
			return -EINVAL;
	}
	if (options->control_fd < 0)
		*ret_wrong = "no --control-fd";
	else if (options->wire_fd < 0)
		*ret_wrong = "no --wire-fd";
	else if (!options->hz)
		*ret_wrong = "no --hz";
	else if (!options->perf_count)
		*ret_wrong = "no --perf-fd";
	else
		return 0;
	return -EINVAL;
}
