/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource_options - what the command says of host, service and deployment, for every OTLP resource
 */

#include "symbolizer/resource_options.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "shared/option.h"
#include "shared/utf8.h"

/* A report's strings are clean, and so must be what stands beside them. */
static bool is_clean(const char *text)
{
	char clean[TM_UTF8_CLEAN_BYTES(RESOURCE_OPTIONS_BYTES)];

	if (strlen(text) > RESOURCE_OPTIONS_BYTES)
		return false;
	(void)tm_utf8_clean(text, strlen(text), clean, sizeof(clean));
	return strcmp(clean, text) == 0;
}

static int add_attribute(struct resource_options *options, char *text)
{
	char *equals = strchr(text, '=');
	uint32_t *count = &options->resource.attribute_count;

	if (!equals || equals == text || !is_clean(text) || *count == RESOURCE_OPTIONS_MAX)
		return -EINVAL;
	*equals = '\0';
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp(options->attributes[i].key, text) == 0)
			return -EINVAL;
	options->attributes[(*count)++] = (struct report_attribute){text, equals + 1};
	options->resource.attributes = options->attributes;
	return 0;
}

/* KEY=VALUE,KEY=VALUE as a unit passes them on; it may be empty. */
static int add_list(struct resource_options *options, char *text)
{
	char *one;

	while (*text && (one = strsep(&text, ",")) != NULL) {
		int r = add_attribute(options, one);

		if (r < 0 || !text)
			return r;
	}
	return 0;
}

static int set_grouping(struct resource_options *options, const char *text)
{
	static const char *const groupings[] = {
		[REPORT_BY_PROCESS] = "process",
		[REPORT_BY_CONTAINER] = "container",
		[REPORT_BY_SERVICE] = "service",
	};

	for (unsigned i = 0; i < sizeof(groupings) / sizeof(groupings[0]); i++)
		if (strcmp(text, groupings[i]) == 0) {
			options->resource.grouping = (enum report_grouping)i;
			return 0;
		}
	return -EINVAL;
}

static int set_service_name(struct resource_options *options, const char *name)
{
	options->resource.service_name = name;
	return is_clean(name) ? 0 : -EINVAL;
}

int resource_options_replace(struct resource_options *options, const char *service_name,
			     char *labels, const char *grouping)
{
	int r = set_service_name(options, service_name);

	options->resource.attribute_count = options->label_at;
	if (r == 0)
		r = add_list(options, labels);
	return r < 0 ? r : set_grouping(options, grouping);
}

int resource_options_parse(struct resource_options *options, char *argument)
{
	char *value;

	if ((value = tm_option_value(argument, "--resource"))) {
		int r = add_attribute(options, value);

		options->label_at = options->resource.attribute_count;
		return r;
	}
	if ((value = tm_option_value(argument, "--labels")))
		return add_list(options, value);
	if ((value = tm_option_value(argument, "--resource-grouping")))
		return set_grouping(options, value);
	if ((value = tm_option_value(argument, "--service-name")))
		return set_service_name(options, value);
	return RESOURCE_OPTIONS_E_OTHER;
}
