/* SPDX-License-Identifier: Apache-2.0 */
/* reasons - names of the reasons that shared/event.h, wire.h and result.h number */

#include "shared/reasons.h"

#include "shared/event.h"
#include "shared/memory_share.h"
#include "shared/result.h"
#include "shared/wire.h"

#define NAME(upper, lower) #lower,
#define REASONS(what, list)                                                                 \
	const char *tm_reasons_##what(unsigned reason)                                      \
	{                                                                                   \
		static const char *const names[] = {list(NAME)};                            \
                                                                                            \
		return reason < sizeof(names) / sizeof(*names) ? names[reason] : "unknown"; \
	}

REASONS(drop, TM_DROP_REASONS)
REASONS(stop, TM_STOP_REASONS)
REASONS(unresolved, TM_UNRESOLVED_REASONS)
REASONS(parse, TM_PARSE_FAILURES)
REASONS(unnamed, TM_UNNAMED_REASONS)
REASONS(no_line, TM_NO_LINE_REASONS)
REASONS(no_file, TM_NO_FILE_REASONS)
REASONS(thread, TM_THREAD_STATES)
REASONS(debuginfod, TM_DEBUGINFOD_COUNTS)
REASONS(export, TM_EXPORTS)
REASONS(memory, TM_MEMORY_SHARES)
