/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_resource - what an OTLP request says of processes: in their resource, or with their samples
 */

#include <string.h>

#include "symbolizer/base/attribute_list.h"
#include "symbolizer/base/path.h"
#include "symbolizer/output/otlp_message.h"
#include "symbolizer/profile/process_context.h"

struct fact {
	const char *key;
	const char *text; /* NULL: it is a number */
	int64_t number;
	enum report_grouping widest; /* the resources that it is true of */
};

static const char *const missing_texts[PROCESS_CONTEXT_MISSING_N] = {
	[PROCESS_CONTEXT_WHOLE] = "",
	[PROCESS_CONTEXT_CUT] = "some attributes",
	[PROCESS_CONTEXT_TOO_LONG] = "too long",
	[PROCESS_CONTEXT_UNREADABLE] = "not readable",
	[PROCESS_CONTEXT_MALFORMED] = "malformed",
};

/* A pid alone is no process: it is used again. */
static void tell(const struct otlp_message *message, const struct report_sample *sample,
		 struct fact facts[OTLP_PROCESS_FACTS])
{
	const struct report *report = message->report;
	const struct report_process *process = &report->processes[sample->process];
	const char *const *strings = report->strings;
	const char *exe = strings[process->exe];
	const struct fact all[OTLP_PROCESS_FACTS] = {
		{OTLP_CONTAINER, strings[process->container], 0, REPORT_BY_CONTAINER},
		{OTLP_POD, strings[process->pod], 0, REPORT_BY_CONTAINER},
		{OTLP_PID, NULL, process->tgid, REPORT_BY_PROCESS},
		{OTLP_NS_PID, process->ns_tgid == process->tgid ? "" : NULL, process->ns_tgid,
		 REPORT_BY_PROCESS},
		{OTLP_PROCESS_COMM, strings[process->comm], 0, REPORT_BY_PROCESS},
		{OTLP_EXE, exe, 0, REPORT_BY_PROCESS},
		{"process.executable.name", exe[0] ? path_base(exe) : exe, 0, REPORT_BY_PROCESS},
		{OTLP_CGROUP, strings[process->cgroup], 0, REPORT_BY_PROCESS},
		{OTLP_CONTEXT, strings[process->context], 0, REPORT_BY_PROCESS},
		{OTLP_MISSING, missing_texts[process->missing], 0, REPORT_BY_PROCESS},
		{OTLP_PROCESS_START, NULL, (int64_t)process->start_boottime, REPORT_BY_PROCESS},
		{OTLP_PROCESS_EXEC, NULL, process->exec_id, REPORT_BY_PROCESS},
	};

	for (unsigned i = 0; i < OTLP_PROCESS_FACTS; i++)
		facts[i] = all[i];
}

/* Nothing is said of what is not known. */
static bool is_known(const struct fact *fact)
{
	return !fact->text || fact->text[0];
}

/* --- with samples ----------------------------------------------------------------------------- */

size_t otlp_process_attributes(struct otlp_message *message, const struct report_sample *sample,
			       int32_t *list)
{
	const enum report_grouping grouping = otlp_services_resource(message->report)->grouping;
	struct fact facts[OTLP_PROCESS_FACTS];
	size_t count = 0;

	if (grouping == REPORT_BY_PROCESS)
		return 0;
	tell(message, sample, facts);
	for (unsigned i = 0; i < OTLP_PROCESS_FACTS; i++) {
		const struct fact *fact = &facts[i];

		if (fact->widest >= grouping || !is_known(fact))
			continue;
		list[count++] = fact->text
					? otlp_text_attribute(message, fact->key, fact->text)
					: otlp_number_attribute(message, fact->key, fact->number);
	}
	return count;
}

/* --- in resources ----------------------------------------------------------------------------- */

static void add(struct otlp_message *message, Otlp__Resource *resource, const struct fact *fact)
{
	Otlp__KeyValue *attribute = otlp_take(message, 1, sizeof(*attribute));
	Otlp__AnyValue *value = otlp_take(message, 1, sizeof(*value));

	if (!attribute || !value)
		return;
	otlp__key_value__init(attribute);
	attribute->key = (char *)(uintptr_t)fact->key;
	attribute->value = value;
	if (fact->text)
		otlp_set_text(value, fact->text);
	else
		otlp_set_number(value, fact->number);
	resource->attributes[resource->n_attributes++] = attribute;
}

static void add_text(struct otlp_message *message, Otlp__Resource *resource, const char *key,
		     const char *text)
{
	add(message, resource, &(const struct fact){.key = key, .text = text});
}

/* Whether an attribute says what is known otherwise, or what the user says. */
static bool is_taken(const struct report_resource *given, const char *key)
{
	static const char *const ours[] = {"host.",    "os.",      "cloud.",   "container.",
					   "k8s.",     "thread.",  "process.", "cpu.",
					   "profile.", "tidemark."};

	if (strcmp(key, "service.name") == 0)
		return true;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strncmp(key, ours[i], strlen(ours[i])) == 0)
			return true;
	for (uint32_t i = 0; i < given->attribute_count; i++)
		if (strcmp(key, given->attributes[i].key) == 0)
			return true;
	return false;
}

/* What the process of a resource says of itself. OTLP_CONTEXT tells what that is. */
static void add_context(struct otlp_message *message, Otlp__Resource *resource,
			const struct report_process *process)
{
	const struct report_resource *given = otlp_services_resource(message->report);
	const char *at = message->report->strings[process->context];
	struct attribute read, *kept;

	for (unsigned i = 0; i < PROCESS_CONTEXT_ATTRIBUTES; i++) {
		if (!attribute_list_next(&at, &read))
			return;
		if (is_taken(given, read.key))
			continue;
		kept = otlp_take(message, 1, sizeof(*kept));
		if (!kept)
			return;
		*kept = read;
		add_text(message, resource, kept->key, kept->value);
	}
}

Otlp__Resource *otlp_resource(struct otlp_message *message, const struct report_sample *sample)
{
	const struct report_resource *given = otlp_services_resource(message->report);
	const size_t most = OTLP_PROCESS_FACTS + 2 + PROCESS_CONTEXT_ATTRIBUTES +
			    (size_t)given->attribute_count;
	Otlp__Resource *resource = otlp_take(message, 1, sizeof(*resource));
	Otlp__KeyValue **list = otlp_take(message, most, sizeof(Otlp__KeyValue *));
	struct fact facts[OTLP_PROCESS_FACTS];

	if (!resource || !list)
		return NULL;
	otlp__resource__init(resource);
	resource->attributes = list;
	add_text(message, resource, "service.name", message->services->names[sample->process]);
	if (message->services->declared[sample->process])
		add_text(message, resource, OTLP_NAME_SOURCE, "process");
	tell(message, sample, facts);
	for (unsigned i = 0; i < OTLP_PROCESS_FACTS; i++)
		if (facts[i].widest >= given->grouping && is_known(&facts[i]))
			add(message, resource, &facts[i]);
	for (uint32_t i = 0; i < given->attribute_count; i++)
		add_text(message, resource, given->attributes[i].key, given->attributes[i].value);
	if (given->grouping == REPORT_BY_PROCESS)
		add_context(message, resource, &message->report->processes[sample->process]);
	return resource;
}
