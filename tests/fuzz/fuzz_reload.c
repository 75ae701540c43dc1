/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_reload - a hostile message on the reload socket: what is taken is what a start would take
 *
 * Input: places of a valid message that are overwritten, each as two bytes of offset, little
 * endian, one byte of length, and so many bytes.
 */

#include <stdlib.h>
#include <string.h>

#include "shared/utf8.h"
#include "symbolizer/options.h"
#include "symbolizer/reload_message.h"
#include "symbolizer/report_settings.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/symbolizer/make_reload.h"

#define HEAD_BYTES 3

static void overwrite(struct tm_reload *message, const uint8_t *data, size_t bytes)
{
	while (bytes >= HEAD_BYTES) {
		const size_t offset = (size_t)(data[0] | data[1] << 8) % sizeof(*message);
		size_t length = data[2];

		data += HEAD_BYTES;
		bytes -= HEAD_BYTES;
		length = length < bytes ? length : bytes;
		length = length < sizeof(*message) - offset ? length : sizeof(*message) - offset;
		memcpy((char *)message + offset, data, length);
		data += length;
		bytes -= length;
	}
}

/* Within @bytes of @field, and clean. */
static void check_text(const char *text, const char *field, size_t bytes)
{
	static char clean[TM_UTF8_CLEAN_BYTES(TM_RELOAD_LABELS_BYTES)];
	const size_t length = strnlen(text, (size_t)(field + bytes - text));

	if (text < field || text + length >= field + bytes)
		abort();
	(void)tm_utf8_clean(text, length, clean, sizeof(clean));
	if (strcmp(clean, text) != 0)
		abort();
}

static void check(const struct report_settings *settings, const struct report_settings *before)
{
	const struct report_resource *resource = &settings->resource.resource;

	check_text(resource->service_name, settings->service_name, sizeof(settings->service_name));
	if (resource->grouping > REPORT_BY_SERVICE || resource->attribute_count < 1 ||
	    resource->attribute_count > RESOURCE_OPTIONS_MAX ||
	    resource->attributes != settings->resource.attributes ||
	    resource->attributes[0].key != before->resource.attributes[0].key)
		abort();
	for (uint32_t i = 1; i < resource->attribute_count; i++) {
		const char *key = resource->attributes[i].key;

		check_text(key, settings->labels, sizeof(settings->labels));
		check_text(resource->attributes[i].value, settings->labels,
			   sizeof(settings->labels));
		for (uint32_t k = 0; k < i; k++)
			if (!*key || strcmp(resource->attributes[k].key, key) == 0)
				abort();
	}
}

static void check_numbers(const struct tm_reload *message)
{
	if (message->interval_ms < OPTIONS_EVERY_MS_MIN ||
	    message->interval_ms > OPTIONS_EVERY_MS_MAX || message->hz - 1 >= OPTIONS_HZ_MAX ||
	    message->memory_bytes > OPTIONS_MEMORY_MAX ||
	    message->cpu_max_ppm > OPTIONS_CPU_PPM_MAX ||
	    (message->off_cpu | message->sends | message->keeps) > 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char host[] = "--resource=host.name=h";
	struct resource_options options = {.resource.service_name = ""};
	struct tm_reload message = make_reload();
	struct report_settings *before = NULL, *after = NULL;

	if (resource_options_parse(&options, host) || report_settings_new(&options, &before))
		abort();
	overwrite(&message, data, bytes);
	if (reload_message_check(&message) == 0) {
		check_numbers(&message);
		if (report_settings_change(before, &message, &after) == 0) {
			check(after, before);
			if (report_settings_compare(after, after) != 0)
				abort();
		} else if (after) {
			abort();
		}
	}
	(void)report_settings_unref(after);
	(void)report_settings_unref(before);
	return 0;
}
