/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * collector_link - the collector's end of the wire: attaching, files, the kernel table, the end
 *
 * Trust      the collector is taken for hostile: a message of another kind or out of its order ends the
 *            talk, and what was recorded until then is written.
 */

#include "shared/ring.h"
#include "symbolizer/profile/files.h"
#include "symbolizer/names/ksyms.h"

enum peer_state {
	PEER_ATTACHING,
	PEER_ATTACHED,
	PEER_ENDED, /* END: everything is in the ring */
	PEER_GONE,  /* end of file before END */
	PEER_BROKE, /* it broke the form */
};

struct peer {
	int wire; /* borrowed */
	enum peer_state state;
	struct tm_region data;
	struct tm_region page;
	struct files *files;   /* borrowed */
	struct kernel *kernel; /* borrowed */
	uint64_t credit;       /* to give */
	uint64_t expected;     /* descriptors that may still come for what was given */
	int kernel_refused;    /* a kernel table that did not check */
};

void peer_init(struct peer *peer, int wire, struct files *files, struct kernel *kernel);
void peer_deinit(struct peer *peer);
/* Says HELLO, waits for both regions, checks them and begins reading. Return: 0, -EBADMSG, -EPIPE
 * (one of the two went away), -errno. */
int peer_attach(struct peer *peer, int control, struct tm_ring_reader *reader);
/* Takes every message that is there, gives credit. peer->state tells how it went. */
void peer_receive(struct peer *peer);
