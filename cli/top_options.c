/* SPDX-License-Identifier: Apache-2.0 */
/* top_options - the command line of `tidemark top` */

#include "cli/top_options.h"

#include <getopt.h>
#include <string.h>

#include "cli/view_options.h"
#include "shared/parse_units.h"

#define NS_PER_S       1000000000ull
#define DURATION_LEAST (NS_PER_S / 10)
#define DURATION_MOST  (3600 * NS_PER_S)

static const struct option long_options[] = {
	{"spool", required_argument, NULL, 'S'},
	{"interval", required_argument, NULL, 'i'},
	{"window", required_argument, NULL, 'w'},
	{"by", required_argument, NULL, 'b'},
	{"sort", required_argument, NULL, 's'},
	{"off-cpu", no_argument, NULL, 'o'},
	{"once", no_argument, NULL, '1'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int set_duration(uint64_t *ret_ns, const char *option, const char *text, char *ret_problem)
{
	if (tm_parse_duration(text, DURATION_LEAST, DURATION_MOST, ret_ns) < 0)
		return problem_write(ret_problem, "%s %s: 0.1 to 3600 seconds are possible", option,
				     text);
	return 0;
}

static int set_by(struct top_options *o, const char *text, char *ret_problem)
{
	for (unsigned i = 0; i < TOP_BY_N; i++)
		if (strcmp(text, top_table_by((enum top_by)i)) == 0) {
			o->by = (enum top_by)i;
			return 0;
		}
	return problem_write(ret_problem, "--by %s: function, process or container is possible",
			     text);
}

static int set_sort(struct top_options *o, const char *text, char *ret_problem)
{
	if (strcmp(text, "self") != 0 && strcmp(text, "total") != 0)
		return problem_write(ret_problem, "--sort %s: self or total is possible", text);
	o->sort = text[0] == 's' ? TOP_SELF : TOP_TOTAL;
	return 0;
}

static int apply(struct top_options *o, int option, char *const argv[], char *ret_problem)
{
	switch (option) {
	case 'S':
		o->spool = optarg;
		return 0;
	case 'i':
		return set_duration(&o->interval_ns, "--interval", optarg, ret_problem);
	case 'w':
		return set_duration(&o->window_ns, "--window", optarg, ret_problem);
	case 'b':
		return set_by(o, optarg, ret_problem);
	case 's':
		return set_sort(o, optarg, ret_problem);
	case 'o':
		o->kind = TOP_OFF_CPU;
		return 0;
	case '1':
		o->once = true;
		return 0;
	default:
		return options_other(option, argv, "top", ret_problem);
	}
}

int top_options_parse(struct top_options *ret_options, int argc, char *const argv[],
		      char *ret_problem)
{
	int option, r = 0;

	*ret_options = (struct top_options){
		.spool = VIEW_OPTIONS_SPOOL,
		.interval_ns = TOP_OPTIONS_INTERVAL_NS,
		.window_ns = TOP_OPTIONS_WINDOW_NS,
	};
	optind = 0; /* getopt starts over, also in a second call */
	opterr = 0;
	while (r == 0 && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1)
		r = apply(ret_options, option, argv, ret_problem);
	if (r == 0 && optind < argc)
		return problem_write(ret_problem, "%s: top takes no argument", argv[optind]);
	return r;
}
