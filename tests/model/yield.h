/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * yield - a place to be interrupted at each atomic operation of code compiled with
 * -fsanitize=thread
 */

typedef void (*yield_fn)(void);

/* Called at each of them, but never from within itself. NULL: nothing is. */
void yield_set(yield_fn hook);
/* The same at a place of one's own. */
void yield_now(void);
