/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - what the two programs tell the command, message by message (shared/control.h)
 */

#include "cli/session.h"

/* Reads what is there, a bounded number of messages. */
void control_collector(struct session *session);
void control_symbolizer(struct session *session);
