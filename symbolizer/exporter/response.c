/* SPDX-License-Identifier: Apache-2.0 */
/* response - reads what a receiver says about a request, from untrusted bytes */

#include "symbolizer/exporter/response.h"

#include <errno.h>
#include <stdbool.h>

#include "shared/utf8.h"

#define VARINT_BYTES_MAX 10
#define FIELD_MAX        ((1u << 29) - 1)

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

struct input {
	const uint8_t *at;
	size_t left;
};

struct field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;      /* of WIRE_VARINT */
	struct input nested; /* of WIRE_BYTES */
};

static bool skip(struct input *input, uint64_t count)
{
	if (count > input->left)
		return false;
	input->at += count;
	input->left -= count;
	return true;
}

static bool read_varint(struct input *input, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < VARINT_BYTES_MAX && input->left > 0; i++) {
		uint8_t byte = *input->at;

		(void)skip(input, 1);
		if (i == VARINT_BYTES_MAX - 1 && byte > 1)
			return false; /* more than 64 bits */
		value |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (!(byte & 0x80)) {
			*ret_value = value;
			return true;
		}
	}
	return false;
}

static bool read_field(struct input *input, struct field *field)
{
	uint64_t tag, bytes;

	if (!read_varint(input, &tag) || tag >> 3 == 0 || tag >> 3 > FIELD_MAX)
		return false;
	field->number = (uint32_t)(tag >> 3);
	field->type = (enum wire_type)(tag & 7);
	switch (tag & 7) {
	case WIRE_VARINT:
		return read_varint(input, &field->value);
	case WIRE_FIXED64:
		return skip(input, 8);
	case WIRE_FIXED32:
		return skip(input, 4);
	case WIRE_BYTES:
		if (!read_varint(input, &bytes))
			return false;
		field->nested.at = input->at;
		field->nested.left = (size_t)bytes;
		return skip(input, bytes);
	default:
		return false;
	}
}

void response_take_text(const uint8_t *bytes, size_t count, struct response *response)
{
	/* A character of four bytes becomes at least one: the rest would not fit. */
	size_t most = (size_t)4 * RESPONSE_MESSAGE_BYTES, used = count < most ? count : most;

	while (used > 0 && (bytes[used - 1] == '\n' || bytes[used - 1] == '\r'))
		used--;
	(void)tm_utf8_clean((const char *)bytes, used, response->message,
			    sizeof(response->message));
}

static bool parse_partial(struct input input, struct response *response)
{
	struct field field;

	while (input.left > 0) {
		if (!read_field(&input, &field))
			return false;
		if (field.number == 1 && field.type == WIRE_VARINT)
			response->rejected = field.value > INT64_MAX ? 0 : field.value;
		if (field.number == 2 && field.type == WIRE_BYTES)
			response_take_text(field.nested.at, field.nested.left, response);
	}
	return true;
}

static bool parse_success(struct input input, struct response *response)
{
	struct field field;

	while (input.left > 0) {
		if (!read_field(&input, &field))
			return false;
		if (field.number == 1 && field.type == WIRE_BYTES &&
		    !parse_partial(field.nested, response))
			return false;
	}
	return true;
}

static bool parse_error(struct input input, struct response *response)
{
	struct field field;

	while (input.left > 0) {
		if (!read_field(&input, &field))
			return false;
		if (field.number == 2 && field.type == WIRE_BYTES)
			response_take_text(field.nested.at, field.nested.left, response);
	}
	return true;
}

static int finish(bool valid, struct response *response)
{
	if (!valid)
		*response = (struct response){0};
	return valid ? 0 : -EBADMSG;
}

int response_parse_success(const uint8_t *bytes, size_t count, struct response *response)
{
	*response = (struct response){0};
	return finish(parse_success((struct input){bytes, count}, response), response);
}

int response_parse_error(const uint8_t *bytes, size_t count, struct response *response)
{
	*response = (struct response){0};
	return finish(parse_error((struct input){bytes, count}, response), response);
}
