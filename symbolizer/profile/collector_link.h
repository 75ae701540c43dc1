/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * collector_link - the connection to the collector: attach, descriptors, kernel symbols, end
 *
 * Again      files that have been handed over can be asked for once more (FILE_AGAIN), also after
 *            END, until collector_link_finish.
 * Trust      the collector is treated as hostile: an unknown or unexpected message ends the
 *            connection, and what was recorded until then is written.
 */

#include "shared/region.h"
#include "shared/ring_reader.h"
#include "symbolizer/profile/files.h"

enum collector_link_state {
	COLLECTOR_LINK_ATTACHING,
	COLLECTOR_LINK_ATTACHED,
	COLLECTOR_LINK_ENDED,   /* END arrived: every record is in the ring */
	COLLECTOR_LINK_GONE,    /* it closed the socket before END */
	COLLECTOR_LINK_INVALID, /* it sent an invalid message */
};

/* An answer to DEBUG_FILE. Takes @fd; -1: there is none. */
typedef void (*collector_link_opened_fn)(void *context, const struct tm_wire *message, int fd);

/* Who asked for a file once more. @value: that of the FILE message. @fd: -1: it was not opened.
 * Return: whether @fd was taken. */
typedef bool (*collector_link_fn)(void *context, uint32_t number, uint64_t value, int fd);

/* Who wants perf maps. @message: a PERF_MAP, not validated. @fd: taken; -1: none. */
typedef void (*collector_link_map_fn)(void *context, const struct tm_wire *message, int fd);

/* Who wants to know what threads do. @message: a THREADS, not validated. @fd: taken; -1: none. */
typedef void (*collector_link_threads_fn)(void *context, const struct tm_wire *message, int fd);

struct collector_link {
	int wire; /* borrowed */
	enum collector_link_state state;
	bool goes_on; /* what it had not handed over when it ends is for the next collector */
	bool begun;   /* there were samples before we attached */
	bool serves;  /* it answers: attached, or END came and we have not finished */
	collector_link_fn reopened; /* NULL: nobody asks but for symbols */
	void *context;              /* of `reopened` */
	collector_link_map_fn map;  /* NULL: nobody */
	void *map_context;
	collector_link_opened_fn opened; /* NULL: nobody asks for debug files */
	void *opened_context;
	collector_link_threads_fn threads; /* NULL: nobody asks what threads do */
	void *threads_context;
	struct tm_region data;
	struct tm_region page;
	struct files *files;    /* borrowed */
	uint64_t unsent_credit; /* not sent to the collector yet */
	uint64_t expected;      /* descriptors that may still arrive for credit that was sent */
	int kernel_table;       /* owned: the table of kernel symbols; -1: none, or taken over */
	int reported;           /* the same: what the symbolizer before us reported (reported.h) */
};

/* @wire: borrowed socket to the collector. */
void collector_link_init(struct collector_link *link, int wire, struct files *files);
void collector_link_deinit(struct collector_link *link);
/*
 * Sends HELLO, waits for both shared memory regions, checks them and initializes @reader.
 * Return: 0, -EBADMSG, -EPIPE (the collector or the command exited), -errno.
 */
/*
 * Before that, and before anything else: waits until the collector has loaded its programs and says
 * how much memory is left for us. @most: what it may say at most. Return: 0, -errno.
 */
int collector_link_memory(int wire, int control, uint64_t most, uint64_t *ret_bytes);
int collector_link_attach(struct collector_link *link, int control, struct tm_ring_reader *reader);
/* Handles the messages that have arrived and sends credit; sets link->state. */
void collector_link_receive(struct collector_link *link);
/* Nothing more is wanted of the collector, which waits for that after END. */
/* A hit is to stand for 2^@shift periods, and the samples of an owner may take @owner_ns. */
void collector_link_set_rate(struct collector_link *link, unsigned shift, uint64_t owner_ns);
void collector_link_finish(struct collector_link *link);
