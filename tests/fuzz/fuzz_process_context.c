/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_process_context - hostile messages in which processes say what they are, and hostile lists
 *
 * The input is read twice: as the message of a CONTEXT record, and as a list that somebody made.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shared/utf8.h"
#include "symbolizer/base/attribute_list.h"
#include "symbolizer/profile/process_context.h"
#include "tests/fuzz/fuzz.h"

#define KEY_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"

/* An attribute that was read keeps the limits, and its value is valid UTF-8 without control
 * characters. */
static void check_attribute(const struct attribute *attribute)
{
	char clean[TM_UTF8_CLEAN_BYTES(sizeof(attribute->value))];
	const size_t key = strnlen(attribute->key, sizeof(attribute->key));
	const size_t value = strnlen(attribute->value, sizeof(attribute->value));

	if (key == 0 || key > ATTRIBUTE_KEY_MAX || strspn(attribute->key, KEY_BYTES) != key ||
	    value == 0 || value > ATTRIBUTE_VALUE_MAX)
		abort();
	(void)tm_utf8_clean(attribute->value, value, clean, sizeof(clean));
	if (strcmp(clean, attribute->value) != 0)
		abort();
}

/* What was read is added to an empty list, and read back. */
static void check_again(const struct attribute *attribute)
{
	char text[sizeof(attribute->key) + 3 * sizeof(attribute->value)] = "";
	struct attribute_list list = {.text = text, .bytes = sizeof(text)};
	const char *at = text;
	struct attribute again;

	if (!attribute_list_add(&list, attribute->key, attribute->value,
				strlen(attribute->value)) ||
	    list.used != strlen(text) || !attribute_list_next(&at, &again) || *at ||
	    strcmp(again.key, attribute->key) != 0 || strcmp(again.value, attribute->value) != 0)
		abort();
}

/* Each part of a list that we made is an attribute, is printable, and no key is there twice. */
static void check_list(const char *text, size_t bytes)
{
	static struct attribute attributes[PROCESS_CONTEXT_ATTRIBUTES];
	unsigned commas = 0, count = 0;
	const char *at = text;

	if (strnlen(text, PROCESS_CONTEXT_BYTES) != bytes || bytes >= PROCESS_CONTEXT_BYTES)
		abort();
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] < ' ' || text[i] > '~')
			abort();
		commas += text[i] == ',';
	}
	while (*at) {
		if (count == PROCESS_CONTEXT_ATTRIBUTES ||
		    !attribute_list_next(&at, &attributes[count]))
			abort();
		check_attribute(&attributes[count]);
		for (unsigned i = 0; i < count; i++)
			if (strcmp(attributes[i].key, attributes[count].key) == 0)
				abort();
		count++;
	}
	if (bytes > 0 ? count != commas + 1 : count != 0)
		abort();
}

/* Both in memory of exactly their sizes, so that a sanitizer sees an access beyond them. */
static void read_message(const uint8_t *data, size_t bytes)
{
	struct tm_context *record = calloc(1, sizeof(*record) + bytes);
	struct process_context *context = malloc(sizeof(*context));

	if (!context || !record)
		abort();
	record->event.bytes = (uint32_t)(sizeof(*record) + bytes);
	record->text_bytes = (uint32_t)bytes;
	memcpy(record->text, data, bytes);
	process_context_read(record, context);
	check_list(context->text, context->bytes);
	if (context->missing >= PROCESS_CONTEXT_MISSING_N ||
	    (context->bytes > 0 && context->missing > PROCESS_CONTEXT_CUT))
		abort();
	free(context);
	free(record);
}

static void read_list(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	const char *at = text, *before = text;
	struct attribute attribute;

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	while (attribute_list_next(&at, &attribute)) {
		if (at <= before)
			abort();
		before = at;
		check_attribute(&attribute);
		check_again(&attribute);
	}
	if (at != text + strlen(text))
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes > 0 && bytes <= TM_CONTEXT_MAX) /* others are refused before (event_check.h) */
		read_message(data, bytes);
	if (bytes > 0)
		read_list(data, bytes);
	return 0;
}
