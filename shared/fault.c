/* SPDX-License-Identifier: Apache-2.0 */
/* fault - keeps the first reason why a program cannot go on */

#include "shared/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int tm_fault_set(struct tm_fault *fault, int code, const char *format, ...)
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

int tm_fault_check(struct tm_fault *fault, int code, int r, const char *what)
{
	return r < 0 ? tm_fault_set(fault, code, "%s: %s", what, strerror(-r)) : 0;
}
