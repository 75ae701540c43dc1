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

/* Return: attributes added. */
static unsigned add_all(struct attribute_list *list, Context__Attribute *const *attributes,
			size_t count, unsigned most)
{
	unsigned added = 0;

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

size_t process_context_read(const struct tm_context *context, char *text)
{
	struct attribute_list list = {.text = text, .bytes = PROCESS_CONTEXT_BYTES};
	Context__Process *process =
		context__process__unpack(NULL, context->text_bytes, context->text);
	unsigned added = 0;

	text[0] = '\0';
	if (!process)
		return 0;
	if (process->resource)
		added = add_all(&list, process->resource->attributes,
				process->resource->n_attributes, PROCESS_CONTEXT_ATTRIBUTES);
	(void)add_all(&list, process->extra_attributes, process->n_extra_attributes,
		      PROCESS_CONTEXT_ATTRIBUTES - added);
	context__process__free_unpacked(process, NULL);
	return list.used;
}
