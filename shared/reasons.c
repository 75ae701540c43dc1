/* SPDX-License-Identifier: Apache-2.0 */
/* reasons - the reasons of shared/event.h and control.h as lower-case words for every output */

#include "shared/reasons.h"

#include "shared/control.h"
#include "shared/event.h"

#define WORD(upper, lower) #lower,

static const char *const drops[] = {TM_DROP_REASONS(WORD)};
static const char *const stops[] = {TM_STOP_REASONS(WORD)};
static const char *const unresolved[] = {TM_UNRESOLVED_REASONS(WORD)};
static const char *const parse[] = {TM_PARSE_FAILURES(WORD)};

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
