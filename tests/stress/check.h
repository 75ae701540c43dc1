/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * check - ends a test program at the first claim that does not hold
 */

#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                                                      \
	do {                                                                             \
		if (!(what)) {                                                           \
			(void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
			exit(1);                                                         \
		}                                                                        \
	} while (0)
