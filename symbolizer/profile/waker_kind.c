/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waker_kind - finds out whether a thread was woken by another one or in an interrupt
 */

#include "symbolizer/profile/waker_kind.h"

#include <stdbool.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_entry(const char *symbol)
{
	return begins(symbol, "asm_common_interrupt") || begins(symbol, "asm_sysvec_");
}

static bool is_softirq(const char *symbol)
{
	return begins(symbol, "handle_softirqs") || begins(symbol, "__do_softirq");
}

/* Return: how many kernel frames are those of the waking itself. */
static uint16_t find_kind(const struct tm_sample *waker, const struct ksyms *kernel,
			  enum waker_kind *ret_kind)
{
	*ret_kind = WAKER_KIND_THREAD;
	for (uint16_t i = 0; i < waker->kernel_frames; i++) {
		const char *symbol = ksyms_frame(kernel, waker->frames[i]);

		if (is_softirq(symbol))
			*ret_kind = WAKER_KIND_SOFTIRQ;
		if (!is_entry(symbol))
			continue;
		if (*ret_kind == WAKER_KIND_THREAD)
			*ret_kind = WAKER_KIND_INTERRUPT;
		return i + 1;
	}
	return waker->kernel_frames;
}

void waker_kind_set(struct tm_sample *waker, const struct ksyms *kernel)
{
	enum waker_kind kind;
	uint16_t frames = find_kind(waker, kernel, &kind);

	waker->state = (uint8_t)kind;
	if (kind == WAKER_KIND_THREAD)
		return;
	memset(waker->comm, 0, sizeof(waker->comm));
	waker->user_frames = 0;
	waker->user_stop = TM_STOP_NONE;
	if (frames < waker->kernel_frames)
		waker->kernel_stop = TM_STOP_NONE;
	waker->kernel_frames = frames;
	waker->event.bytes = (uint32_t)(sizeof(*waker) + 8u * frames);
}
