/* SPDX-License-Identifier: Apache-2.0 */
/* spool_options - the options of `tidemark record` about keeping reports on this host */

#include "cli/spool_options.h"

#include "cli/problem.h"
#include "shared/parse_units.h"

#define NS_PER_S 1000000000ull

void spool_options_init(struct spool_options *options)
{
	*options = (struct spool_options){.max_bytes = SPOOL_BYTES, .max_age_s = SPOOL_AGE_S};
}

static int set_folder(struct spool_options *options, const char *value, char *ret_problem)
{
	if (options->folder)
		return problem_write(ret_problem, "--spool is given twice");
	if (value[0] == '\0')
		return problem_write(ret_problem, "--spool needs the name of a folder");
	options->folder = value;
	return 0;
}

static int set_age(struct spool_options *options, const char *value, char *ret_problem)
{
	uint64_t ns;

	if (tm_parse_duration(value, NS_PER_S, SPOOL_AGE_MAX_S * NS_PER_S, &ns) < 0)
		return problem_write(ret_problem,
				     "--spool-age %s: a duration from 1s to 8784h is needed",
				     value);
	options->max_age_s = ns / NS_PER_S;
	return 0;
}

int spool_options_set(struct spool_options *options, enum spool_option option, const char *value,
		      char *ret_problem)
{
	switch (option) {
	case SPOOL_OPTION_FOLDER:
		return set_folder(options, value, ret_problem);
	case SPOOL_OPTION_MAX:
		options->given = "--spool-max";
		if (tm_parse_bytes(value, SPOOL_BYTES_MIN, SPOOL_BYTES_MAX, &options->max_bytes) <
		    0)
			return problem_write(ret_problem,
					     "--spool-max %s: a size from 1M to 1024G is needed",
					     value);
		return 0;
	case SPOOL_OPTION_AGE:
		options->given = "--spool-age";
		return set_age(options, value, ret_problem);
	}
	return 0;
}

int spool_options_check(const struct spool_options *options, char *ret_problem)
{
	if (options->given && !options->folder)
		return problem_write(ret_problem, "%s has no meaning without --spool",
				     options->given);
	return 0;
}
