/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fault - why a program cannot go on: a code for the command, one sentence for a person
 *
 * The first one is kept: what fails after it fails because of it.
 */

#include "shared/control.h"

struct tm_fault {
	int code; /* enum tm_failure; 0: none */
	char text[TM_CONTROL_TEXT];
};

/* Return: always -ECANCELED, so that a caller can return it. */
__attribute__((format(printf, 3, 4))) int tm_fault_set(struct tm_fault *fault, int code,
						       const char *format, ...);
/* @r: below 0, it is a fault: "@what: its error". Return: 0, -ECANCELED. */
int tm_fault_check(struct tm_fault *fault, int code, int r, const char *what);
