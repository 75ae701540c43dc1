/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context_seeds - builds the seeds of the corpus process_context, and CONTEXT records for event
 */

#include "tests/fuzz/context_seeds.h"

#include <stdio.h>

#include "tests/unit/symbolizer/make.h"
#include "tests/unit/symbolizer/make_context.h"

static struct make_message resource, process, value;
static event_seeds_put_fn put;

static void begin(void)
{
	resource.count = process.count = value.count = 0;
}

static void end(const char *name)
{
	make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	put("process_context", name, process.bytes, process.count, false);
}

static void put_value(const char *key)
{
	make_attribute(&resource, MAKE_ATTRIBUTE, key, &value);
	value.count = 0;
}

static void texts(void)
{
	begin();
	make_text(&resource, MAKE_ATTRIBUTE, "service.name", "shop");
	make_text(&resource, MAKE_ATTRIBUTE, "service.instance.id", "a,b=c%d e");
	make_text(&resource, MAKE_ATTRIBUTE, "bytes", "\x1b[31m\n\xff\xc3\xa9");
	make_text(&resource, MAKE_ATTRIBUTE, "service.name", "again");
	make_text(&resource, MAKE_ATTRIBUTE, "", "no key");
	make_text(&resource, MAKE_ATTRIBUTE, "empty", "");
	make_text(&process, MAKE_EXTRA, "extra", "1");
	make_text(&process, MAKE_EXTRA, "service.name", "once more");
	end("texts");
}

static void values(void)
{
	begin();
	make_number(&value, MAKE_INT, 300);
	put_value("int");
	make_number(&value, MAKE_INT, (uint64_t)-7);
	put_value("minus");
	make_number(&value, MAKE_BOOL, 1);
	put_value("yes");
	make_double(&value, 1.5);
	put_value("double");
	for (enum make_field field = MAKE_ARRAY; field <= MAKE_BYTES; field++) {
		make_bytes(&value, field, "\x0a\x03\x0a\x01v", 5);
		put_value("other");
	}
	make_attribute(&resource, MAKE_ATTRIBUTE, "none", NULL);
	make_bytes(&value, MAKE_STRING, "a", 1); /* the last one counts */
	make_number(&value, MAKE_INT, 1);
	make_bytes(&value, MAKE_STRING, "b", 1);
	put_value("two");
	end("values");
}

static void many(void)
{
	char key[16];

	begin();
	for (unsigned i = 0; i < 80; i++) {
		(void)snprintf(key, sizeof(key), "k%u", i % 70);
		make_text(&resource, MAKE_ATTRIBUTE, key, "012345678901234567890123456789");
	}
	make_text(&process, MAKE_EXTRA, "extra", "1");
	end("many");
}

/* A field that may be there once, twice: both become one. */
static void twice(void)
{
	begin();
	make_text(&resource, MAKE_ATTRIBUTE, "a", "1");
	make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	make_text(&resource, MAKE_ATTRIBUTE, "b", "2");
	end("twice");
}

static void lists(void)
{
	static const char list[] = "service.name=shop,a=%2C%3D%25%00,b=x y=z,,=,c=%,d=%4,e=%aa,"
				   "f g=1,h=\xff\x01,service.name=again";

	put("process_context", "list", list, sizeof(list) - 1, false);
}

/* Of a known generation, again, of an unknown one; then a report. */
static void records(void)
{
	static union make_record record;

	begin();
	make_text(&resource, MAKE_ATTRIBUTE, "service.name", "shop");
	make_bytes(&process, MAKE_RESOURCE, resource.bytes, resource.count);
	make_process(&record, 42, "leader", TM_FILE_NONE, "prog\0bin\0", 9, "slice\0", 6);
	put("event", "contexts", &record, record.event.bytes, false);
	make_context(&record, 42, process.bytes, (uint32_t)process.count);
	put("event", "contexts", &record, record.event.bytes, true);
	make_sample(&record, 10, 42, "thread", NULL, 0, 0);
	put("event", "contexts", &record, record.event.bytes, true);
	make_text(&process, MAKE_EXTRA, "extra", "1");
	make_context(&record, 42, process.bytes, (uint32_t)process.count);
	put("event", "contexts", &record, record.event.bytes, true);
	make_context(&record, 43, process.bytes, (uint32_t)process.count);
	put("event", "contexts", &record, record.event.bytes, true);
	make_exit(&record, 11, 42);
	record.event.cpu = 0xffff;
	put("event", "contexts", &record, record.event.bytes, true);
	make_sample(&record, 12, 42, "thread", NULL, 0, 0);
	put("event", "contexts", &record, record.event.bytes, true);
}

void context_seeds_put(event_seeds_put_fn to)
{
	put = to;
	texts();
	values();
	many();
	twice();
	lists();
	records();
}
