/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitdumps - hands the jitdumps of sampled processes, which come like any mapped file, to jit_files
 */

#include "symbolizer/names/jitdumps.h"

#include <fcntl.h>

#include "shared/event_check_ring.h"
#include "symbolizer/profile/file_queue.h"

bool jitdumps_take(struct jit_files *jit, const struct files *files, uint32_t index)
{
	const struct file *file = &files->items[index];

	if (!file->identified || !tm_identity_grows(&file->identity))
		return false;
	for (uint32_t i = 0; jit && file->fd >= 0 && i < jit->processes->count; i++) {
		struct process *process = &jit->processes->items[i];

		if (process->state == PROCESS_FREE || process->jitdump != file->number + 1)
			continue;
		if (!jit_files_take(jit, process, JIT_FILES_DUMP,
				    fcntl(file->fd, F_DUPFD_CLOEXEC, 0)))
			process->map_refused = TM_NO_FILE_LIMIT;
	}
	return true;
}

/* The file whose number the process was announced with; FILES_NONE: not known, or not any more. */
static uint32_t file_of(const struct files *files, const struct process *process)
{
	uint32_t number = process->jitdump - 1;
	const struct file_number *entry = file_numbers_find(&files->numbers, number);
	uint32_t index = entry ? entry->file - 1 : FILES_NONE;

	return index != FILES_NONE && files->items[index].identified &&
			       tm_identity_grows(&files->items[index].identity)
		       ? index
		       : FILES_NONE;
}

void jitdumps_round(struct jit_files *jit, const struct files *files, int wire)
{
	if (jit->jitdumps == jit->processes->jitdumps)
		return;
	jit->jitdumps = jit->processes->jitdumps;
	for (uint32_t i = 0; i < jit->processes->count; i++) {
		const struct process *process = &jit->processes->items[i];
		uint32_t index, number;
		uint64_t value;

		if (process->state == PROCESS_FREE || !process->jitdump ||
		    jit_files_has(jit, process, JIT_FILES_DUMP))
			continue;
		index = file_of(files, process);
		if (index != FILES_NONE && files->items[index].fd < 0)
			(void)file_queue_ask_again(files, index, wire, &number, &value);
	}
}
