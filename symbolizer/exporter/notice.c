/* SPDX-License-Identifier: Apache-2.0 */
/* notice - prints lines to stderr, one in an interval, and counts those left out */

#include "symbolizer/exporter/notice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LINE_BYTES 1024

void notice_print(struct notice *notice, int64_t now_ms, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list arguments;

	if (now_ms < notice->next_ms) {
		notice->left_out++;
		return;
	}
	va_start(arguments, format);
	(void)vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (notice->left_out > 0)
		(void)fprintf(stderr, "%s (%" PRIu64 " lines before this one left out)\n", line,
			      notice->left_out);
	else
		(void)fprintf(stderr, "%s\n", line);
	*notice = (struct notice){.next_ms = now_ms + NOTICE_INTERVAL_MS};
}
