/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_services - what the service of each process is called, and which processes share a resource
 */

#include "symbolizer/output/otlp_services.h"

#include <errno.h>
#include <string.h>

#include "symbolizer/base/attribute_list.h"
#include "symbolizer/base/path.h"
#include "symbolizer/output/otlp_index.h"
#include "symbolizer/profile/unit.h"

const struct report_resource *otlp_services_resource(const struct report *report)
{
	static const struct report_resource nothing = {.service_name = ""};

	return report->resource ? report->resource : &nothing;
}

/* Return: a copy; NULL: there is no memory. */
static const char *copy(struct otlp_services *services, struct unit_name name)
{
	char *text = arena_take(&services->arena, name.bytes + 1);

	if (!text)
		return NULL;
	memcpy(text, name.text, name.bytes);
	text[name.bytes] = '\0';
	return text;
}

/* Return: what the process says; "": nothing; NULL: there is no memory. */
static const char *declared_name(struct otlp_services *services, const char *context)
{
	struct attribute attribute;

	while (attribute_list_next(&context, &attribute))
		if (strcmp(attribute.key, "service.name") == 0)
			return copy(services,
				    (struct unit_name){attribute.value, strlen(attribute.value)});
	return "";
}

static const char *name_of(struct otlp_services *services, const struct report *report,
			   uint32_t number, bool is_kernel)
{
	const struct report_process *process = &report->processes[number];
	const char *given = otlp_services_resource(report)->service_name;
	struct unit_name unit;
	const char *own;

	if (given[0])
		return given;
	if (is_kernel)
		return "kernel";
	if (process->container == 0 && unit_of(report->strings[process->cgroup], &unit) == 0)
		return copy(services, unit);
	own = declared_name(services, report->strings[process->context]);
	services->declared[number] = own && own[0];
	if (!own || own[0])
		return own;
	return process->exe != 0 ? path_base(report->strings[process->exe]) : "unknown_service";
}

/* Kernel threads are known by their samples. */
static int name_all(struct otlp_services *services, const struct report *report)
{
	for (uint32_t i = 0; i < report->sample_count; i++) {
		const struct report_sample *sample = &report->samples[i];
		const char **name = &services->names[sample->process];

		if (*name)
			continue;
		*name = name_of(services, report, sample->process, sample->flags & TM_FLAG_KTHREAD);
		if (!*name)
			return -ENOMEM;
	}
	return 0;
}

static int number_all(struct otlp_services *services, const struct report *report)
{
	const enum report_grouping grouping = otlp_services_resource(report)->grouping;
	struct otlp_index names, keys;
	int error = 0;
	int r = otlp_index_init(&names, &services->arena, OTLP_INDEX_TEXTS, report->process_count,
				&error);

	if (r == 0)
		r = otlp_index_init(&keys, &services->arena, OTLP_INDEX_COPIES,
				    report->process_count, &error);
	for (uint32_t i = 0; r == 0 && i < report->process_count; i++) {
		uint32_t key[3] = {0, grouping == REPORT_BY_PROCESS ? i : 0, services->declared[i]};

		if (!services->names[i])
			continue; /* it has no sample */
		if (grouping == REPORT_BY_CONTAINER)
			key[1] = report->processes[i].container;
		if (grouping != REPORT_BY_PROCESS)
			key[0] = otlp_index_add_text(&names, services->names[i]);
		services->resources[i] = otlp_index_add(&keys, key, sizeof(key), NULL);
	}
	return r < 0 ? r : error;
}

int otlp_services_init(struct otlp_services *services, const struct report *report)
{
	const size_t count = (size_t)report->process_count + 1;
	int r;

	*services = (struct otlp_services){.unlimited.limit = UINT64_MAX};
	services->arena.budget = report->memory ? report->memory : &services->unlimited;
	services->names = arena_take(&services->arena, count * sizeof(*services->names));
	services->resources = arena_take(&services->arena, count * sizeof(*services->resources));
	services->declared = arena_take(&services->arena, count * sizeof(*services->declared));
	if (!services->names || !services->resources || !services->declared)
		return -ENOMEM;
	memset(services->declared, 0, count * sizeof(*services->declared));
	memset(services->names, 0, count * sizeof(*services->names));
	memset(services->resources, 0, count * sizeof(*services->resources));
	r = name_all(services, report);
	return r < 0 ? r : number_all(services, report);
}

void otlp_services_deinit(struct otlp_services *services)
{
	arena_deinit(&services->arena);
	services->names = NULL;
	services->resources = NULL;
	services->declared = NULL;
}
