/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reload_message - checks what came over the reload socket, field by field
 *
 * Trust      any bytes; the caller has copied them. Numbers have the limits of options.h, texts end
 *            within their field; what a text says is checked by report_settings.h.
 */

#include "shared/reload.h"

/* Return: 0, -EBADMSG. */
int reload_message_check(const struct tm_reload *message);
