/* SPDX-License-Identifier: Apache-2.0 */
/* view_options - the command lines of `tidemark view` and `tidemark diff` */

#include "cli/view_options.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "shared/parse.h"
#include "shared/parse_units.h"

#define SINCE_MAX_NS (366ull * 86400 * 1000000000)
#define TIME_BYTES   64 /* of one end of FROM..TO */

static const struct option long_options[] = {
	{"spool", required_argument, NULL, 'S'},
	{"since", required_argument, NULL, 's'},
	{"from", required_argument, NULL, 'f'},
	{"to", required_argument, NULL, 't'},
	{"comm", required_argument, NULL, 'c'},
	{"pid", required_argument, NULL, 'p'},
	{"container", required_argument, NULL, 'C'},
	{"unit", required_argument, NULL, 'u'},
	{"output", required_argument, NULL, 'o'},
	{"memory-max", required_argument, NULL, 'm'},
	{"mode", required_argument, NULL, 'M'},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* --- single options --------------------------------------------------------------------------- */

static int add_value(struct view_options_values *values, const char *option, const char *text,
		     char *ret_problem)
{
	if (values->count == VIEW_OPTIONS_VALUES_MAX)
		return problem_write(ret_problem, "%s is given more than %u times", option,
				     VIEW_OPTIONS_VALUES_MAX);
	if (!*text)
		return problem_write(ret_problem, "%s needs a value", option);
	values->items[values->count++] = text;
	return 0;
}

static int add_pid(struct view_options *o, const char *text, char *ret_problem)
{
	uint64_t pid;

	if (tm_parse_number(text, 1, INT_MAX, &pid) < 0)
		return problem_write(ret_problem, "--pid %s: not a process number", text);
	return add_value(&o->pids, "--pid", text, ret_problem);
}

static int set_once(const char **setting, const char *option, const char *text, char *ret_problem)
{
	if (*setting)
		return problem_write(ret_problem, "%s is given twice", option);
	*setting = text;
	return 0;
}

/* A difference has no meaning in a format for one profile. */
static int add_output(struct view_options *o, const char *path, char *ret_problem)
{
	enum format format;

	if (o->compare && format_of(path, &format) == 0 && format != FORMAT_HTML &&
	    format != FORMAT_FOLDED)
		return problem_write(ret_problem,
				     "-o %s: a difference is written to .html or .folded", path);
	return options_add_output(&o->outputs, path, ret_problem);
}

static int apply(struct view_options *o, int option, char *const argv[], char *ret_problem)
{
	switch (option) {
	case 'S':
		return set_once(&o->spool, "--spool", optarg, ret_problem);
	case 's':
		return set_once(&o->since, "--since", optarg, ret_problem);
	case 'f':
		return set_once(&o->from, "--from", optarg, ret_problem);
	case 't':
		return set_once(&o->to, "--to", optarg, ret_problem);
	case 'c':
		return add_value(&o->comms, "--comm", optarg, ret_problem);
	case 'p':
		return add_pid(o, optarg, ret_problem);
	case 'C':
		return add_value(&o->containers, "--container", optarg, ret_problem);
	case 'u':
		return add_value(&o->units, "--unit", optarg, ret_problem);
	case 'o':
		return add_output(o, optarg, ret_problem);
	case 'm':
		return options_set_mib(&o->memory_mib, "--memory-max", optarg,
				       OPTIONS_MEMORY_MIB_MIN, VIEW_OPTIONS_MIB_MAX, ret_problem);
	case 'M':
		return options_set_mode(&o->outputs, optarg, ret_problem);
	case 'v':
		o->outputs.verbose = true;
		return 0;
	default:
		return options_other(option, argv, o->compare ? "diff" : "view", ret_problem);
	}
}

/* --- windows ---------------------------------------------------------------------------------- */

static int set_window(struct view_options_side *side, const char *from_option, const char *from,
		      const char *to_option, const char *to, uint64_t now_unix_ns,
		      char *ret_problem)
{
	struct view_time_reference reference = {.now_unix_ns = now_unix_ns};
	int r = view_time_parse(from_option, from, &reference, &side->from_unix_ns, ret_problem);

	side->is_window = true;
	side->to_unix_ns = now_unix_ns;
	reference.after_unix_ns = side->from_unix_ns;
	if (r == 0 && to)
		r = view_time_parse(to_option, to, &reference, &side->to_unix_ns, ret_problem);
	if (r == 0 && side->from_unix_ns >= side->to_unix_ns)
		return to ? problem_write(ret_problem, "%s %s is not before %s %s", from_option,
					  from, to_option, to)
			  : problem_write(ret_problem, "%s %s is in the future", from_option, from);
	return r;
}

static int finish_view(struct view_options *o, uint64_t now_unix_ns, char *ret_problem)
{
	struct view_options_side *side = &o->sides[0];
	uint64_t since_ns;

	if (o->since && (o->from || o->to))
		return problem_write(ret_problem, "--since and %s cannot be combined",
				     o->from ? "--from" : "--to");
	if (o->to && !o->from)
		return problem_write(ret_problem, "--to needs --from");
	if (side->file_count && (o->since || o->from || o->spool))
		return problem_write(ret_problem, "%s: a file is shown as a whole: without %s",
				     side->files[0],
				     o->since  ? "--since"
				     : o->from ? "--from"
					       : "--spool");
	if (side->file_count)
		return 0;
	if (o->from)
		return set_window(side, "--from", o->from, "--to", o->to, now_unix_ns, ret_problem);
	if (!o->since)
		return problem_write(ret_problem,
				     "what is to be shown? --since 10m, --from TIME, or files");
	if (tm_parse_duration(o->since, 1, SINCE_MAX_NS, &since_ns) < 0)
		return problem_write(ret_problem, "--since %s: a length is needed, such as 10m",
				     o->since);
	side->is_window = true;
	side->to_unix_ns = now_unix_ns;
	side->from_unix_ns = now_unix_ns > since_ns ? now_unix_ns - since_ns : 0;
	return 0;
}

/* FROM..TO, or a file. */
static int set_side(struct view_options_side *side, const char *text, uint64_t now_unix_ns,
		    char *ret_problem)
{
	const char *dots = strstr(text, "..");
	char from[TIME_BYTES];

	side->text = text;
	if (!dots || strchr(text, '/') || (size_t)(dots - text) >= sizeof(from) || dots == text) {
		side->files[side->file_count++] = text;
		return 0;
	}
	memcpy(from, text, (size_t)(dots - text));
	from[dots - text] = '\0';
	return set_window(side, "from", from, "to", dots[2] ? dots + 2 : NULL, now_unix_ns,
			  ret_problem);
}

static int finish_diff(struct view_options *o, int argc, char *const argv[], uint64_t now_unix_ns,
		       char *ret_problem)
{
	int r;

	if (o->since || o->from || o->to)
		return problem_write(ret_problem, "diff takes two windows, each as FROM..TO");
	if (argc - optind != 2)
		return problem_write(
			ret_problem,
			"diff needs two profiles, A and B: files, or windows FROM..TO");
	r = set_side(&o->sides[1], argv[optind], now_unix_ns, ret_problem);
	return r ? r : set_side(&o->sides[0], argv[optind + 1], now_unix_ns, ret_problem);
}

static int add_files(struct view_options *o, int argc, char *const argv[], char *ret_problem)
{
	struct view_options_side *side = &o->sides[0];

	for (int i = optind; i < argc; i++) {
		if (side->file_count == VIEW_OPTIONS_FILES_MAX)
			return problem_write(ret_problem, "more than %u files",
					     VIEW_OPTIONS_FILES_MAX);
		side->files[side->file_count++] = argv[i];
	}
	return 0;
}

int view_options_parse(struct view_options *ret_options, int argc, char *const argv[],
		       uint64_t now_unix_ns, char *ret_problem)
{
	struct view_options *o = ret_options;
	int option, r = 0;

	memset(o, 0, sizeof(*o));
	o->compare = strcmp(argv[0], "diff") == 0;
	o->memory_mib = VIEW_OPTIONS_MIB;
	optind = 0; /* getopt starts over, also in a second call */
	opterr = 0;
	while (r == 0 && (option = getopt_long(argc, argv, ":o:vh", long_options, NULL)) != -1)
		r = apply(o, option, argv, ret_problem);
	if (r == 0 && o->compare)
		r = finish_diff(o, argc, argv, now_unix_ns, ret_problem);
	else if (r == 0)
		r = add_files(o, argc, argv, ret_problem);
	if (r == 0 && !o->compare)
		r = finish_view(o, now_unix_ns, ret_problem);
	if (r == 0 && o->outputs.output_count == 0)
		r = add_output(o, OPTIONS_OUTPUT_DEFAULT, ret_problem);
	if (!o->outputs.output_mode && (o->sides[0].is_window || o->sides[1].is_window))
		o->outputs.output_mode = OPTIONS_MODE_HOST; /* the spool is of the whole host */
	if (!o->spool)
		o->spool = VIEW_OPTIONS_SPOOL;
	return r;
}
