/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report_make - makes the report of one interval: names, outputs, and the messages about them
 */

#include "symbolizer/report_notes.h"

/* Fills in the job's result and code. @control: the command's socket. */
void report_make(struct report_job *job, int control, struct report_notes *notes);
