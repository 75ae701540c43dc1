/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * status - `tidemark status`: asks the services what they do
 *
 * Who may    root, and the group tidemark: the socket's owner.
 * Exit code  0: they answered, and the last report is no older than STATUS_LATE intervals; 1
 *            otherwise, after saying why. With --prometheus an old report is no failure: its age is
 *            one of the figures.
 */

#define STATUS_WAIT_SECONDS 5     /* for an answer */
#define STATUS_LATE         4     /* intervals without a report: something is wrong */
#define STATUS_LATE_MS      30000 /* and at least so long */

int status_main(int argc, char *const argv[]);
