/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * serve_preparation - what starter_client_fork is given where there is no whole recording
 */

#include "cli/starter/serve.h"

/* A starter_client_serve_fn. @context: struct preparation. */
static inline void serve_preparation(void *context, int socket, int command)
{
	starter_serve(context, socket, command);
}
