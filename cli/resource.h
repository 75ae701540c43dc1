/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * resource - what every resource of an OTLP request says, as arguments of the symbolizer
 *
 * Host       host.id (/etc/machine-id), host.name, host.arch and os.type, as OpenTelemetry's
 *            semantic conventions have them; a label of the same key comes instead.
 */

#include "cli/launch.h"
#include "cli/resource_options.h"

#define RESOURCE_MACHINE_ID "/etc/machine-id"

/* Reads a machine id as machine-id(5) describes it. Return: 0; -errno, -EBADMSG (@ret_id: ""). */
int resource_machine_id(const char *path, char ret_id[33]);
void resource_launch(struct launch *launch, const struct resource_options *options);
