/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_settings - what a reload changes in reports: the service's name, labels, resource grouping
 *
 * Owner      counted: the session has one for the open interval and one for the next, and each
 *            report job has that of its interval (interval_end.h).
 * Threads    it never changes once it is made; the reader's thread alone makes it, counts its users
 *            and frees it, and the reporter's only reads it while its job is there.
 * Errors     -ENOMEM, -EBADMSG.
 */

#include <stdint.h>

#include "shared/reload.h"
#include "symbolizer/resource_options.h"

struct report_settings {
	unsigned users;
	struct resource_options resource; /* its strings: those of the options, or these: */
	char service_name[TM_RELOAD_NAME_BYTES];
	char labels[TM_RELOAD_LABELS_BYTES]; /* with NULs for separators */
};

/* What the options say; their strings are borrowed. Return: 0, -ENOMEM. */
int report_settings_new(const struct resource_options *options,
			struct report_settings **ret_settings);
/* What @message, which reload_message_check has taken, says instead of @before.
 * Return: 0, -ENOMEM, -EBADMSG: its texts make no sense. */
int report_settings_change(const struct report_settings *before, const struct tm_reload *message,
			   struct report_settings **ret_settings);
/* Return: bits of enum tm_reload_value. */
uint32_t report_settings_compare(const struct report_settings *a, const struct report_settings *b);
/* One more user. Return: @settings. */
struct report_settings *report_settings_ref(struct report_settings *settings);
/* One user less; the last one frees it. Return: NULL. */
struct report_settings *report_settings_unref(struct report_settings *settings);

static inline void report_settings_unrefp(struct report_settings **settings)
{
	*settings = report_settings_unref(*settings);
}
