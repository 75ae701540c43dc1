/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * restart - with --restart: starts a new symbolizer in place of one that died while recording
 *
 * The collector makes a new ring for it and lets everything announce itself again. What the dead
 * one had been handed and had not reported counts as dropped.
 */

#include "cli/session.h"

/*
 * After a death that session_may_restart allowed. Where no other one can be started, the recording
 * ends as without --restart, after printing why.
 */
void restart_if_pending(struct session *session);
