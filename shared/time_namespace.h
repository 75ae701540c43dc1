/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * time_namespace - whether CLOCK_MONOTONIC here is that of the kernel's records
 *
 * Source     time_namespaces(7).
 */

#include <stdbool.h>

#define TM_TIME_NAMESPACE_REFUSAL                                                \
	"this time namespace has another clock than the kernel: start tidemark " \
	"outside of it"

/* Whether it is not, for this process or its children: no watermark would hold then. */
bool tm_time_namespace_is_shifted(void);
