/* SPDX-License-Identifier: Apache-2.0 */
/*
 * empty_hooks - holds programs that do nothing at the scheduler's tracepoints, until stdin ends
 *
 * What a context switch takes with these is the machine's part of what off-CPU sampling costs.
 * Prints `ready` once they are attached.
 */

#include <stdio.h>
#include <unistd.h>

#include "empty_hooks.skel.h"

int main(void)
{
	struct empty_hooks_bpf *hooks = empty_hooks_bpf__open_and_load();
	char byte;
	int r = hooks ? empty_hooks_bpf__attach(hooks) : -1;

	if (!r) {
		printf("ready\n");
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	} else {
		fprintf(stderr, "empty_hooks: the kernel does not take the programs: %d\n", r);
	}
	empty_hooks_bpf__destroy(hooks);
	return r ? 1 : 0;
}
