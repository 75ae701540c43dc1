/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * debuginfod - the messages between the symbolizer and the process that fetches debug files
 *
 * Shape      a SEQPACKET socket with fixed-size messages. A request names a build id; one RESULT
 *            answers it, with a memfd when its status is DEBUGINFOD_OK. DEBUGINFOD_AT_ONCE requests
 *            may be open.
 * Content    what a server answered, sealed against writing and resizing. This process does not
 *            look into it: whether it is an ELF file with the requested build id is decided by the
 *            parser, and checked by the code that asked (names/debuginfod_client.h).
 * Trust      the process talks to servers, so it is taken for hostile: the form of a message, the
 *            seals and the size are checked by its client, which keeps a deadline.
 */

#include <stdint.h>

#define DEBUGINFOD_AT_ONCE       2u           /* requests */
#define DEBUGINFOD_FILE_MAX      (512u << 20) /* bytes of an answer, and of all under way */
#define DEBUGINFOD_REQUEST_MS    300000       /* from a request to its result, over all servers */
#define DEBUGINFOD_BUILD_ID_MIN  8u           /* bytes; a shorter one is no digest */
#define DEBUGINFOD_BUILD_ID_MAX  64u
#define DEBUGINFOD_SERVERS_MAX   8u
#define DEBUGINFOD_URL_BYTES_MAX 1024u /* of a server, the NUL included */

enum debuginfod_kind {
	DEBUGINFOD_REQUEST = 1,
	DEBUGINFOD_RESULT = 2,
};

enum debuginfod_status {
	DEBUGINFOD_OK = 0,
	DEBUGINFOD_NOT_FOUND, /* every server answered that it has no such file */
	DEBUGINFOD_TOO_LARGE, /* the file is longer than DEBUGINFOD_FILE_MAX */
	DEBUGINFOD_FAILED, /* no server had it, and one could not be asked, or answered nonsense */
	DEBUGINFOD_STATUS_N,
};

struct debuginfod_message {
	uint32_t kind;           /* enum debuginfod_kind */
	uint32_t id;             /* of the request; in a RESULT, of the request it answers */
	uint32_t status;         /* of a RESULT: enum debuginfod_status; 0 in a request */
	uint32_t build_id_bytes; /* 0 in a RESULT */
	uint8_t build_id[DEBUGINFOD_BUILD_ID_MAX];
};
