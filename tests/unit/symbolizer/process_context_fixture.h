/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * process_context_fixture - makes messages and reads them as an attribute list
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/base/attribute_list.h"
#include "symbolizer/profile/process_context.h"
#include "tests/unit/symbolizer/make_context.h"

static struct make_message resource, process, value;
static struct process_context *context; /* the last thing in its memory, for a sanitizer, is: */
static char *text;

static inline int begin(void **state)
{
	resource.count = process.count = value.count = 0;
	context = malloc(sizeof(*context));
	text = context ? context->text : NULL;
	return context ? 0 : -1;
}

static inline int end(void **state)
{
	free(context);
	return 0;
}

/* The list of a record that ends with its message, in @text. */
static inline void read_message(const uint8_t *bytes, size_t count)
{
	struct tm_context *record = malloc(sizeof(*record) + count);

	assert_non_null(record);
	memset(record, 0, sizeof(*record));
	record->event.bytes = (uint32_t)(sizeof(*record) + count);
	record->text_bytes = (uint32_t)count;
	if (count)
		memcpy(record->text, bytes, count);
	memset(context, 'x', sizeof(*context));
	process_context_read(record, context);
	assert_int_equal(context->bytes, strlen(text));
	free(record);
}

/* What was made in @resource, then what is in @process. */
static inline void expect(const char *wanted)
{
	if (resource.count)
		make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	read_message(process.bytes, process.count);
	assert_string_equal(text, wanted);
}

static inline void expect_missing(enum process_context_missing missing)
{
	assert_int_equal(context->missing, missing);
}

static inline void put_text(const char *key, const char *bytes)
{
	make_text(&resource, MAKE_ATTRIBUTE, key, bytes);
}

static inline void put_number(const char *key, enum make_field field, uint64_t number)
{
	value.count = 0;
	make_number(&value, field, number);
	make_attribute(&resource, MAKE_ATTRIBUTE, key, &value);
}

#define claim(test) cmocka_unit_test_setup_teardown(test, begin, end)
