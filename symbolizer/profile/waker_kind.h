/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * waker_kind - finds out whether a thread was woken by another one or in an interrupt
 *
 * The kernel frames say it: below an interrupt's entry all frames are those of the thread that it
 * interrupted, which has nothing to do with the waking. BPF programs without CAP_SYS_ADMIN cannot
 * ask the kernel on every version.
 * Names      of x86-64: asm_common_interrupt and asm_sysvec_* (arch/x86/include/asm/idtentry.h);
 *            handle_softirqs, which was __do_softirq before 6.10 (kernel/softirq.c). Without a
 *            table of symbols every waker is taken for a thread.
 */

#include "shared/event.h"
#include "symbolizer/base/ksyms.h"

enum waker_kind {
	WAKER_KIND_THREAD = 0,
	WAKER_KIND_INTERRUPT,
	WAKER_KIND_SOFTIRQ,
};

/*
 * Writes the kind into `state`. Of a waker in an interrupt the thread's name, its user frames and
 * the kernel frames of what was interrupted are left out. @waker: its `bytes` shrink.
 */
void waker_kind_set(struct tm_sample *waker, const struct ksyms *kernel);
