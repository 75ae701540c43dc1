/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * root - whether the outermost frame of a chain of frame pointers can be a root
 *
 * The kernel room ends a chain where it meets zero. Code that keeps something else in the frame
 * pointer may have left the zero there, most of all a library in the middle of the stack. So a chain
 * is believed where it ends in code that starts threads or programs, or in the executable itself,
 * which may start its threads as it likes. Any other is cut: reason `frame_pointer`.
 */

#include "symbolizer/report.h"

/*
 * @name: of the outermost user frame; @in_executable: it lies in its process' executable, or that is
 * not known. Return: enum tm_stop, TM_STOP_NONE if believed.
 */
unsigned root_stop(const char *name, int in_executable);
