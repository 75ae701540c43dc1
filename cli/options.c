/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line of `tidemark record` as one constant struct */

#include "cli/options.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "cli/problem.h"
#include "shared/parse.h"
#include "shared/parse_units.h"

#define NS_PER_SECOND 1000000000ull

static const struct option long_options[] = {
	{"duration", required_argument, NULL, 'd'},
	{"frequency", required_argument, NULL, 'F'},
	{"pid", required_argument, NULL, 'p'},
	{"output", required_argument, NULL, 'o'},
	{"summary", required_argument, NULL, 's'},
	{"mode", required_argument, NULL, 'O'},
	{"ring-kib", required_argument, NULL, 'r'},
	{"public-files", no_argument, NULL, 'P'},
	{"private-files", no_argument, NULL, 'N'},
	{"verbose", no_argument, NULL, 'v'},
	{"every", required_argument, NULL, 'e'},
	{"every-jitter", required_argument, NULL, 'j'},
	{"restart", no_argument, NULL, 'R'},
	{"cpu-max", required_argument, NULL, 'C'},
	{"memory-max", required_argument, NULL, 'm'},
	{"perf-map-max", required_argument, NULL, 'M'},
	{"cache", required_argument, NULL, 'c'},
	{"no-cache", no_argument, NULL, 'n'},
	{"no-demangle", no_argument, NULL, 'D'},
	{"no-lines", no_argument, NULL, 'L'},
	{"runtime-internals", no_argument, NULL, 'I'},
	{"folded-lines", required_argument, NULL, 'f'},
	{"debuginfod", required_argument, NULL, 'u'},
	{"no-debuginfod", no_argument, NULL, 'U'},
	{"debug-root", required_argument, NULL, 'g'},
	{"no-debug-files", no_argument, NULL, 'G'},
	{"off-cpu", no_argument, NULL, OFF_CPU_OPTION_ON},
	{"off-cpu-rate", required_argument, NULL, OFF_CPU_OPTION_RATE},
	{"off-cpu-min", required_argument, NULL, OFF_CPU_OPTION_MIN},
	{"off-cpu-max", required_argument, NULL, OFF_CPU_OPTION_MAX},
	{"off-cpu-kernel", no_argument, NULL, OFF_CPU_OPTION_KERNEL},
	{"wakers", no_argument, NULL, OFF_CPU_OPTION_WAKERS},
	{"otlp-endpoint", required_argument, NULL, OTLP_OPTION_ENDPOINT},
	{"otlp-header", required_argument, NULL, OTLP_OPTION_HEADER},
	{"otlp-certificate", required_argument, NULL, OTLP_OPTION_CERTIFICATE},
	{"otlp-client-certificate", required_argument, NULL, OTLP_OPTION_CLIENT_CERTIFICATE},
	{"otlp-client-key", required_argument, NULL, OTLP_OPTION_CLIENT_KEY},
	{"otlp-timeout", required_argument, NULL, OTLP_OPTION_TIMEOUT},
	{"no-otlp", no_argument, NULL, OTLP_OPTION_NONE},
	{"service-name", required_argument, NULL, RESOURCE_OPTION_SERVICE},
	{"label", required_argument, NULL, RESOURCE_OPTION_LABEL},
	{"resource-grouping", required_argument, NULL, RESOURCE_OPTION_GROUPING},
	{"spool", required_argument, NULL, SPOOL_OPTION_FOLDER},
	{"spool-max", required_argument, NULL, SPOOL_OPTION_MAX},
	{"spool-age", required_argument, NULL, SPOOL_OPTION_AGE},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

int options_add_output(struct options *o, const char *path, char *ret_problem)
{
	struct options_output *output = &o->outputs[o->output_count];
	size_t i;

	if (o->output_count == OPTIONS_OUTPUTS_MAX)
		return problem_write(ret_problem, "-o is given more than %u times",
				     OPTIONS_OUTPUTS_MAX);
	if (format_of(path, &output->format) != 0)
		return problem_write(ret_problem, "-o %s: the name must end in one of %s", path,
				     FORMAT_ENDINGS);
	for (i = 0; i < o->output_count; i++)
		if (strcmp(o->outputs[i].path, path) == 0)
			return problem_write(ret_problem, "-o %s is given twice", path);
	output->path = path;
	o->output_count++;
	return 0;
}

static int add_pid(struct options *o, const char *text, char *ret_problem)
{
	uint64_t pid;
	size_t i;

	if (tm_parse_number(text, 1, INT_MAX, &pid) < 0)
		return problem_write(ret_problem, "-p %s: not a process number", text);
	for (i = 0; i < o->pid_count; i++)
		if (o->pids[i] == (pid_t)pid)
			return 0;
	if (o->pid_count == OPTIONS_PIDS_MAX)
		return problem_write(ret_problem, "-p is given for more than %u processes",
				     OPTIONS_PIDS_MAX);
	o->pids[o->pid_count++] = (pid_t)pid;
	return 0;
}

static int add_url(struct options *o, const char *text, char *ret_problem)
{
	int r = debuginfod_urls_add(&o->debuginfod, text, strlen(text));

	if (r == DEBUGINFOD_URLS_E_FORM)
		return problem_write(ret_problem,
				     "--debuginfod %s: an http:// or https:// URL is needed", text);
	if (r == DEBUGINFOD_URLS_E_FULL)
		return problem_write(ret_problem, "--debuginfod is given more than %u times",
				     DEBUGINFOD_URLS_MAX);
	return 0;
}

static int add_debug_root(struct options *o, const char *path, char *ret_problem)
{
	if (path[0] != '/' || strspn(path, "/") == strlen(path))
		return problem_write(ret_problem,
				     "--debug-root %s: a folder, named from / on, is needed", path);
	if (o->debug_root_count == OPTIONS_ROOTS_MAX)
		return problem_write(ret_problem, "--debug-root is given more than %u times",
				     OPTIONS_ROOTS_MAX);
	o->debug_roots[o->debug_root_count++] = path;
	return 0;
}

static int set_ring(struct options *o, const char *text, char *ret_problem)
{
	uint64_t kib;

	if (tm_parse_number(text, OPTIONS_RING_KIB_MIN, OPTIONS_RING_KIB_MAX, &kib) < 0 ||
	    (kib & (kib - 1)) != 0)
		return problem_write(ret_problem,
				     "--ring-kib %s: a power of two from %u to %u is needed", text,
				     OPTIONS_RING_KIB_MIN, OPTIONS_RING_KIB_MAX);
	o->ring_kib = (unsigned)kib;
	return 0;
}

/* 0, or within the limits. */
static int set_cpu(struct options *o, const char *text, char *ret_problem)
{
	uint64_t ppm;

	if (tm_parse_percent(text, 0, OPTIONS_CPU_PPM_MAX, &ppm) < 0 ||
	    (ppm > 0 && ppm < OPTIONS_CPU_PPM_MIN))
		return problem_write(ret_problem,
				     "--cpu-max %s: a percentage from 0.1 to 100 is needed, or 0 "
				     "for no limit",
				     text);
	o->cpu_max_ppm = (unsigned)ppm;
	return 0;
}

int options_set_mib(unsigned *ret_mib, const char *option, const char *text, unsigned least,
		    unsigned most, char *ret_problem)
{
	uint64_t mib;

	if (tm_parse_number(text, least, most, &mib) < 0)
		return problem_write(ret_problem, "%s %s: a number of MiB from %u to %u is needed",
				     option, text, least, most);
	*ret_mib = (unsigned)mib;
	return 0;
}

static int set_hz(struct options *o, const char *text, char *ret_problem)
{
	uint64_t hz;

	if (tm_parse_number(text, 1, OPTIONS_HZ_MAX, &hz) < 0)
		return problem_write(ret_problem, "-F %s: a whole number from 1 to %u is needed",
				     text, OPTIONS_HZ_MAX);
	o->hz = (unsigned)hz;
	return 0;
}

/* As of chmod: three or four octal digits. */
int options_set_mode(struct options *o, const char *text, char *ret_problem)
{
	size_t digits = strspn(text, "01234567");
	unsigned mode = 0;

	for (size_t i = 0; i < digits && i < 4; i++)
		mode = mode * 8 + (unsigned)(text[i] - '0');
	if (digits < 3 || digits > 4 || text[digits] || !mode || mode & ~OPTIONS_MODE_MAX)
		return problem_write(ret_problem,
				     "--mode %s: who may read and write is needed, such as 644 or "
				     "600",
				     text);
	o->output_mode = mode;
	return 0;
}

static int set_duration(struct options *o, const char *text, char *ret_problem)
{
	if (tm_parse_duration(text, 1, OPTIONS_SECONDS_MAX * NS_PER_SECOND, &o->duration_ns) < 0)
		return problem_write(ret_problem,
				     "-d %s: a number of seconds above 0, at most %u, is needed",
				     text, OPTIONS_SECONDS_MAX);
	return 0;
}

static int set_every(struct options *o, const char *text, char *ret_problem)
{
	if (tm_parse_duration(text, OPTIONS_EVERY_MIN * NS_PER_SECOND,
			      OPTIONS_SECONDS_MAX * NS_PER_SECOND, &o->every_ns) < 0)
		return problem_write(ret_problem,
				     "--every %s: a number of seconds from %u to %u is needed",
				     text, OPTIONS_EVERY_MIN, OPTIONS_SECONDS_MAX);
	return 0;
}

static int set_jitter(struct options *o, const char *text, char *ret_problem)
{
	uint64_t percent;

	if (tm_parse_number(text, 0, OPTIONS_JITTER_MAX, &percent) < 0)
		return problem_write(ret_problem,
				     "--every-jitter %s: a number of percent from 0 to %u is "
				     "needed",
				     text, OPTIONS_JITTER_MAX);
	o->jitter_percent = (unsigned)percent;
	return 0;
}

int options_other(int option, char *const argv[], const char *command, char *ret_problem)
{
	const char *word = argv[optind - 1];

	if (option == 'h')
		return OPTIONS_E_HELP;
	if (option == ':')
		return problem_write(ret_problem, "%s needs a value", word);
	if (optopt > ' ' && optopt < 0x7f && strncmp(word, "--", 2) != 0)
		return problem_write(ret_problem, "-%c is not an option of %s", optopt, command);
	return problem_write(ret_problem, "%s is not an option of %s", word, command);
}

/* What an option without a value sets; NULL: it is none of those. */
static bool *switch_of(struct options *o, int option)
{
	switch (option) {
	case 'n':
		return &o->no_cache;
	case 'L':
		return &o->no_lines;
	case 'I':
		return &o->runtime_internals;
	case 'D':
		return &o->no_demangle;
	case 'U':
		return &o->no_debuginfod;
	case 'G':
		return &o->no_debug_files;
	case 'R':
		return &o->restart;
	case 'P':
		return &o->public_files;
	case 'v':
		return &o->verbose;
	default:
		return NULL;
	}
}

static int set_once(const char **path, const char *name, char *ret_problem)
{
	if (*path)
		return problem_write(ret_problem, "%s is given twice", name);
	*path = optarg;
	return 0;
}

/* Of a group of options that is parsed elsewhere. */
static int apply_group(struct options *o, int option, char *ret_problem)
{
	if (option >= SPOOL_OPTION_FOLDER)
		return spool_options_set(&o->spool, (enum spool_option)option, optarg, ret_problem);
	if (option >= OTLP_OPTION_ENDPOINT)
		return otlp_options_set(&o->otlp, (enum otlp_option)option, optarg, ret_problem);
	return off_cpu_options_set(&o->off_cpu, (enum off_cpu_option)option, optarg, ret_problem);
}

static int apply(struct options *o, int option, char *const argv[], char *ret_problem)
{
	bool *set = switch_of(o, option);

	if (set) {
		*set = true;
		return 0;
	}
	if (option >= OFF_CPU_OPTION_ON)
		return apply_group(o, option, ret_problem);
	switch (option) {
	case 'd':
		return set_duration(o, optarg, ret_problem);
	case 'F':
		return set_hz(o, optarg, ret_problem);
	case 'p':
		return add_pid(o, optarg, ret_problem);
	case 'o':
		return options_add_output(o, optarg, ret_problem);
	case 'f':
		return format_folded_lines(optarg, &o->folded_lines, ret_problem);
	case 'r':
		return set_ring(o, optarg, ret_problem);
	case 'C':
		return set_cpu(o, optarg, ret_problem);
	case 'm':
		return options_set_mib(&o->memory_mib, "--memory-max", optarg,
				       OPTIONS_MEMORY_MIB_MIN, OPTIONS_MEMORY_MIB_MAX, ret_problem);
	case 'M':
		return options_set_mib(&o->perf_map_mib, "--perf-map-max", optarg, 1,
				       OPTIONS_PERF_MAP_MIB_MAX, ret_problem);
	case 'c':
		return set_once(&o->cache, "--cache", ret_problem);
	case 'u':
		return add_url(o, optarg, ret_problem);
	case 'g':
		return add_debug_root(o, optarg, ret_problem);
	case 's':
		return set_once(&o->summary, "--summary", ret_problem);
	case 'O':
		return options_set_mode(o, optarg, ret_problem);
	case 'e':
		return set_every(o, optarg, ret_problem);
	case 'j':
		return set_jitter(o, optarg, ret_problem);
	case 'N': /* the default since files of private folders are opened too */
		return 0;
	default:
		return options_other(option, argv, "record", ret_problem);
	}
}

/* Checks that need the whole command line. */
static int finish(struct options *o, int argc, char *const argv[], char *ret_problem)
{
	size_t i;

	if (optind < argc && strcmp(argv[optind - 1], "--") != 0)
		return problem_write(ret_problem, "%s: a command to run comes after --",
				     argv[optind]);
	if (optind < argc)
		o->command = argv + optind;
	else if (strcmp(argv[optind - 1], "--") == 0)
		return problem_write(ret_problem, "no command after --");
	if (o->command && o->command[0][0] == '\0')
		return problem_write(ret_problem, "the command after -- is empty");
	if (o->command && o->pid_count != 0)
		return problem_write(ret_problem, "-p and a command cannot be combined");
	if (o->jitter_percent && !o->every_ns)
		return problem_write(ret_problem, "--every-jitter has no meaning without --every");
	if (o->cache && o->no_cache)
		return problem_write(ret_problem, "--cache and --no-cache cannot be combined");
	if (o->debuginfod.count > 0 && o->no_debuginfod)
		return problem_write(ret_problem,
				     "--debuginfod and --no-debuginfod cannot be combined");
	if (o->no_debug_files && o->debug_root_count)
		return problem_write(ret_problem,
				     "--debug-root and --no-debug-files cannot be combined");
	if (off_cpu_options_check(&o->off_cpu, ret_problem) != 0 ||
	    otlp_options_finish(&o->otlp, ret_problem) != 0 ||
	    spool_options_check(&o->spool, ret_problem) != 0)
		return OPTIONS_E_USAGE;
	if (!o->output_mode && !o->command && o->pid_count == 0) {
		o->output_mode = OPTIONS_MODE_HOST;
		o->is_mode_ours = true;
	}
	if (!o->no_debug_files && !o->debug_root_count)
		o->debug_roots[o->debug_root_count++] = OPTIONS_ROOT_DEFAULT;
	if (o->output_count == 0 && !o->otlp.asked && !o->spool.folder)
		(void)options_add_output(o, OPTIONS_OUTPUT_DEFAULT, ret_problem);
	for (i = 0; o->summary && i < o->output_count; i++)
		if (strcmp(o->outputs[i].path, o->summary) == 0)
			return problem_write(ret_problem, "%s is given twice", o->summary);
	return 0;
}

int options_parse(struct options *ret_options, int argc, char *const argv[], char *ret_problem)
{
	int option, r;

	*ret_options = (struct options){.hz = OPTIONS_HZ_DEFAULT,
					.memory_mib = OPTIONS_MEMORY_MIB,
					.perf_map_mib = OPTIONS_PERF_MAP_MIB};
	off_cpu_options_init(&ret_options->off_cpu);
	spool_options_init(&ret_options->spool);
	optind = 0; /* getopt starts over, also in a second call */
	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:d:F:p:o:vh", long_options, NULL)) != -1) {
		r = apply(ret_options, option, argv, ret_problem);
		if (r != 0)
			return r;
	}
	return finish(ret_options, argc, argv, ret_problem);
}
