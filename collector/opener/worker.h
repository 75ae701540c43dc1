/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * worker - the disposable process behind one ask
 */

#include "collector/opener/opener.h"

/* Runs in the forked child. Return: 0 answered, 1 nothing was answered. */
int worker_run(int socket, const struct opener_request *request, uint32_t abandoned);
