/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_check - whether a private copy of a record is one of shared/event.h: sizes, counts and enums, exactly
 *
 * Trust      our own BPF programs or our own collector wrote it, which is no reason to believe a
 *            length. What passes may be used without another look at its counts; texts and names stay
 *            the choice of a profiled process.
 * Errors     -EBADMSG: not a record; the caller counts it.
 */

#include <stdint.h>

#include "shared/event.h"

/* As BPF writes it: kernel frames are addresses, RETIRE does not exist.
 * @record: 8-aligned, @bytes long. */
int tm_event_check_from_bpf(const void *record, uint32_t bytes);
/* As the collector pushes it into the shared ring. The same arguments. */
int tm_event_check_from_ring(const void *record, uint32_t bytes);
