/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * event_text - writes a record of the shared ring as one line of text
 *
 * S ktime tgid start exec tid flags cpu kernel_frames stop comm frames
 * W as S: the stack of a waker
 * O as S, frames may be `-`, then: state since duration value
 * P ktime tgid start exec tid flags exe_file level ns_tgid mnt_ns own_tgid jitdump_file comm path
 *   cgroup
 * F ktime tgid start exec tid flags number dev ino size mtime_sec mtime_nsec generation ctime_ns
 *   mnt_ns path
 * X ktime tgid start exec tid flags
 * R ktime tgid start exec tid flags number
 * C ktime tgid start exec tid flags published text
 * M ktime tgid start exec tid flags number version first_line method_flags lines_bytes name file
 *   (version hexadecimal, names as in the record)
 * T ktime tgid start exec tid flags seen comm ns (of each state, with commas)
 * M ktime tgid start exec tid flags number flags first_line name_width file_width lines_bytes name
 *   file
 *
 * Numbers are decimal, frames (user's, leaf first) hexadecimal with commas, texts hexadecimal bytes
 * after an `=`; stop and state are names. A path is packed as in the record.
 */

#include <stdio.h>

#include "shared/event.h"

/* @event: whole and checked (shared/event_check.h). Return: 0, -EIO. */
int event_text_write(const struct tm_event *event, FILE *out);
