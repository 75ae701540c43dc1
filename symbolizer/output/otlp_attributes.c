/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_attributes - attributes of an OTLP request: of frames and samples by index, of processes
 * by value */

#include <string.h>

#include "symbolizer/output/otlp_message.h"

#define RESOURCE_ATTRIBUTES_MAX 9u

enum value_kind { /* in a key: equal words of other kinds are other values */
	VALUE_TEXT = 1,
	VALUE_NUMBER,
};

void otlp_attributes_begin(struct otlp_message *message)
{
	const struct report *report = message->report;
	/* Build ids, names and numbers of threads, and the rest. */
	const uint64_t most = (uint64_t)report->file_count + report->string_count +
			      report->sample_count + OTLP_FIXED_MAX + 1;
	const struct otlp_key none = {{0, 0}};
	Otlp__Attribute *empty = otlp_take(message, 1, sizeof(*empty));
	int r;

	message->dictionary.attribute_table =
		otlp_take(message, (size_t)most, sizeof(Otlp__Attribute *));
	if (message->error)
		return;
	r = otlp_index_init(&message->attributes, &message->arena, OTLP_INDEX_KEYS, most);
	if (r < 0) {
		message->error = r;
		return;
	}
	(void)otlp_index_add(&message->attributes, none, NULL);
	otlp__attribute__init(empty);
	message->dictionary.attribute_table[message->dictionary.n_attribute_table++] = empty;
}

static void set_text(Otlp__AnyValue *value, const char *text)
{
	otlp__any_value__init(value);
	value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value->string_value = (char *)(uintptr_t)text;
}

static void set_number(Otlp__AnyValue *value, int64_t number)
{
	otlp__any_value__init(value);
	value->value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
	value->int_value = number;
}

/* --- by index --------------------------------------------------------------------------------- */

/* @ret_value: of a new one, to be set; else NULL. */
static int32_t add(struct otlp_message *message, struct otlp_key key, Otlp__AnyValue **ret_value)
{
	Otlp__Dictionary *dictionary = &message->dictionary;
	Otlp__Attribute *attribute;
	bool is_new;
	uint32_t number = otlp_index_add(&message->attributes, key, &is_new);

	*ret_value = NULL;
	if (!is_new)
		return (int32_t)number;
	attribute = otlp_take(message, 1, sizeof(*attribute));
	*ret_value = otlp_take(message, 1, sizeof(**ret_value));
	if (!attribute || !*ret_value) {
		*ret_value = NULL;
		return 0;
	}
	otlp__attribute__init(attribute);
	attribute->key_strindex = (int32_t)(key.words[0] >> 32);
	attribute->value = *ret_value;
	dictionary->attribute_table[dictionary->n_attribute_table++] = attribute;
	return (int32_t)number;
}

static struct otlp_key key_of(struct otlp_message *message, const char *key, enum value_kind kind,
			      uint64_t value)
{
	return (struct otlp_key){{(uint64_t)otlp_string(message, key) << 32 | kind, value}};
}

/* Values are texts of the report or of the message: equal ones have one address, or differ in
 * nothing but that. */
int32_t otlp_text_attribute(struct otlp_message *message, const char *key, const char *text)
{
	Otlp__AnyValue *value;
	int32_t number = add(message, key_of(message, key, VALUE_TEXT, (uintptr_t)text), &value);

	if (value)
		set_text(value, text);
	return number;
}

int32_t otlp_number_attribute(struct otlp_message *message, const char *key, int64_t number)
{
	Otlp__AnyValue *value;
	int32_t index = add(message, key_of(message, key, VALUE_NUMBER, (uint64_t)number), &value);

	if (value)
		set_number(value, number);
	return index;
}

int32_t *otlp_attribute_list(struct otlp_message *message, int32_t attribute)
{
	int32_t *list = otlp_take(message, 1, sizeof(*list));

	if (list)
		*list = attribute;
	return list;
}

/* --- of a process ----------------------------------------------------------------------------- */

static Otlp__AnyValue *add_to(struct otlp_message *message, Otlp__Resource *resource,
			      const char *key)
{
	Otlp__KeyValue *attribute = otlp_take(message, 1, sizeof(*attribute));
	Otlp__AnyValue *value = otlp_take(message, 1, sizeof(*value));

	if (!attribute || !value)
		return NULL;
	otlp__key_value__init(attribute);
	attribute->key = (char *)(uintptr_t)key;
	attribute->value = value;
	resource->attributes[resource->n_attributes++] = attribute;
	return value;
}

/* Nothing is said of what is not known. */
static void add_text(struct otlp_message *message, Otlp__Resource *resource, const char *key,
		     const char *text)
{
	Otlp__AnyValue *value = text[0] ? add_to(message, resource, key) : NULL;

	if (value)
		set_text(value, text);
}

static void add_number(struct otlp_message *message, Otlp__Resource *resource, const char *key,
		       int64_t number)
{
	Otlp__AnyValue *value = add_to(message, resource, key);

	if (value)
		set_number(value, number);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Not the name of a thread: each would be a service of its own. */
static const char *service_name(const struct report *report, const struct report_process *process,
				bool is_kernel)
{
	if (is_kernel)
		return "kernel";
	if (process->exe != 0)
		return base_name(report->strings[process->exe]);
	return process->comm != 0 ? report->strings[process->comm] : "unknown";
}

/* A pid alone is no process: it is used again. */
Otlp__Resource *otlp_resource(struct otlp_message *message, const struct report_sample *sample)
{
	const struct report *report = message->report;
	const struct report_process *process = &report->processes[sample->process];
	const char *const *strings = report->strings;
	Otlp__Resource *resource = otlp_take(message, 1, sizeof(*resource));
	Otlp__KeyValue **list =
		otlp_take(message, RESOURCE_ATTRIBUTES_MAX, sizeof(Otlp__KeyValue *));

	if (!resource || !list)
		return NULL;
	otlp__resource__init(resource);
	resource->attributes = list;
	add_text(message, resource, "service.name",
		 service_name(report, process, sample->flags & TM_FLAG_KTHREAD));
	add_number(message, resource, "process.pid", process->tgid);
	add_text(message, resource, "process.executable.path", strings[process->exe]);
	add_text(message, resource, "process.executable.name", base_name(strings[process->exe]));
	add_text(message, resource, "container.id", strings[process->container]);
	add_text(message, resource, "k8s.pod.uid", strings[process->pod]);
	add_text(message, resource, "process.linux.cgroup", strings[process->cgroup]);
	add_number(message, resource, "tidemark.process.start", (int64_t)process->start_boottime);
	add_number(message, resource, "tidemark.process.exec_id", process->exec_id);
	return resource;
}
