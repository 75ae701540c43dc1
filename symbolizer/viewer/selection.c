/* SPDX-License-Identifier: Apache-2.0 */
/* selection - which reports and samples are shown: a window of time, and who was sampled */

#include "symbolizer/viewer/selection.h"

#include <string.h>

#define SERVICE ".service"

bool selection_has_time(const struct selection_window *window, uint64_t start_unix_ns,
			uint64_t duration_ns)
{
	uint64_t end;

	if (__builtin_add_overflow(start_unix_ns, duration_ns, &end))
		end = UINT64_MAX;
	/* One without a length belongs to the instant at which it was. */
	return start_unix_ns < window->to_unix_ns &&
	       (end > window->from_unix_ns || start_unix_ns >= window->from_unix_ns);
}

static bool is_comm(const struct selection_texts *comms, const char *thread, const char *process)
{
	for (unsigned i = 0; i < comms->count; i++)
		if (strcmp(comms->items[i], thread) == 0 || strcmp(comms->items[i], process) == 0)
			return true;
	return comms->count == 0;
}

static bool is_pid(const struct selection *selection, uint32_t tgid)
{
	for (unsigned i = 0; i < selection->pid_count; i++)
		if (selection->pids[i] == tgid)
			return true;
	return selection->pid_count == 0;
}

static bool is_container(const struct selection_texts *containers, const char *id)
{
	for (unsigned i = 0; i < containers->count; i++)
		if (strncmp(id, containers->items[i], strlen(containers->items[i])) == 0)
			return true;
	return containers->count == 0;
}

/* Whether @unit is the component of a path that has @length characters. */
static bool is_component(const char *component, size_t length, const char *unit)
{
	size_t bytes = strlen(unit);

	if (length < bytes || memcmp(component, unit, bytes) != 0)
		return false;
	return length == bytes || (!strchr(unit, '.') && length == bytes + strlen(SERVICE) &&
				   memcmp(component + bytes, SERVICE, strlen(SERVICE)) == 0);
}

static bool is_unit(const struct selection_texts *units, const char *cgroup)
{
	for (unsigned i = 0; i < units->count; i++)
		for (const char *at = cgroup; *at;) {
			const size_t length = strcspn(at, "/");

			if (is_component(at, length, units->items[i]))
				return true;
			at += length + (at[length] == '/');
		}
	return units->count == 0;
}

bool selection_has(const struct selection *selection, const char *const *strings,
		   const struct report_process *process, uint32_t comm)
{
	return is_pid(selection, process->tgid) &&
	       is_comm(&selection->comms, strings[comm], strings[process->comm]) &&
	       is_container(&selection->containers, strings[process->container]) &&
	       is_unit(&selection->units, strings[process->cgroup]);
}
