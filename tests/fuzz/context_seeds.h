/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * context_seeds - builds the seeds of the corpus process_context, and CONTEXT records for event
 */

#include "tests/fuzz/event_seeds.h"

void context_seeds_put(event_seeds_put_fn put);
