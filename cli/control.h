/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - what the two programs tell the command, message by message (shared/control.h)
 */

#include "cli/session.h"

/* Reads what is there, a bounded number of messages. */
void dialogue_collector(struct session *session);
void dialogue_symbolizer(struct session *session);
