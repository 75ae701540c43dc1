/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reload - what `tidemark reload` sends to the symbolizer of the service, and what that answers
 *
 * Shape      one struct tm_reload in one packet to the SEQPACKET socket TM_RELOAD_SOCKET, of root
 *            alone; one struct tm_reload_answer back; then the connection is closed. What does not
 *            check is not answered, and nothing of it is taken.
 * Values     each is one that a start of the service would have, and the key of tidemark.conf it
 *            comes from has the same enum tm_reload_value. Some change what runs; the others are
 *            compared with what runs.
 * Trust      the symbolizer takes the sender for hostile: the message is copied once, and each
 *            field is checked (symbolizer/reload_message.h). The command takes the symbolizer for
 *            hostile: it prints its own names of the bits, and refuses bits that have none.
 */

#include <stdint.h>

#define TM_RELOAD_SOCKET         "/run/tidemark/reload.sock"
#define TM_RELOAD_MAGIC          0x31444f4c45524d54ull /* "TMRELOD1" */
#define TM_RELOAD_VERSION        1
#define TM_RELOAD_NAME_BYTES     1024u /* bytes of a name, the NUL included, as the next ones */
#define TM_RELOAD_LABELS_BYTES   4096u
#define TM_RELOAD_GROUPING_BYTES 16u

enum tm_reload_value {
	/* changed in what runs, from the next interval on */
	TM_RELOAD_INTERVAL = 1 << 0,
	TM_RELOAD_CPU_MAX = 1 << 1, /* at once */
	TM_RELOAD_SERVICE_NAME = 1 << 2,
	TM_RELOAD_LABELS = 1 << 3,
	TM_RELOAD_GROUPING = 1 << 4,
	TM_RELOAD_CHANGES = (1 << 5) - 1,
	/* compared with what runs */
	TM_RELOAD_RATE = 1 << 8,
	TM_RELOAD_OFF_CPU = 1 << 9,
	TM_RELOAD_MEMORY = 1 << 10,
	TM_RELOAD_SENDS = 1 << 11,
	TM_RELOAD_KEEPS = 1 << 12,
	TM_RELOAD_RESTARTS = (1 << 13) - (1 << 8),
};

struct tm_reload {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes; /* of this struct */
	uint64_t interval_ms;
	uint64_t hz;
	uint64_t memory_bytes;
	uint32_t cpu_max_ppm; /* 0: no limit */
	uint32_t off_cpu;     /* 0 or 1, as the next ones */
	uint32_t sends;       /* there is an endpoint */
	uint32_t keeps;       /* there is a spool */
	char service_name[TM_RELOAD_NAME_BYTES];
	char labels[TM_RELOAD_LABELS_BYTES]; /* KEY=VALUE,KEY=VALUE */
	char grouping[TM_RELOAD_GROUPING_BYTES];
};

struct tm_reload_answer {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes;   /* of this struct */
	uint32_t changed; /* of TM_RELOAD_CHANGES: these were others until now */
	uint32_t differ;  /* of TM_RELOAD_RESTARTS: what runs has others */
};
