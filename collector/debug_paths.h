/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_paths - asks for files that name functions: separate debug files, and perf maps
 *
 * Trust      the message comes from the symbolizer, which may be hostile: it chooses a file that it
 *            was sent, a build id, or one component of a path, and nothing else.
 */

#include "collector/file_requests.h"
#include "collector/options.h"

/*
 * Has @message (DEBUG_FILE) answered. A file that is unknown by now gets its answer from the
 * opener, too: it is asked for no path. Return: 0; -EBADMSG: the message is invalid, or there are
 * too many without an answer.
 */
int debug_paths_ask(struct file_requests *files, const struct options *options,
		    const struct tm_wire *message);
/*
 * Where @process, a checked record, has TM_FLAG_ANONYMOUS: /tmp/perf-PID.map in its root, by its
 * innermost PID. Whether that is the process's own is for the symbolizer to see. One too many is
 * left out: the next epoch announces it again.
 */
void debug_paths_ask_perf_map(struct file_requests *files, const struct tm_process *process);
