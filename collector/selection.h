/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * selection - selects the processes to sample
 *
 * Shape      selection_add puts a pid into the BPF map `wanted`; selection_mark runs a BPF iterator
 *            once over all tasks, which selects every wanted process. A BPF program at fork selects
 *            the children of selected processes.
 * Threads    one.
 * Errors     -ECANCELED, and *failure says why.
 */

#include <stdint.h>

#include "collector/loader.h"
#include "shared/control.h"

/* @pid: in the PID namespace of the command and the collector. */
int selection_add(const struct loader *loader, uint64_t pid, struct tm_control_failure *failure);
int selection_mark(const struct loader *loader, struct tm_control_failure *failure);
