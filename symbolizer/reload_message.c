/* SPDX-License-Identifier: Apache-2.0 */
/* reload_message - checks what came over the reload socket, field by field */

#include "symbolizer/reload_message.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "symbolizer/options.h"

static bool is_within(uint64_t value, uint64_t least, uint64_t most)
{
	return value >= least && value <= most;
}

static bool is_text(const char *field, size_t bytes)
{
	return memchr(field, '\0', bytes) != NULL;
}

static bool is_of_this_version(const struct tm_reload *message)
{
	return message->magic == TM_RELOAD_MAGIC && message->version == TM_RELOAD_VERSION &&
	       message->bytes == sizeof(*message);
}

static bool has_numbers(const struct tm_reload *message)
{
	return is_within(message->interval_ms, OPTIONS_EVERY_MS_MIN, OPTIONS_EVERY_MS_MAX) &&
	       is_within(message->hz, 1, OPTIONS_HZ_MAX) &&
	       is_within(message->memory_bytes, OPTIONS_MEMORY_MIN, OPTIONS_MEMORY_MAX) &&
	       message->cpu_max_ppm <= OPTIONS_CPU_PPM_MAX && message->off_cpu <= 1 &&
	       message->sends <= 1 && message->keeps <= 1;
}

static bool has_texts(const struct tm_reload *message)
{
	return is_text(message->service_name, sizeof(message->service_name)) &&
	       is_text(message->labels, sizeof(message->labels)) &&
	       is_text(message->grouping, sizeof(message->grouping));
}

int reload_message_check(const struct tm_reload *message)
{
	return is_of_this_version(message) && has_numbers(message) && has_texts(message) ? 0
											 : -EBADMSG;
}
