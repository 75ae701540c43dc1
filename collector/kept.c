/* SPDX-License-Identifier: Apache-2.0 */
/* kept - the descriptors that systemd keeps, so that sampling goes on when the collector ends */

#include "collector/kept.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "shared/cleanup.h"
#include "shared/control.h"
#include "shared/fdpass.h"
#include "shared/region.h"

#define FNV_PRIME 0x100000001b3ull

int kept_parse(struct kept *kept, const char *text)
{
	struct kept_one *one = &kept->all[kept->count];
	char kind, end;

	if (kept->count == KEPT_MAX ||
	    sscanf(text, "%c%" SCNx64 ":%d%c", &kind, &one->index, &one->fd, &end) != 3)
		return -EINVAL;
	one->kind = (enum kept_kind)kind;
	kept->count++;
	return 0;
}

uint64_t kept_digest(uint64_t digest, const void *bytes, size_t count)
{
	for (const uint8_t *at = bytes; count > 0; at++, count--)
		digest = (digest ^ *at) * FNV_PRIME;
	return digest;
}

static void send(const struct kept *kept, enum tm_control_kind kind, const struct kept_one *one)
{
	struct tm_control message = {.kind = kind};

	if (kept->command < 0)
		return;
	(void)snprintf(message.body.text, sizeof(message.body.text), "%c%" PRIx64, (char)one->kind,
		       one->index);
	(void)tm_fdpass_send(kept->command, &message, sizeof(message), one->fd, 0);
}

void kept_keep(const struct kept *kept, enum kept_kind kind, uint64_t index, int fd)
{
	const struct kept_one one = {kind, index, fd};

	if (fd >= 0)
		send(kept, TM_CONTROL_KEEP, &one);
}

void kept_drop(const struct kept *kept, enum kept_kind kind, uint64_t index)
{
	const struct kept_one one = {kind, index, -1};

	send(kept, TM_CONTROL_DROP, &one);
}

/* The next collector begins anew. */
static void drop_all(struct kept *kept)
{
	for (unsigned i = 0; i < kept->count; i++) {
		kept_drop(kept, kept->all[i].kind, kept->all[i].index);
		kept->all[i].fd = tm_close(kept->all[i].fd);
	}
	kept->count = 0;
}

void kept_begin(struct kept *kept, int command, uint64_t layout)
{
	kept->command = command;
	kept->layout = layout;
	kept->layout_fd = kept_take(kept, KEPT_LAYOUT, layout);
	kept->adopted = kept->layout_fd >= 0;
	if (kept->adopted) {
		kept_drop(kept, KEPT_LAYOUT, layout);
		return;
	}
	kept->interrupted = kept->count > 0;
	kept->last_ring = kept_take(kept, KEPT_SHARED, kept_last(kept, KEPT_SHARED));
	drop_all(kept);
	kept->layout_fd = tm_region_reserve("tidemark-layout", /* bytes= */ 1);
}

/* Return: NULL: there is none, or it was taken. */
static const struct kept_one *find(const struct kept *kept, enum kept_kind kind, uint64_t index)
{
	for (unsigned i = 0; i < kept->count; i++)
		if (kept->all[i].kind == kind && kept->all[i].index == index &&
		    kept->all[i].fd >= 0)
			return &kept->all[i];
	return NULL;
}

int kept_look(const struct kept *kept, enum kept_kind kind, uint64_t index)
{
	const struct kept_one *one = find(kept, kind, index);

	return one ? one->fd : -1;
}

int kept_take(struct kept *kept, enum kept_kind kind, uint64_t index)
{
	const struct kept_one *one = find(kept, kind, index);

	return one ? TM_TAKE_FD(kept->all[one - kept->all].fd) : -1;
}

uint64_t kept_last(const struct kept *kept, enum kept_kind kind)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < kept->count; i++)
		if (kept->all[i].kind == kind && kept->all[i].index > last)
			last = kept->all[i].index;
	return last;
}
