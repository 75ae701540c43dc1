/* SPDX-License-Identifier: Apache-2.0 */
/* selection - selects the processes to sample */

#include "collector/selection.h"

#include <bpf/bpf.h>

int selection_add(const struct loader *loader, uint64_t pid, struct tm_control_failure *failure)
{
	uint32_t key = (uint32_t)pid, found = 0;

	return tm_control_failure_check(failure, TM_FAILURE_INTERNAL,
					bpf_map_update_elem(loader->wanted, &key, &found, BPF_ANY),
					"a process cannot be selected");
}

/* The fork program is attached already, so no child is missed during the walk. */
int selection_mark(const struct loader *loader, struct tm_control_failure *failure)
{
	uint32_t key, found = 0;
	int r;

	if (bpf_map_get_next_key(loader->wanted, NULL, &key) < 0)
		return 0;
	r = loader_mark_wanted(loader);
	if (r < 0)
		return tm_control_failure_check(failure, TM_FAILURE_HOST, r,
						"the kernel refused to iterate over its tasks");
	while (bpf_map_get_next_key(loader->wanted, NULL, &key) == 0 &&
	       bpf_map_lookup_elem(loader->wanted, &key, &found) == 0 &&
	       bpf_map_delete_elem(loader->wanted, &key) == 0)
		if (!found)
			return tm_control_failure_set(failure, TM_FAILURE_NO_PROCESS,
						      "there is no process %u", key);
	return 0;
}
