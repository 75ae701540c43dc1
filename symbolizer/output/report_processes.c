/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_processes - tells the generations of one pid in a report apart
 */

#include "symbolizer/output/report_processes.h"

#include <errno.h>

#include "shared/cleanup.h"
#include "symbolizer/base/sort.h"

/* Equals of (tgid, start, exec) cannot be. */
static int compare_generations(uint32_t a, uint32_t b, const void *context)
{
	const struct report_process *left = (const struct report_process *)context + a;
	const struct report_process *right = (const struct report_process *)context + b;
	int order = sort_by_number(left->tgid, right->tgid);

	if (order == 0)
		order = sort_by_number(left->start_boottime, right->start_boottime);
	return order != 0 ? order : sort_by_number(left->exec_id, right->exec_id);
}

int report_processes_number(struct report_process *processes, uint32_t count)
{
	_cleanup_(tm_freep) uint32_t *order = sort_new(count, compare_generations, processes);
	uint32_t reuse = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		struct report_process *process = &processes[order[i]];
		bool again = i > 0 && processes[order[i - 1]].tgid == process->tgid;
		bool followed = i + 1 < count && processes[order[i + 1]].tgid == process->tgid;

		reuse = again ? reuse + 1 : followed ? 1 : 0;
		process->reuse = reuse;
	}
	return 0;
}
