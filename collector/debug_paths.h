/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debug_paths - asks for a separate debug file of a sampled file, at the paths where it may lie
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
