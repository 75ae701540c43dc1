/* SPDX-License-Identifier: Apache-2.0 */
/* kallsyms_refresh - reads the kernel's symbols again when an unknown address was sampled */

#include "collector/kallsyms_refresh.h"

#include "shared/cleanup.h"
#include "shared/clock.h"

static bool is_due(const struct kallsyms_refresh *refresh, uint64_t now_ms)
{
	uint64_t pages = refresh->symbols->unknown_pages, wait_ms = KALLSYMS_REFRESH_MS;

	if (!(pages & ~refresh->vain))
		wait_ms <<= refresh->doublings;
	return pages && (!refresh->begun_ms || now_ms >= refresh->begun_ms + wait_ms);
}

/* Return: 0, -errno. */
static int begin(struct kallsyms_refresh *refresh, uint64_t now_ms)
{
	uint64_t now = tm_clock_ns();

	refresh->fd = refresh->open(refresh->context);
	refresh->asked = refresh->symbols->unknown_pages;
	refresh->symbols->unknown_pages = 0;
	refresh->begun_ms = now_ms;
	return refresh->fd < 0 ? refresh->fd : kallsyms_begin(refresh->symbols, now);
}

/* Return: 0, KALLSYMS_E_END, -errno. */
static int read_slice(struct kallsyms_refresh *refresh)
{
	uint64_t from = tm_clock_ns();
	int r;

	do {
		r = kallsyms_read(refresh->symbols, refresh->fd);
	} while (r == 0 && tm_clock_ns() - from < KALLSYMS_REFRESH_SLICE_NS);
	return r;
}

bool kallsyms_refresh_advance(struct kallsyms_refresh *refresh, uint64_t now_ms)
{
	unsigned more;
	int r;

	if (refresh->fd < 0 && !is_due(refresh, now_ms))
		return false;
	r = refresh->fd < 0 ? begin(refresh, now_ms) : read_slice(refresh);
	if (r == 0)
		return false;
	refresh->fd = tm_close(refresh->fd);
	if (r == KALLSYMS_E_END)
		r = kallsyms_seal(refresh->symbols);
	refresh->vain = r == 0 ? 0 : refresh->vain | refresh->asked;
	more = refresh->doublings + (refresh->doublings < KALLSYMS_REFRESH_DOUBLINGS);
	refresh->doublings = r == 0 ? 0 : more;
	refresh->readings += r >= 0;
	if (r < 0) {
		kallsyms_abort(refresh->symbols);
		refresh->failed++;
		refresh->error = r;
	}
	return r == 0;
}

void kallsyms_refresh_deinit(struct kallsyms_refresh *refresh)
{
	refresh->fd = tm_close(refresh->fd);
}
