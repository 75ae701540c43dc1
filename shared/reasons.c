/* SPDX-License-Identifier: Apache-2.0 */
/* reasons - names of the reasons that shared/event.h, wire.h and control.h number */

#include "shared/reasons.h"

#include "shared/control.h"
#include "shared/event.h"
#include "shared/wire.h"

#define NAME(upper, lower) #lower,

static const char *const drops[] = {TM_DROP_REASONS(NAME)};
static const char *const stops[] = {TM_STOP_REASONS(NAME)};
static const char *const unresolved[] = {TM_UNRESOLVED_REASONS(NAME)};
static const char *const parse[] = {TM_PARSE_FAILURES(NAME)};
static const char *const unnamed[] = {TM_UNNAMED_REASONS(NAME)};
static const char *const no_line[] = {TM_NO_LINE_REASONS(NAME)};
static const char *const no_file[] = {TM_NO_FILE_REASONS(NAME)};
static const char *const debuginfod[] = {TM_DEBUGINFOD_COUNTS(NAME)};

const char *tm_reasons_drop(unsigned reason)
{
	return reason < TM_DROP_N ? drops[reason] : "unknown";
}

const char *tm_reasons_stop(unsigned reason)
{
	return reason < TM_STOP_N ? stops[reason] : "unknown";
}

const char *tm_reasons_unresolved(unsigned reason)
{
	return reason < TM_UNRESOLVED_N ? unresolved[reason] : "unknown";
}

const char *tm_reasons_parse(unsigned reason)
{
	return reason < TM_PARSE_N ? parse[reason] : "unknown";
}

const char *tm_reasons_unnamed(unsigned reason)
{
	return reason < TM_UNNAMED_N ? unnamed[reason] : "unknown";
}

const char *tm_reasons_no_line(unsigned reason)
{
	return reason < TM_NO_LINE_N ? no_line[reason] : "unknown";
}

const char *tm_reasons_no_file(unsigned reason)
{
	return reason < TM_NO_FILE_N ? no_file[reason] : "unknown";
}

const char *tm_reasons_debuginfod(unsigned reason)
{
	return reason < TM_DEBUGINFOD_N ? debuginfod[reason] : "unknown";
}
