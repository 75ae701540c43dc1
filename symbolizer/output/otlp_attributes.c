/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_attributes - the table of attributes of an OTLP request, each of which is there once */

#include "symbolizer/output/otlp_message.h"

#define FILE_ATTRIBUTES   5u /* of a file: its path, or hash, build ids and flags */
#define SAMPLE_ATTRIBUTES 4u /* of a sample: name and number of its thread, count, ns */

enum value_kind { /* in a key: equal words of other kinds are other values */
	VALUE_TEXT = 1,
	VALUE_NUMBER,
};

void otlp_attributes_begin(struct otlp_message *message)
{
	const struct report *report = message->report;
	const uint64_t most = FILE_ATTRIBUTES * (uint64_t)report->file_count +
			      SAMPLE_ATTRIBUTES * (uint64_t)report->sample_count +
			      OTLP_PROCESS_FACTS * (uint64_t)report->process_count + OTLP_FIXED_MAX;
	const uint64_t most_values =
		(uint64_t)report->string_count + report->process_count + OTLP_FIXED_MAX;
	Otlp__Attribute *empty = otlp_take(message, 1, sizeof(*empty));
	int r;

	message->dictionary.attribute_table =
		otlp_take(message, (size_t)most + 1, sizeof(Otlp__Attribute *));
	if (message->error)
		return;
	r = otlp_index_init(&message->attributes, &message->arena, OTLP_INDEX_COPIES, most + 1,
			    &message->error);
	if (r == 0)
		r = otlp_index_init(&message->values, &message->arena, OTLP_INDEX_TEXTS,
				    most_values, &message->error);
	if (r < 0) {
		message->error = r;
		return;
	}
	(void)otlp_index_add(&message->attributes, "", 1, NULL); /* no other key is as short */
	otlp__attribute__init(empty);
	message->dictionary.attribute_table[message->dictionary.n_attribute_table++] = empty;
}

void otlp_set_text(Otlp__AnyValue *value, const char *text)
{
	otlp__any_value__init(value);
	value->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	value->string_value = (char *)(uintptr_t)text;
}

void otlp_set_number(Otlp__AnyValue *value, int64_t number)
{
	otlp__any_value__init(value);
	value->value_case = OTLP__ANY_VALUE__VALUE_INT_VALUE;
	value->int_value = number;
}

struct key {
	uint64_t key_and_kind; /* number of a string, then enum value_kind */
	uint64_t value;        /* itself, or the number of the text */
};

/* @ret_value: of a new one, to be set; else NULL. */
static int32_t add(struct otlp_message *message, const char *key, enum value_kind kind,
		   uint64_t number, Otlp__AnyValue **ret_value)
{
	Otlp__Dictionary *dictionary = &message->dictionary;
	const int32_t key_string = otlp_string(message, key);
	const struct key words = {(uint64_t)key_string << 32 | kind, number};
	Otlp__Attribute *attribute;
	bool is_new;
	uint32_t index = otlp_index_add(&message->attributes, &words, sizeof(words), &is_new);

	*ret_value = NULL;
	if (!is_new)
		return (int32_t)index;
	attribute = otlp_take(message, 1, sizeof(*attribute));
	*ret_value = otlp_take(message, 1, sizeof(**ret_value));
	if (!attribute || !*ret_value) {
		*ret_value = NULL;
		return 0;
	}
	otlp__attribute__init(attribute);
	attribute->key_strindex = key_string;
	attribute->value = *ret_value;
	dictionary->attribute_table[dictionary->n_attribute_table++] = attribute;
	return (int32_t)index;
}

int32_t otlp_text_attribute(struct otlp_message *message, const char *key, const char *text)
{
	const uint32_t number = otlp_index_add_text(&message->values, text);
	Otlp__AnyValue *value;
	int32_t index = add(message, key, VALUE_TEXT, number, &value);

	if (value)
		otlp_set_text(value, text);
	return index;
}

int32_t otlp_number_attribute(struct otlp_message *message, const char *key, int64_t number)
{
	Otlp__AnyValue *value;
	int32_t index = add(message, key, VALUE_NUMBER, (uint64_t)number, &value);

	if (value)
		otlp_set_number(value, number);
	return index;
}
