/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * resource_options - what the command says of host, service and deployment, for every OTLP resource
 *
 * Shape      --resource=KEY=VALUE, --labels=KEY=VALUE,... (of the service), --service-name=TEXT,
 *            which may be empty, --resource-grouping=process|container|service.
 *            --labels comes behind every --resource.
 * Owner      strings point into the arguments, which are changed: a '=' becomes the end of a key.
 * Limits     RESOURCE_OPTIONS_MAX attributes.
 */

#include "symbolizer/output/report.h"

#define RESOURCE_OPTIONS_MAX   80u   /* the labels of the command and some of the host */
#define RESOURCE_OPTIONS_BYTES 1100u /* of a key and its value, or of a name */

struct resource_options {
	struct report_resource resource;
	struct report_attribute attributes[RESOURCE_OPTIONS_MAX];
	uint32_t label_at; /* the first attribute of --labels */
};

enum {
	RESOURCE_OPTIONS_E_OTHER = 1, /* the argument is none of these */
};

/* Return: 0, RESOURCE_OPTIONS_E_OTHER, -EINVAL. */
int resource_options_parse(struct resource_options *options, char *argument);
/* Other values of --service-name, --labels and --resource-grouping; those of --resource stay.
 * @labels is changed, as an argument. Return: 0, -EINVAL: a part of @options may be changed. */
int resource_options_replace(struct resource_options *options, const char *service_name,
			     char *labels, const char *grouping);
