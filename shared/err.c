/* SPDX-License-Identifier: Apache-2.0 */
/* err - the place where an error is born, told to one hook */

#include "shared/err.h"

#include <stddef.h>

/* The one global of the hall: set by main before threads, read-only from then on. */
static tm_err_hook_fn err_hook;

void tm_err_set_hook(tm_err_hook_fn hook)
{
	err_hook = hook;
}

int tm_err_note(const char *file, int line, const char *function, int error)
{
	if (err_hook != NULL)
		err_hook(file, line, function, error);
	return error;
}
