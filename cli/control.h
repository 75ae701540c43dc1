/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * control - receives the messages of both programs and applies them to the session
 */

#include "cli/session.h"

/* Reads what is there, a bounded number of messages. */
void control_collector(struct session *session);
void control_symbolizer(struct session *session);
