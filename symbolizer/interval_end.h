/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * interval_end - ends an interval: closes its accounts and makes the reporter's job of it
 */

#include "symbolizer/session.h"

/*
 * Takes the outputs of this report: `flush_outputs`, or `outputs` if no other interval follows
 * (@last). Return: the job; NULL: memory is short, and the interval is open as before.
 */
struct report_job *interval_end(struct session *session, bool last);
