/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_resource_options - hostile OTEL_RESOURCE_ATTRIBUTES
 */

#include <stdlib.h>
#include <string.h>

#include "cli/resource_options.h"
#include "shared/utf8.h"
#include "tests/fuzz/fuzz.h"

static void check_label(const struct resource_options *options, size_t index)
{
	static char clean[TM_UTF8_CLEAN_BYTES(RESOURCE_LABEL_BYTES)];
	const char *label = options->labels[index], *equals = strchr(label, '=');
	const char *end = options->text + sizeof(options->text);
	size_t bytes = strnlen(label, (size_t)(end - label));

	if (label < options->text || label + bytes >= end || !equals || equals == label ||
	    bytes >= RESOURCE_LABEL_BYTES)
		abort();
	(void)tm_utf8_clean(label, bytes, clean, sizeof(clean));
	if (strcmp(clean, label) != 0)
		abort();
	for (size_t i = 0; i < index; i++)
		if (strncmp(options->labels[i], label, (size_t)(equals - label) + 1) == 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct resource_options options = {.label_count = 0};
	char *text = malloc(bytes + 1);

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (setenv("OTEL_RESOURCE_ATTRIBUTES", text, 1) < 0)
		abort();
	free(text);
	resource_options_take_environment(&options);
	if (options.label_count > RESOURCE_LABELS_MAX || (options.refused && options.label_count))
		abort();
	for (size_t i = 0; i < options.label_count; i++)
		check_label(&options, i);
	return 0;
}
