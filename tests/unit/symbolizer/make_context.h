/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * make_context - writes the messages by which processes say what they are, byte by byte
 *
 * Fields     are those of opentelemetry-proto: Process {resource 1, extra_attributes 2}, Resource
 *            {attributes 1}, Attribute {key 1, value 2}, Value {string 1, bool 2, int 3, double 4,
 *            array 5, list 6, bytes 7}.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAKE_MESSAGE_BYTES 16384u

enum make_field {
	MAKE_RESOURCE = 1,
	MAKE_EXTRA = 2,
	MAKE_ATTRIBUTE = 1, /* of a resource */
	MAKE_KEY = 1,
	MAKE_VALUE = 2,
	MAKE_STRING = 1,
	MAKE_BOOL = 2,
	MAKE_INT = 3,
	MAKE_DOUBLE = 4,
	MAKE_ARRAY = 5,
	MAKE_LIST = 6,
	MAKE_BYTES = 7,
};

struct make_message {
	size_t count;
	uint8_t bytes[MAKE_MESSAGE_BYTES];
};

static inline void make_varint(struct make_message *message, uint64_t number)
{
	do {
		const unsigned more = number > 0x7f ? 0x80 : 0;

		if (message->count == sizeof(message->bytes))
			abort();
		message->bytes[message->count++] = (uint8_t)(more | (number & 0x7f));
		number >>= 7;
	} while (number);
}

static inline void make_number(struct make_message *message, enum make_field field, uint64_t number)
{
	make_varint(message, (unsigned)field << 3);
	make_varint(message, number);
}

static inline void make_bytes(struct make_message *message, enum make_field field,
			      const void *bytes, size_t count)
{
	make_varint(message, (unsigned)field << 3 | 2);
	make_varint(message, count);
	if (count > sizeof(message->bytes) - message->count)
		abort();
	if (count)
		memcpy(message->bytes + message->count, bytes, count);
	message->count += count;
}

static inline void make_double(struct make_message *message, double number)
{
	make_varint(message, MAKE_DOUBLE << 3 | 1);
	memcpy(message->bytes + message->count, &number, sizeof(number));
	message->count += sizeof(number);
}

/* An attribute in @field of @to. @value: a message Value; NULL: none. */
static inline void make_attribute(struct make_message *to, enum make_field field, const char *key,
				  const struct make_message *value)
{
	static struct make_message attribute;

	attribute.count = 0;
	make_bytes(&attribute, MAKE_KEY, key, strlen(key));
	if (value)
		make_bytes(&attribute, MAKE_VALUE, value->bytes, value->count);
	make_bytes(to, field, attribute.bytes, attribute.count);
}

static inline void make_text(struct make_message *to, enum make_field field, const char *key,
			     const char *text)
{
	static struct make_message value;

	value.count = 0;
	make_bytes(&value, MAKE_STRING, text, strlen(text));
	make_attribute(to, field, key, &value);
}

/* What a process publishes whose only attribute is this one. */
static inline void make_process_context(struct make_message *process, const char *key,
					const char *text)
{
	static struct make_message resource;

	resource.count = 0;
	make_text(&resource, MAKE_ATTRIBUTE, key, text);
	process->count = 0;
	make_bytes(process, MAKE_RESOURCE, resource.bytes, resource.count);
}
