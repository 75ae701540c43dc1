/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * attribute_list - attributes as one text: key=value,key=value
 *
 * Shape      as OTEL_RESOURCE_ATTRIBUTES has them. Keys are letters, digits, '.', '_', '-' and '/'.
 *            In values each byte but these, and a space, is %XX, so that a list is printable ASCII.
 * Limits     ATTRIBUTE_KEY_MAX and ATTRIBUTE_VALUE_MAX bytes; attributes beyond are left out.
 * Source     the OpenTelemetry specification, Resource SDK, and W3C Baggage.
 */

#include <stdbool.h>
#include <stddef.h>

#define ATTRIBUTE_KEY_MAX   63u
#define ATTRIBUTE_VALUE_MAX 255u

struct attribute_list {
	char *text; /* NUL-terminated, of the caller */
	size_t bytes;
	size_t used; /* without the NUL */
};

struct attribute { /* one that was read */
	char key[ATTRIBUTE_KEY_MAX + 1];
	char value[ATTRIBUTE_VALUE_MAX + 1]; /* clean (shared/utf8.h) */
};

/* Adds one; @value is any bytes. Return: whether it is now there, once: not where its key is not
 * valid or there already, its value is empty or too long, or there is no space. */
bool attribute_list_add(struct attribute_list *list, const char *key, const void *value,
			size_t value_bytes);
/* Reads the attribute at *at, and moves that behind it; invalid ones are passed over.
 * Return: whether there was one. */
bool attribute_list_next(const char **at, struct attribute *ret_attribute);
