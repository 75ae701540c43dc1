/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * finish - after the last record: names, the report, its outputs, what the command is told
 */

#include "symbolizer/session.h"

/* Return: 0, -errno (no report could be built; said as each output's code too). */
int finish_session(struct session *session);
