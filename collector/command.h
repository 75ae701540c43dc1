/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * command - the collector's end of its talk with the command `tidemark` (shared/control.h)
 *
 * Trust      the command started us and is trusted; a message of an unknown kind is ignored.
 */

struct session;

/* Does what has come from it so far. */
void command_obey(struct session *session);
