/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_settings - what a reload changes in reports: the service's name, labels, resource grouping
 */

#include "symbolizer/report_settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shared/cleanup.h"

int report_settings_new(const struct resource_options *options,
			struct report_settings **ret_settings)
{
	struct report_settings *settings = calloc(1, sizeof(*settings));

	if (!settings)
		return -ENOMEM;
	settings->users = 1;
	settings->resource = *options;
	settings->resource.resource.attributes = settings->resource.attributes;
	*ret_settings = settings;
	return 0;
}

int report_settings_change(const struct report_settings *before, const struct tm_reload *message,
			   struct report_settings **ret_settings)
{
	_cleanup_(report_settings_unrefp) struct report_settings *settings = NULL;
	int r = report_settings_new(&before->resource, &settings);

	if (r < 0)
		return r;
	memcpy(settings->service_name, message->service_name, sizeof(settings->service_name));
	memcpy(settings->labels, message->labels, sizeof(settings->labels));
	if (resource_options_replace(&settings->resource, settings->service_name, settings->labels,
				     message->grouping) < 0)
		return -EBADMSG;
	*ret_settings = TM_TAKE_PTR(settings);
	return 0;
}

static bool have_same_attributes(const struct report_resource *a, const struct report_resource *b)
{
	if (a->attribute_count != b->attribute_count)
		return false;
	for (uint32_t i = 0; i < a->attribute_count; i++)
		if (strcmp(a->attributes[i].key, b->attributes[i].key) != 0 ||
		    strcmp(a->attributes[i].value, b->attributes[i].value) != 0)
			return false;
	return true;
}

uint32_t report_settings_compare(const struct report_settings *a, const struct report_settings *b)
{
	const struct report_resource *of_a = &a->resource.resource, *of_b = &b->resource.resource;
	uint32_t different = 0;

	if (strcmp(of_a->service_name, of_b->service_name) != 0)
		different |= TM_RELOAD_SERVICE_NAME;
	if (!have_same_attributes(of_a, of_b))
		different |= TM_RELOAD_LABELS;
	if (of_a->grouping != of_b->grouping)
		different |= TM_RELOAD_GROUPING;
	return different;
}

struct report_settings *report_settings_ref(struct report_settings *settings)
{
	settings->users++;
	return settings;
}

struct report_settings *report_settings_unref(struct report_settings *settings)
{
	if (settings && --settings->users == 0)
		free(settings);
	return NULL;
}
