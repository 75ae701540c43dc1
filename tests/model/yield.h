/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * yield - calls a hook at each atomic operation of code that is compiled with
 * -fsanitize=thread
 */

typedef void (*yield_fn)(void);

/* The hook for each operation; it is not called from within itself. NULL: none. */
void yield_set(yield_fn hook);
/* Calls the hook from anywhere. */
void yield_now(void);
