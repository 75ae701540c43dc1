/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * question - asks the kernel room something by reading one of its iterators
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shared/event.h"

/* An iterator of @program over all objects, or where the kernel can (6.1) over one process.
 * Return: descriptor to read, -errno. */
int question_open(int program, pid_t only);
/* Runs it to its end; what it writes is dropped. Return: 0, -errno. */
int question_ask(int program, pid_t only);
/* Whether @pid has the file of @identity mapped at @address. Return: 1, 0, -errno. */
int question_holds(int program, struct tm_check *check, uint32_t pid, uint64_t address,
		   const struct tm_identity *identity);
