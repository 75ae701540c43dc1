/* SPDX-License-Identifier: Apache-2.0 */
/* process_context - the attributes that a process publishes of itself */

#include "symbolizer/profile/process_context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "process_context.pb-c.h"
#include "symbolizer/base/attribute_list.h"

static bool add_value(struct attribute_list *list, const char *key, const Context__Value *value)
{
	char number[24];

	switch (value->value_case) {
	case CONTEXT__VALUE__VALUE_STRING_VALUE:
		return attribute_list_add(list, key, value->string_value.data,
					  value->string_value.len);
	case CONTEXT__VALUE__VALUE_INT_VALUE:
		(void)snprintf(number, sizeof(number), "%" PRId64, value->int_value);
		return attribute_list_add(list, key, number, strlen(number));
	case CONTEXT__VALUE__VALUE_BOOL_VALUE:
		(void)snprintf(number, sizeof(number), "%s", value->bool_value ? "true" : "false");
		return attribute_list_add(list, key, number, strlen(number));
	default:
		return false;
	}
}

/* Adds at most @most. Return: attributes added. */
static size_t add_all(struct attribute_list *list, Context__Attribute *const *attributes,
		      size_t count, size_t most)
{
	size_t added = 0;

	for (size_t i = 0; i < count && added < most; i++) {
		const ProtobufCBinaryData *from = &attributes[i]->key;
		char key[ATTRIBUTE_KEY_MAX + 1] = "";

		if (!attributes[i]->value || from->len == 0 || from->len >= sizeof(key))
			continue;
		memcpy(key, from->data, from->len);
		if (strlen(key) == from->len)
			added += add_value(list, key, attributes[i]->value);
	}
	return added;
}

static enum process_context_missing add_message(struct attribute_list *list,
						const Context__Process *process)
{
	const size_t extra = process->n_extra_attributes;
	size_t resource = 0, added = 0;

	if (process->resource) {
		resource = process->resource->n_attributes;
		added = add_all(list, process->resource->attributes, resource,
				PROCESS_CONTEXT_ATTRIBUTES);
	}
	added +=
		add_all(list, process->extra_attributes, extra, PROCESS_CONTEXT_ATTRIBUTES - added);
	return added < resource + extra ? PROCESS_CONTEXT_CUT : PROCESS_CONTEXT_WHOLE;
}

static enum process_context_missing why_no_text(uint32_t text_bytes)
{
	if (text_bytes == 0)
		return PROCESS_CONTEXT_WHOLE;
	return text_bytes > TM_CONTEXT_MAX ? PROCESS_CONTEXT_TOO_LONG : PROCESS_CONTEXT_UNREADABLE;
}

void process_context_read(const struct tm_context *record, struct process_context *ret_context)
{
	struct attribute_list list = {.text = ret_context->text, .bytes = PROCESS_CONTEXT_BYTES};
	Context__Process *process;

	ret_context->text[0] = '\0';
	ret_context->bytes = 0;
	ret_context->missing = why_no_text(record->text_bytes);
	if (record->event.bytes == sizeof(*record))
		return;
	process = context__process__unpack(NULL, record->text_bytes, record->text);
	ret_context->missing = PROCESS_CONTEXT_MALFORMED;
	if (!process)
		return;
	ret_context->missing = add_message(&list, process);
	ret_context->bytes = list.used;
	context__process__free_unpacked(process, NULL);
}
