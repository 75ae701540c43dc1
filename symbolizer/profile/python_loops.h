/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * python_loops - gives each loop of an old CPython the function that it runs
 *
 * To 3.10 a thread has a list of functions, one for each frame of the evaluation loop in its stack.
 * The first loop enters its function into that list when it has begun, and takes it out before it
 * returns. In between the list is shorter by one: the unwinder, which pairs from the first one on,
 * gives each loop the function of its caller, and finds none for the last one, which it marks
 * (TM_RUNTIME_PLACE_LATE of shared/runtime.h).
 */

#include "shared/event.h"

/* Moves the functions of a checked sample to their loops, if one is marked. The first loop then has
 * none, as where it is the only one. */
void python_loops_settle(struct tm_sample *sample);
