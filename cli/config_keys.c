/* SPDX-License-Identifier: Apache-2.0 */
/* config_keys - the keys of tidemark.conf: one table for the check, --help, man page and tests */

#include "cli/config_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/problem.h"
#include "cli/resource_options.h"
#include "shared/otlp_endpoint.h"
#include "shared/parse.h"

#define PREFIX       "TIDEMARK_"
#define COMPARED_MAX 64u /* bytes of a name that are compared */

/* The limits are those of the programs (options.c of collector, symbolizer, spool and here). */
const struct config_key config_keys[CONFIG_KEYS_N] = {
	{"TIDEMARK_RATE", "19", CONFIG_NUMBER, 1, 10000, CONFIG_COLLECTOR | CONFIG_SYMBOLIZER,
	 TM_RELOAD_RATE, "--hz", "samples a second and CPU"},
	{"TIDEMARK_OFF_CPU", "no", CONFIG_SWITCH, 0, 0, CONFIG_SYMBOLIZER, TM_RELOAD_OFF_CPU,
	 "--off-cpu", "whether reports have time without a CPU"},
	{"TIDEMARK_OFF_CPU_RATE", "0", CONFIG_NUMBER, 0, 100000, CONFIG_COLLECTOR, 0, "--off-cpu",
	 "stacks of time without a CPU to aim at, a second; 0: none"},
	{"TIDEMARK_INTERVAL_MS", "5000", CONFIG_NUMBER, 100, 86400000, CONFIG_SYMBOLIZER,
	 TM_RELOAD_INTERVAL, "--every-ms", "ms between two reports"},
	{"TIDEMARK_OTLP_ENDPOINT", "", CONFIG_ENDPOINT, 0, 0, CONFIG_SYMBOLIZER | CONFIG_EXPORTER,
	 TM_RELOAD_SENDS, "--endpoint", "where reports are sent by OTLP; empty: nowhere"},
	{"TIDEMARK_SPOOL_BYTES", "268435456", CONFIG_NUMBER_OR_0, 1u << 20, 1ull << 40,
	 CONFIG_SYMBOLIZER | CONFIG_SPOOL, TM_RELOAD_KEEPS, "--spool-bytes",
	 "bytes of reports kept on this host; 0: none"},
	{"TIDEMARK_SPOOL_SECONDS", "86400", CONFIG_NUMBER, 1, 366u * 86400u, CONFIG_SPOOL, 0,
	 "--spool-seconds", "how long they are kept"},
	{"TIDEMARK_SERVICE_NAME", "", CONFIG_SERVICE_NAME, 0, 0, CONFIG_SYMBOLIZER,
	 TM_RELOAD_SERVICE_NAME, "--service-name",
	 "the service in all reports; empty: one by rule"},
	{"TIDEMARK_LABELS", "", CONFIG_LABELS, 0, 0, CONFIG_SYMBOLIZER, TM_RELOAD_LABELS,
	 "--labels", "more attributes of all reports"},
	{"TIDEMARK_RESOURCE_GROUPING", "process", CONFIG_GROUPING, 0, 0, CONFIG_SYMBOLIZER,
	 TM_RELOAD_GROUPING, "--resource-grouping", "what makes a resource"},
	{"TIDEMARK_CPU_MAX_PPM", "10000", CONFIG_NUMBER, 0, 1000000, CONFIG_SYMBOLIZER,
	 TM_RELOAD_CPU_MAX, "--cpu-max-ppm",
	 "millionths of the time of all CPUs it may cost; 0: no limit"},
	{"TIDEMARK_MEMORY_BYTES", "536870912", CONFIG_NUMBER, 16u << 20, 2ull << 30,
	 CONFIG_COLLECTOR | CONFIG_SYMBOLIZER, TM_RELOAD_MEMORY, "--memory-bytes",
	 "bytes of all its processes and BPF maps"},
	{"TIDEMARK_RING_KIB", "0", CONFIG_NUMBER, 0, 64 * 1024, CONFIG_COLLECTOR, 0, "--ring-kib",
	 "memory of each CPU's ring; 0: chosen from the rate"},
};

static const char *const services_names[CONFIG_SERVICES_N] = {"collector", "symbolizer", "exporter",
							      "spool"};

int config_keys_find(const char *name)
{
	for (int i = 0; i < CONFIG_KEYS_N; i++)
		if (strcmp(config_keys[i].name, name) == 0)
			return i;
	return -1;
}

/* --- the nearest key -------------------------------------------------------------------------- */

static const char *without_prefix(const char *name)
{
	return strncasecmp(name, PREFIX, strlen(PREFIX)) == 0 ? name + strlen(PREFIX) : name;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edits from @a to @b (Levenshtein), whose lengths are below COMPARED_MAX. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[COMPARED_MAX];
	const size_t columns = strlen(b);

	for (unsigned j = 0; j <= columns; j++)
		row[j] = j;
	for (unsigned i = 1; *a; a++, i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= columns; j++) {
			unsigned changed = corner + (upper(*a) != upper(b[j - 1]));

			corner = row[j];
			row[j] = least(changed, least(row[j - 1], row[j]) + 1);
		}
	}
	return row[columns];
}

const struct config_key *config_keys_nearest(const char *name)
{
	const struct config_key *nearest = NULL;
	unsigned fewest = UINT32_MAX;

	name = without_prefix(name);
	if (strlen(name) >= COMPARED_MAX)
		return NULL;
	for (int i = 0; i < CONFIG_KEYS_N; i++) {
		const char *known = without_prefix(config_keys[i].name);
		unsigned edits = distance(name, known);

		if (edits >= fewest || edits > (strlen(known) + 1) / 4)
			continue;
		fewest = edits;
		nearest = &config_keys[i];
	}
	return nearest;
}

/* --- values ----------------------------------------------------------------------------------- */

void config_keys_limits(const struct config_key *key, char ret_text[CONFIG_LIMITS])
{
	static const char *const limits[] = {
		[CONFIG_SWITCH] = "yes or no",
		[CONFIG_ENDPOINT] = "http://, https:// or unix:///PATH",
		[CONFIG_SERVICE_NAME] = "a text",
		[CONFIG_LABELS] = "KEY=VALUE,KEY=VALUE",
		[CONFIG_GROUPING] = "process, container or service",
	};

	switch (key->kind) {
	case CONFIG_NUMBER:
		(void)snprintf(ret_text, CONFIG_LIMITS, "%" PRIu64 " to %" PRIu64, key->least,
			       key->most);
		break;
	case CONFIG_NUMBER_OR_0:
		(void)snprintf(ret_text, CONFIG_LIMITS, "0, or %" PRIu64 " to %" PRIu64, key->least,
			       key->most);
		break;
	default:
		(void)snprintf(ret_text, CONFIG_LIMITS, "%s", limits[key->kind]);
	}
}

/* What follows a value with a comment behind it, which systemd takes for a part of the value. */
static const char *hint(const char *value)
{
	return strstr(value, " #") || strstr(value, " ;") ? " (a comment needs a line of its own)"
							  : "";
}

static int check_number(const struct config_key *key, const char *value, char *ret_problem)
{
	uint64_t number;

	if (tm_parse_number(value, key->least, key->most, &number) == 0 ||
	    (key->kind == CONFIG_NUMBER_OR_0 && strcmp(value, "0") == 0))
		return 0;
	if (*value != '\0' && strspn(value, "0123456789") == strlen(value))
		return problem_write(ret_problem, "%s is not from %" PRIu64 " to %" PRIu64, value,
				     key->least, key->most);
	return problem_write(ret_problem,
			     "\"%s\" is no whole number from %" PRIu64 " to %" PRIu64 "%s", value,
			     key->least, key->most, hint(value));
}

bool config_keys_is_on(const char *value)
{
	return strcmp(value, "yes") == 0 || strcmp(value, "1") == 0;
}

/* As symbolizer/options.c has it. */
static int check_switch(const char *value, char *ret_problem)
{
	if (config_keys_is_on(value) || *value == '\0' || strcmp(value, "no") == 0 ||
	    strcmp(value, "0") == 0)
		return 0;
	return problem_write(ret_problem, "\"%s\" is neither yes nor no%s", value, hint(value));
}

static int check_endpoint(const char *value, char *ret_problem)
{
	struct tm_otlp_endpoint endpoint;

	if (*value == '\0' || tm_otlp_endpoint_parse(value, false, &endpoint) == 0)
		return 0;
	return problem_write(ret_problem,
			     "\"%s\" is no http:// or https:// URL and no unix:///PATH of a "
			     "socket%s",
			     value, hint(value));
}

/* Whether `tidemark record` takes @value for @option, too. */
static bool is_valid(enum resource_option option, const char *value)
{
	struct resource_options options = {.label_count = 0};
	char problem[PROBLEM_BYTES];

	return resource_options_set(&options, option, value, problem) == 0;
}

static int check_service_name(const char *value, char *ret_problem)
{
	if (*value == '\0' || is_valid(RESOURCE_OPTION_SERVICE, value))
		return 0;
	return problem_write(ret_problem,
			     "\"%s\" has more than %u bytes or a control character, or is no UTF-8",
			     value, RESOURCE_LABEL_BYTES - 1);
}

/* Whether the unit of the symbolizer says it of every report itself. */
static bool is_of_host(const char *label)
{
	static const char *const keys[] = {"host.name=", "host.id=", "host.arch=", "os.type="};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strncmp(label, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

/* As symbolizer/resource_options.c takes them apart. */
static int check_labels(const char *value, char *ret_problem)
{
	struct resource_options options = {.label_count = 0};
	char text[TM_RELOAD_LABELS_BYTES], problem[PROBLEM_BYTES], *rest = text;

	if (strlen(value) >= sizeof(text))
		return problem_write(ret_problem, "it has more than %zu bytes", sizeof(text) - 1);
	(void)snprintf(text, sizeof(text), "%s", value);
	while (rest && *text) {
		const char *label = strsep(&rest, ",");

		if (is_of_host(label) ||
		    resource_options_set(&options, RESOURCE_OPTION_LABEL, label, problem) != 0)
			return problem_write(ret_problem,
					     "\"%s\" is no KEY=VALUE, or its key is there twice or "
					     "one of tidemark's own%s",
					     label, hint(value));
	}
	return 0;
}

static int check_grouping(const char *value, char *ret_problem)
{
	if (is_valid(RESOURCE_OPTION_GROUPING, value))
		return 0;
	return problem_write(ret_problem, "\"%s\" is neither process, container nor service%s",
			     value, hint(value));
}

int config_keys_check(const struct config_key *key, const char *value, char *ret_problem)
{
	switch (key->kind) {
	case CONFIG_NUMBER:
	case CONFIG_NUMBER_OR_0:
		return check_number(key, value, ret_problem);
	case CONFIG_SWITCH:
		return check_switch(value, ret_problem);
	case CONFIG_ENDPOINT:
		return check_endpoint(value, ret_problem);
	case CONFIG_SERVICE_NAME:
		return check_service_name(value, ret_problem);
	case CONFIG_LABELS:
		return check_labels(value, ret_problem);
	case CONFIG_GROUPING:
		return check_grouping(value, ret_problem);
	}
	return 0;
}

bool config_keys_is_reloaded(const struct config_key *key)
{
	return (key->reload & TM_RELOAD_CHANGES) != 0;
}

void config_keys_services(unsigned services, const char *prefix, char ret_text[CONFIG_SERVICES])
{
	size_t length = 0;

	ret_text[0] = '\0';
	for (unsigned i = 0; i < CONFIG_SERVICES_N; i++) {
		if (!(services & 1u << i) || length >= CONFIG_SERVICES)
			continue;
		length += (size_t)snprintf(ret_text + length, CONFIG_SERVICES - length, "%s%s%s",
					   length > 0 ? " " : "", prefix, services_names[i]);
	}
}
