/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * collect - the names of sampled places, for a report or before a file's descriptor has to go
 */

#include "symbolizer/names/name_table.h"
#include "symbolizer/session.h"

#define NAMES_BUDGET_BYTES (128ull << 20) /* of names, on top of the profile's budget */

/* For a report; @last: no other follows. The caller ends @names. */
void collect_names(struct session *session, struct name_table *names, bool last);
/* Of files that ended: keeps their symbols until the report, closes their descriptors. */
void collect_pending(struct session *session);
