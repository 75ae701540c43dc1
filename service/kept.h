/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kept - what the collector wants kept for the next one: in systemd's store, and from there again
 *
 * Shape      a descriptor's name in the store is KEPT_PREFIX and the collector's own name for it
 *            (collector/kept.h), which is of letters, digits and '-'. We do not know what they are.
 * Errors     what cannot be stored is missing for the next collector, which then begins anew; a
 *            line in the journal says so.
 */

#include "service/program.h"
#include "shared/control.h"
#include "shared/service.h"

#define KEPT_PREFIX "kept-"

/* Hands what is in the store to the collector. In the child: the descriptors are inherited. */
void kept_pass(struct program *program, const struct tm_service *service);
/* In the parent: they are the collector's now. */
void kept_close(struct tm_service *service);
/* KEEP, with @fd, or DROP. */
void kept_handle(const struct tm_service *service, struct tm_control *message, int fd);
