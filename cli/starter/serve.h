/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * serve - the starter: the process of a recording that keeps root, and does what message.h lists
 *
 * Forked by the command, which has no privilege afterwards. It ends with the command: then it kills
 * what it started, and removes the files that have no name yet.
 */

#include "cli/preparation.h"

/* @socket: its end. @command: a pidfd. Returns once the command is gone, or asks for no answer. */
void starter_serve(struct preparation *preparation, int socket, int command);
