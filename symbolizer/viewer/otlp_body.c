/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_body - one OTLP request while it is read: it is unpacked, its strings and attributes */

#include "symbolizer/viewer/otlp_body.h"

#include <string.h>

#define EMPTY_BYTES 1 /* protobuf-c takes NULL for a failure, also of nothing */

struct limited { /* an allocator of protobuf-c that takes from the arena */
	struct arena *arena;
	bool spent;
};

static void *take_some(void *context, size_t bytes)
{
	struct limited *limited = context;
	void *taken = arena_take(limited->arena, bytes ? bytes : EMPTY_BYTES);

	limited->spent |= !taken;
	return taken;
}

/* All of it goes with the arena. */
static void leave(void *context, void *taken)
{
}

static void *zeroed(struct otlp_body *body, size_t count, size_t bytes)
{
	void *taken = NULL;
	size_t all;

	if (!__builtin_mul_overflow(count + 1, bytes, &all))
		taken = arena_take(&body->arena, all);
	return taken ? memset(taken, 0, all) : NULL;
}

static int take_tables(struct otlp_body *body)
{
	const Otlp__Dictionary *dictionary = body->dictionary;

	body->attributes = zeroed(body, dictionary->n_attribute_table, sizeof(*body->attributes));
	body->strings = zeroed(body, dictionary->n_string_table, sizeof(*body->strings));
	body->places = zeroed(body, dictionary->n_mapping_table, sizeof(*body->places));
	body->frames = zeroed(body, dictionary->n_location_table, sizeof(*body->frames));
	body->stacks = zeroed(body, dictionary->n_stack_table, sizeof(*body->stacks));
	return body->attributes && body->strings && body->places && body->frames && body->stacks
		       ? 0
		       : OTLP_BODY_E_MEMORY;
}

static int read_attributes(struct otlp_body *body)
{
	for (size_t i = 0; i < body->dictionary->n_attribute_table; i++) {
		const Otlp__Attribute *from = body->dictionary->attribute_table[i];
		const char *key;

		if (otlp_body_text(body, from->key_strindex, &key))
			return OTLP_BODY_E_INVALID;
		body->attributes[i] = attributes_read(key, from->value);
	}
	return 0;
}

int otlp_body_init(struct otlp_body *body, struct merge *merge, const uint8_t *bytes, size_t count)
{
	struct limited limited = {.arena = &body->arena};
	ProtobufCAllocator allocator = {take_some, leave, &limited};
	int r;

	*body = (struct otlp_body){.merge = merge, .arena.budget = merge->budget};
	body->request = otlp__request__unpack(&allocator, count, bytes);
	if (!body->request)
		return limited.spent ? OTLP_BODY_E_MEMORY : OTLP_BODY_E_INVALID;
	body->dictionary = body->request->dictionary;
	if (!body->dictionary) /* of a report without samples */
		return body->request->n_resource_profiles ? OTLP_BODY_E_INVALID : 0;
	r = take_tables(body);
	return r ? r : read_attributes(body);
}

void otlp_body_deinit(struct otlp_body *body)
{
	arena_deinit(&body->arena);
}

int otlp_body_text(const struct otlp_body *body, int32_t index, const char **ret_text)
{
	if (index < 0 || (size_t)index >= body->dictionary->n_string_table)
		return OTLP_BODY_E_INVALID;
	*ret_text = body->dictionary->string_table[index];
	return 0;
}

int otlp_body_string(struct otlp_body *body, int32_t index, uint32_t *ret_string)
{
	const char *text;

	if (otlp_body_text(body, index, &text))
		return OTLP_BODY_E_INVALID;
	if (!body->strings[index]) {
		if (strings_add(&body->merge->strings, text, STRINGS_MAX_BYTES, ret_string))
			return OTLP_BODY_E_MEMORY;
		body->strings[index] = *ret_string + 1;
	}
	*ret_string = body->strings[index] - 1;
	return 0;
}

int otlp_body_attribute(struct otlp_body *body, int32_t index, struct attribute **ret_attribute)
{
	if (index < 0 || (size_t)index >= body->dictionary->n_attribute_table)
		return OTLP_BODY_E_INVALID;
	*ret_attribute = &body->attributes[index];
	return 0;
}

int otlp_body_attribute_string(struct otlp_body *body, struct attribute *attribute,
			       uint32_t *ret_string)
{
	if (!attribute->string) {
		if (strings_add(&body->merge->strings, attribute->text ? attribute->text : "",
				STRINGS_MAX_BYTES, ret_string))
			return OTLP_BODY_E_MEMORY;
		attribute->string = *ret_string + 1;
	}
	*ret_string = attribute->string - 1;
	return 0;
}
