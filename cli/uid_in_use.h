/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * uid_in_use - does anybody run under a uid? asked of the kernel, not of /proc
 *
 * A child takes the uid with a limit of two processes and forks once: refused means that it was not
 * alone. Processes of every PID namespace count, since the kernel's own count answers.
 */

#include <sys/types.h>

/* @uid: not 0. Return: 0 (nobody), 1 (somebody), -errno (this process cannot become @uid). */
int occupied_by_process(uid_t uid);
