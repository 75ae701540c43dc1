/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kept - the descriptors that systemd keeps, so that sampling goes on when the collector ends
 *
 * Shape      each has a name: a letter and an index in hexadecimal. The manager of the service puts
 *            them into systemd's store (KEEP of shared/control.h) and hands the next collector what
 *            is there (--kept=NAME:N). As long as they are open the BPF programs stay attached, the
 *            perf events count, and the rings fill.
 * Complete   KEPT_LAYOUT is kept last, and is dropped for as long as a collector takes
 *            the others over: what a collector left that died on the way is not used, and neither
 *            is what another build or other options made, which have another layout.
 * Owner      struct kept owns what was handed over until kept_take; what nobody takes, as maps,
 *            links and programs, is open for the life of the process.
 * Limits     KEPT_MAX descriptors; further ones are refused as an invalid option.
 * Source     FileDescriptorStoreMax= of systemd.service(5).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEPT_MAX     16384 /* FileDescriptorStoreMax= of the unit */
#define KEPT_VERSION 4     /* counted up when the collector's use of these changes */
#define KEPT_DIGEST  0xcbf29ce484222325ull /* of nothing, FNV-1a */

enum kept_kind {             /* the letter before the index */
	KEPT_LAYOUT = 'v',   /* index: digest of build and options */
	KEPT_MAP = 'm',      /* of the BPF object, in its order */
	KEPT_LINK = 'l',     /* likewise, of its programs */
	KEPT_PROGRAM = 'p',  /* likewise: those that are attached */
	KEPT_EVENT = 'e',    /* index: the CPU */
	KEPT_RING = 'r',     /* likewise */
	KEPT_SCRATCH = 's',  /* likewise */
	KEPT_CHUNK = 'c',    /* of unwind tables */
	KEPT_SHARED = 'd',   /* data region of the ring to the symbolizer; counted up */
	KEPT_REPORTED = 'b', /* what the symbolizer said that it reported; counted up */
};

struct kept_one {
	enum kept_kind kind;
	uint64_t index;
	int fd; /* -1: taken */
};

struct kept {
	int command;      /* socket to the manager; -1: nothing is kept */
	bool adopted;     /* the session goes on with what was handed over, */
	bool interrupted; /* or cannot use it */
	int last_ring;    /* where it cannot: the ring of the collector before, -1: none */
	struct tidemark_bpf__bss *variables; /* mapped for good; NULL: not yet */
	uint64_t layout;                     /* kept under this index once all is, */
	/* and this is; systemd keeps a file once only, so this is one of its own, of no content */
	int layout_fd;
	unsigned count;
	struct kept_one all[KEPT_MAX];
};

/* Parses NAME:N of the option. Return: 0, -EINVAL. */
int kept_parse(struct kept *kept, const char *text);
/* Continues a digest. */
uint64_t kept_digest(uint64_t digest, const void *bytes, size_t count);
/* Decides whether to go on with what was handed over; if not, it leaves the store. */
void kept_begin(struct kept *kept, int command, uint64_t layout);
/* Return: the descriptor, which stays kept's; -1: there is none. */
int kept_look(const struct kept *kept, enum kept_kind kind, uint64_t index);
/* Return: the descriptor, the caller's; -1: there is none. */
int kept_take(struct kept *kept, enum kept_kind kind, uint64_t index);
/* Return: the highest index of this kind, 0: there is none. */
uint64_t kept_last(const struct kept *kept, enum kept_kind kind);
/* Has a descriptor kept, which stays the caller's, or no longer kept. Where the manager is gone
 * this does nothing: the session ends then. */
void kept_keep(const struct kept *kept, enum kept_kind kind, uint64_t index, int fd);
void kept_drop(const struct kept *kept, enum kept_kind kind, uint64_t index);
