/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * make_reload - a message of `tidemark reload` that checks, with the defaults of the service
 */

#include "shared/reload.h"

static inline struct tm_reload make_reload(void)
{
	return (struct tm_reload){
		.magic = TM_RELOAD_MAGIC,
		.version = TM_RELOAD_VERSION,
		.bytes = sizeof(struct tm_reload),
		.interval_ms = 5000,
		.hz = 19,
		.memory_bytes = 512u << 20,
		.cpu_max_ppm = 10000,
		.keeps = 1,
		.grouping = "process",
	};
}
