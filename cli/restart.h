/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * restart - with --restart: a new symbolizer in the place of one that died while it recorded
 *
 * The collector makes a new ring for it and lets everything announce itself again; what the dead one
 * had been handed and not reported counts as dropped.
 */

#include "cli/session.h"

#define RESTART_MAX 5u

/* Will another one follow if @program dies now? */
int restart_follows(const struct session *session, const struct child *program);
/* Starts it. Return: 0, or an outcome, said: then the recording ends as without --restart. */
int restart_run(struct session *session);
