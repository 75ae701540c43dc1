/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * otlp_services - what the service of each process is called, and which processes share a resource
 *
 * Names      what the user says (report_resource), of all; else "kernel", of kernel threads; else
 *            the systemd unit, by the cgroup (profile/unit.h), of what is in no container; else
 *            what the process says of itself; else the executable's base name; else
 *            "unknown_service". Never the name of a thread: each would be a service of its own.
 *            Nor the id of a container or pod: a service keeps its name in all its instances.
 * Declared   what processes say of themselves shares no resource with what is known.
 * Order      resources have numbers in the order of their first process.
 * Owner      borrows the report, which must outlive it.
 */

#include <stdbool.h>

#include "symbolizer/base/arena.h"
#include "symbolizer/output/report.h"

struct otlp_services {
	const char **names;  /* of each process of the report */
	bool *declared;      /* likewise: by themselves */
	uint32_t *resources; /* likewise: numbers */
	struct arena arena;  /* of both */
	struct budget unlimited;
};

/* Total after a failure, too. Return: 0, -ENOMEM, -errno. */
int otlp_services_init(struct otlp_services *services, const struct report *report);
void otlp_services_deinit(struct otlp_services *services);
/* As the writers see what the user says. */
const struct report_resource *otlp_services_resource(const struct report *report);
