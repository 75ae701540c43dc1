/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * collector_link - the connection to the collector: attaching, files, the kernel table, the end
 *
 * Trust      the collector is taken for hostile: a message of another kind or out of its order ends
 *            the connection, and what was recorded until then is written.
 */

#include "shared/region.h"
#include "shared/ring.h"
#include "symbolizer/profile/files.h"

enum collector_link_state {
	COLLECTOR_LINK_ATTACHING,
	COLLECTOR_LINK_ATTACHED,
	COLLECTOR_LINK_ENDED, /* END: everything is in the ring */
	COLLECTOR_LINK_GONE,  /* end of file before END */
	COLLECTOR_LINK_BROKE, /* it broke the form */
};

struct collector_link {
	int wire; /* borrowed */
	enum collector_link_state state;
	struct tm_region data;
	struct tm_region page;
	struct files *files; /* borrowed */
	uint64_t credit;     /* to give */
	uint64_t expected;   /* descriptors that may still come for what was given */
	int kernel_table;    /* descriptor of the table of kernel symbols; -1: none, or taken */
};

void collector_link_init(struct collector_link *link, int wire, struct files *files);
void collector_link_deinit(struct collector_link *link);
/* Sends HELLO, waits for both regions, checks them and begins reading. Return: 0, -EBADMSG, -EPIPE
 * (one of the two went away), -errno. */
int collector_link_attach(struct collector_link *link, int control, struct tm_ring_reader *reader);
/* Takes every message that is there, gives credit. link->state tells how it went. */
void collector_link_receive(struct collector_link *link);
