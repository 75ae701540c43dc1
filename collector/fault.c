/* SPDX-License-Identifier: Apache-2.0 */
/* fault - keeps the first reason */

#include "collector/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int fault_set(struct fault *fault, int code, const char *format, ...)
{
	va_list arguments;

	if (fault->code)
		return -ECANCELED;
	fault->code = code;
	va_start(arguments, format);
	(void)vsnprintf(fault->text, sizeof(fault->text), format, arguments);
	va_end(arguments);
	return -ECANCELED;
}
