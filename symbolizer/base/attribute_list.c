/* SPDX-License-Identifier: Apache-2.0 */
/* attribute_list - attributes as one text: key=value,key=value */

#include "symbolizer/base/attribute_list.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "shared/percent.h"
#include "shared/utf8.h"

#define PLAIN                                                            \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" \
	"._-/"

static bool is_key(const char *key, size_t length)
{
	return length > 0 && length <= ATTRIBUTE_KEY_MAX && strspn(key, PLAIN) >= length;
}

/* Writes a value. Return: bytes written, without the NUL; 0: it does not fit. */
static size_t escape(const uint8_t *value, size_t count, char *to, size_t bytes)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		bool plain = value[i] == ' ' || (value[i] && strchr(PLAIN, value[i]));

		if (bytes - used <= (plain ? 1 : 3))
			return 0;
		if (plain)
			to[used++] = (char)value[i];
		else
			used += (size_t)snprintf(to + used, bytes - used, "%%%02X", value[i]);
	}
	to[used] = '\0';
	return used;
}

/* Whether a list that we made has the key. Hostile messages have one key hundreds of times. */
static bool has_key(const char *text, const char *key, size_t key_bytes)
{
	while (text[0] && (strncmp(text, key, key_bytes) != 0 || text[key_bytes] != '=')) {
		text += strcspn(text, ",");
		text += text[0] == ',';
	}
	return text[0] != '\0';
}

bool attribute_list_add(struct attribute_list *list, const char *key, const void *value,
			size_t value_bytes)
{
	size_t key_bytes = strlen(key), at = list->used + (list->used > 0), left, escaped;

	if (!is_key(key, key_bytes) || value_bytes > ATTRIBUTE_VALUE_MAX ||
	    has_key(list->text, key, key_bytes) || at + key_bytes + 1 >= list->bytes)
		return false;
	left = list->bytes - at - key_bytes - 1;
	escaped = escape(value, value_bytes, list->text + at + key_bytes + 1, left);
	if (escaped == 0)
		return false; /* what was written lies behind the text's end */
	if (list->used > 0)
		list->text[list->used] = ',';
	memcpy(list->text + at, key, key_bytes);
	list->text[at + key_bytes] = '=';
	list->used = at + key_bytes + 1 + escaped;
	return true;
}

/* Return: bytes of the value; ATTRIBUTE_VALUE_MAX + 1: it is not valid. */
static size_t unescape(const char *text, size_t count, char *to)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		int byte;

		if (used == ATTRIBUTE_VALUE_MAX)
			return ATTRIBUTE_VALUE_MAX + 1;
		to[used++] = text[i];
		if (text[i] != '%')
			continue;
		if (count - i < 3)
			return ATTRIBUTE_VALUE_MAX + 1;
		byte = tm_percent_byte(text + i + 1);
		if (byte < 0)
			return ATTRIBUTE_VALUE_MAX + 1;
		to[used - 1] = (char)byte;
		i += 2;
	}
	return used;
}

bool attribute_list_next(const char **at, struct attribute *ret_attribute)
{
	while (**at) {
		char value[ATTRIBUTE_VALUE_MAX + 1];
		const char *text = *at;
		size_t length = strcspn(text, ","), key = strcspn(text, "=,"), bytes;

		*at += length + (text[length] == ',');
		if (text[key] != '=' || !is_key(text, key))
			continue;
		bytes = unescape(text + key + 1, length - key - 1, value);
		if (bytes == 0 || bytes > ATTRIBUTE_VALUE_MAX)
			continue;
		memcpy(ret_attribute->key, text, key);
		ret_attribute->key[key] = '\0';
		(void)tm_utf8_clean(value, bytes, ret_attribute->value,
				    sizeof(ret_attribute->value));
		return true;
	}
	return false;
}
