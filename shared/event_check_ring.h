/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_check_ring - checks what the collector makes of a record: kernel frames, and RETIRE
 *
 * Trust, errors and arguments are those of shared/event_check.h.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/event.h"

/* A record as the collector pushes it into the shared ring. */
int tm_event_check_from_ring(const void *record, uint32_t bytes);
/* Whether it identifies a file that grows (struct tm_identity). */
bool tm_identity_grows(const struct tm_identity *identity);
