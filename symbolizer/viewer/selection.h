/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * selection - which reports and samples are shown: a window of time, and who was sampled
 *
 * Window     [from, to) in Unix time; a report belongs to it if the two overlap.
 * Who        of several values of one kind any suffices; of several kinds each must be met.
 */

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/output/report.h"

#define SELECTION_VALUES_MAX 64u /* of one kind */

struct selection_window {
	uint64_t from_unix_ns, to_unix_ns;
};
#define SELECTION_ALWAYS ((struct selection_window){0, UINT64_MAX})

struct selection_texts {
	const char *items[SELECTION_VALUES_MAX];
	unsigned count;
};

struct selection {
	struct selection_texts comms;      /* of the thread, or of its process */
	struct selection_texts containers; /* what an id begins with */
	struct selection_texts units;      /* of systemd; without an ending: .service */
	uint32_t pids[SELECTION_VALUES_MAX];
	unsigned pid_count;
};

bool selection_has_time(const struct selection_window *window, uint64_t start_unix_ns,
			uint64_t duration_ns);
/* @strings: those that process and sample refer to. */
bool selection_has(const struct selection *selection, const char *const *strings,
		   const struct report_process *process, uint32_t comm);
