/* SPDX-License-Identifier: Apache-2.0 */
/* report_words - the words of shared/event.h for drops, stops and unresolved frames */

#include "symbolizer/report.h"

#define WORD(upper, lower) #lower,

static const char *const drop_words[] = {TM_DROP_REASONS(WORD)};
static const char *const stop_words[] = {TM_STOP_REASONS(WORD)};
static const char *const unresolved_words[] = {TM_UNRESOLVED_REASONS(WORD)};

const char *report_stop_word(unsigned stop)
{
	return stop < TM_STOP_N ? stop_words[stop] : "unknown";
}

const char *report_drop_word(unsigned drop)
{
	return drop < TM_DROP_N ? drop_words[drop] : "unknown";
}

const char *report_unresolved_word(unsigned reason)
{
	return reason < TM_UNRESOLVED_N ? unresolved_words[reason] : "unknown";
}
