/* SPDX-License-Identifier: Apache-2.0 */
/* problem - the sentence about what is wrong with a command line */

#include "cli/problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "cli/terminal.h"

int problem_write(char *ret_problem, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(ret_problem, PROBLEM_BYTES, format, arguments);
	va_end(arguments);
	terminal_clean(ret_problem, PROBLEM_BYTES);
	return PROBLEM_E_USAGE;
}
