/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_check - checks that a private copy of a record is a valid one of shared/event.h
 *
 * Trust      records come from our own BPF programs or our own collector and are still not trusted.
 *            A record that passes has exactly the size that its counts say, counts within their
 *            limits and known enum values; its texts remain the choice of a profiled process.
 * Errors     -EBADMSG: not a valid record; the caller drops and counts it.
 */

#include <stdint.h>

#include "shared/event.h"

/* A record as BPF writes it: kernel frames are addresses, and there is no RETIRE.
 * @record: 8-aligned, @bytes long, and no longer changing. */
int tm_event_check_from_bpf(const void *record, uint32_t bytes);
