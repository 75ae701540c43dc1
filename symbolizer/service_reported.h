/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * service_reported - what was reported so far, in systemd's store, for the next symbolizer
 *
 * Shape      two descriptors (symbolizer/profile/reported.h), written in turn, so that one is there
 *            at any time. The last report of a collector that ended is in it, too, which the
 *            collector's own copy (REPORTED of shared/wire.h) lacks.
 * Threads    the reader's.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shared/service.h"
#include "symbolizer/profile/reported.h"

#define SERVICE_REPORTED_PLACES 2

struct service_reported {
	int kept[SERVICE_REPORTED_PLACES]; /* of the last symbolizer; -1: none */
	unsigned place;                    /* that is written next */
};

/* Takes what is in the store. */
void service_reported_open(struct service_reported *store, struct tm_service *manager);
/* Return: whether there is something of this generation of the ring: the newest. */
bool service_reported_take(struct service_reported *store, uint64_t generation,
			   struct reported *ret_reported);
/* @blob: stays the caller's. */
void service_reported_keep(struct service_reported *store, const struct tm_service *manager,
			   int blob);
