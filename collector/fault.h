/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fault - why the collector cannot go on: one sentence for a person, one code for the command
 */

#include "shared/control.h"

struct fault {
	int code; /* enum tm_failure; 0: none */
	char text[TM_CONTROL_TEXT];
};

/* Keeps the first one. Return: always -ECANCELED, so that a caller can return it. */
__attribute__((format(printf, 3, 4))) int fault_set(struct fault *fault, int code,
						    const char *format, ...);
