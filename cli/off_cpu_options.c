/* SPDX-License-Identifier: Apache-2.0 */
/* off_cpu_options - the options of `tidemark record` about time without a CPU */

#include "cli/off_cpu_options.h"

#include "cli/problem.h"
#include "shared/event.h"
#include "shared/parse.h"
#include "shared/parse_units.h"

#define MAX_NS (OFF_CPU_SECONDS_MAX * 1000000000ull)

void off_cpu_options_init(struct off_cpu_options *options)
{
	*options = (struct off_cpu_options){
		.rate = OFF_CPU_RATE_DEFAULT,
		.max_ns = TM_OFF_CPU_VALUE_MAX,
	};
}

static int set_rate(struct off_cpu_options *options, const char *value, char *ret_problem)
{
	uint64_t rate;

	options->given = "--off-cpu-rate";
	if (tm_parse_number(value, 1, OFF_CPU_RATE_MAX, &rate) < 0)
		return problem_write(ret_problem,
				     "--off-cpu-rate %s: a number of stacks per second from 1 to "
				     "%u is needed",
				     value, OFF_CPU_RATE_MAX);
	options->rate = (unsigned)rate;
	return 0;
}

static int set_min(struct off_cpu_options *options, const char *value, char *ret_problem)
{
	options->given = "--off-cpu-min";
	if (tm_parse_duration(value, 0, MAX_NS, &options->min_ns) == 0)
		return 0;
	return problem_write(ret_problem,
			     "--off-cpu-min %s: a time such as 10us, 5ms or 1s, at most %us, is "
			     "needed",
			     value, OFF_CPU_SECONDS_MAX);
}

static int set_max(struct off_cpu_options *options, const char *value, char *ret_problem)
{
	options->given = "--off-cpu-max";
	if (tm_parse_duration(value, 1, MAX_NS, &options->max_ns) == 0)
		return 0;
	return problem_write(ret_problem,
			     "--off-cpu-max %s: a time such as 10us, 5ms or 1s, above 0 and at "
			     "most %us, is needed",
			     value, OFF_CPU_SECONDS_MAX);
}

int off_cpu_options_set(struct off_cpu_options *options, enum off_cpu_option option,
			const char *value, char *ret_problem)
{
	switch (option) {
	case OFF_CPU_OPTION_RATE:
		return set_rate(options, value, ret_problem);
	case OFF_CPU_OPTION_MIN:
		return set_min(options, value, ret_problem);
	case OFF_CPU_OPTION_MAX:
		return set_max(options, value, ret_problem);
	case OFF_CPU_OPTION_KERNEL:
		options->given = "--off-cpu-kernel";
		options->kernel_threads = true;
		return 0;
	case OFF_CPU_OPTION_WAKERS:
		options->given = "--wakers";
		options->wakers = true;
		return 0;
	case OFF_CPU_OPTION_ON:
		options->on = true;
	}
	return 0;
}

int off_cpu_options_check(const struct off_cpu_options *options, char *ret_problem)
{
	if (!options->on && options->given)
		return problem_write(ret_problem, "%s has no meaning without --off-cpu",
				     options->given);
	if (options->min_ns > options->max_ns)
		return problem_write(ret_problem,
				     "--off-cpu-min is longer than --off-cpu-max: no time would "
				     "be sampled");
	return 0;
}
