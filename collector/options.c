/* SPDX-License-Identifier: Apache-2.0 */
/* options - parses the options that `tidemark record` passes to the collector */

#include "collector/options.h"

#include <errno.h>
#include <string.h>

#include "collector/percpu_event.h"
#include "shared/cleanup.h"
#include "shared/option.h"
#include "shared/parse.h"

static int parse_perf(struct options *options, char *text)
{
	struct options_perf *perf = &options->perf[options->perf_count];
	char *fd = strchr(text, ':'), *node = strchr(text, '/');

	if (options->perf_count == OPTIONS_CPUS_MAX || !fd || !node || node > fd)
		return -EINVAL;
	*fd++ = *node++ = '\0';
	if (tm_option_number(text, 0, OPTIONS_CPUS_MAX - 1, &perf->cpu) < 0 ||
	    tm_option_number(node, 0, OPTIONS_NODE_NONE, &perf->node) < 0 ||
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

/* Return: whether it is a descriptor. */
static bool parse_fd(struct options *options, char *argument, int *ret_r)
{
	char *value;

	if ((value = tm_option_value(argument, "--control-fd")))
		*ret_r = tm_option_fd(value, &options->control_fd);
	else if ((value = tm_option_value(argument, "--wire-fd")))
		*ret_r = tm_option_fd(value, &options->wire_fd);
	else if ((value = tm_option_value(argument, "--opener-fd")))
		*ret_r = tm_option_fd(value, &options->opener_fd);
	else if ((value = tm_option_value(argument, "--perf-fd")))
		*ret_r = parse_perf(options, value);
	else if ((value = tm_option_value(argument, "--kept")))
		*ret_r = kept_parse(&options->kept, value);
	return value != NULL;
}

static int parse_one(struct options *options, char *argument)
{
	char *value;
	int r = 0;

	if (parse_fd(options, argument, &r))
		return r;
	options->digest = kept_digest(options->digest, argument, strlen(argument) + 1);
	if ((value = tm_option_value(argument, "--hz")))
		return tm_option_number(value, 1, OPTIONS_HZ_MAX, &options->hz);
	if ((value = tm_option_value(argument, "--ring-kib")))
		return tm_option_number(value, 0, OPTIONS_RING_KIB_MAX, &options->ring_kib);
	if ((value = tm_option_value(argument, "--memory-bytes")))
		return tm_parse_number(value, 1, UINT64_MAX >> 1, &options->memory_bytes);
	if ((value = tm_option_value(argument, "--process-bytes")))
		return tm_parse_number(value, 0, UINT64_MAX >> 1, &options->process_bytes);
	if ((value = tm_option_value(argument, "--off-cpu")))
		return tm_option_number(value, 0, OPTIONS_OFF_CPU_MAX, &options->off_cpu);
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
	else if (strcmp(argument, "--may-lower") == 0)
		options->may_lower = true;
	else if (strcmp(argument, "--restart") == 0)
		options->restart = true;
	else if (strcmp(argument, "--keep") == 0)
		options->keep = true;
	else
		return -EINVAL;
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, const char **ret_wrong)
{
	memset(options, 0, sizeof(*options));
	options->control_fd = options->wire_fd = options->opener_fd = -1;
	options->off_cpu_max_ns = UINT64_MAX;
	options->digest = KEPT_DIGEST;
	options->kept.command = options->kept.layout_fd = options->kept.last_ring = -1;
	for (int i = 1; i < argc; i++) {
		*ret_wrong = argv[i];
		if (parse_one(options, argv[i]) < 0)
			return -EINVAL;
	}
	*ret_wrong = "one of --control-fd, --wire-fd, --hz, --perf-fd";
	return options->control_fd < 0 || (options->wire_fd < 0 && !options->restart) ||
			       !options->hz || !options->perf_count
		       ? -EINVAL
		       : 0;
}

unsigned options_adopt_events(struct options *options, struct options_perf *ret_added)
{
	unsigned count = options->perf_count, added = 0;
	struct kept *kept = &options->kept;

	options->perf_count = 0;
	for (unsigned i = 0; i < count; i++) {
		struct options_perf perf = options->perf[i];
		int fd = kept_take(kept, KEPT_EVENT, perf.cpu);

		if (fd >= 0)
			options->perf[options->perf_count++] = (struct options_perf){perf.cpu, fd};
		if (fd >= 0 && percpu_event_counts(fd))
			(void)tm_close(perf.fd);
		else
			ret_added[added++] = perf;
	}
	/* Of CPUs that went offline the rings may hold something still. */
	for (unsigned i = 0; i < kept->count && options->perf_count < OPTIONS_CPUS_MAX; i++) {
		struct kept_one *one = &kept->all[i];

		if (one->kind == KEPT_EVENT && one->fd >= 0 && one->index < OPTIONS_CPUS_MAX)
			options->perf[options->perf_count++] = (struct options_perf){
				(unsigned)one->index, TM_TAKE_FD(one->fd), OPTIONS_NODE_NONE};
	}
	return added;
}
