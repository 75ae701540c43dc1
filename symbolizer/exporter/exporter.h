/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter - the messages between the symbolizer and the process that sends reports over OTLP/HTTP
 *
 * Shape      a SEQPACKET socket with fixed-size messages. A SEND comes with one memfd: the finished
 *            body of a request (ExportProfilesServiceRequest). One OUTCOME answers each SEND, when
 *            the body was delivered or given up, not necessarily in the order of the SENDs.
 * Content    sealed against writing and resizing, of exactly body_bytes. This process copies it
 *            once and does not look into it.
 * Flow       SENDs are always read: what is too much drops the oldest bodies. A symbolizer that
 *            leaves its socket full of OUTCOMEs and EXPORTER_OUTCOMES_MAX more loses the oldest.
 * End        the symbolizer shuts down its side for writing (or dies). What is queued is then tried
 *            at once, until a deadline; what is left gets its OUTCOME, and the socket is closed. A
 *            SEND that has no OUTCOME by then: nobody knows whether it was delivered.
 * Trust      each side takes the other for hostile. A message of another form, or a descriptor that
 *            is missing, unsealed or of another size, ends this process.
 * Exit       0: after the end of the socket, whatever was delivered; 1: it could not continue
 *            (above, the sandbox, memory); 2: invalid options.
 */

#include <stdint.h>

#define EXPORTER_BODY_MAX         (16u << 20) /* bytes of a body, as it is sent */
#define EXPORTER_UNCOMPRESSED_MAX (64u << 20) /* bytes; receivers refuse more (OTLP) */
#define EXPORTER_BODIES_MAX       256u        /* that are queued, whatever their size */
#define EXPORTER_OUTCOMES_MAX     1024u       /* that wait to be read, beside those in the socket */

enum exporter_kind {
	EXPORTER_SEND = 1,
	EXPORTER_OUTCOME = 2,
};

enum exporter_flag {
	EXPORTER_GZIP = 1 << 0, /* the body is gzip; else body_bytes == uncompressed_bytes */
};

enum exporter_status {
	EXPORTER_DELIVERED = 0,
	EXPORTER_REJECTED_IN_PART, /* delivered, but `rejected` of its profiles were refused */
	EXPORTER_REFUSED,          /* the receiver's answer, http_status, is final */
	EXPORTER_UNTRUSTED,        /* a certificate is invalid: the receiver's, or one of ours */
	EXPORTER_FAILED,           /* the answer is no HTTP, or the request could not be made */
	EXPORTER_EXPIRED,    /* it was tried again, in vain, until the time for that had passed */
	EXPORTER_QUEUE_FULL, /* younger bodies needed its place */
	EXPORTER_TOO_LARGE,  /* longer than EXPORTER_BODY_MAX, _UNCOMPRESSED_MAX or the queue */
	EXPORTER_LEFT,       /* it was queued when the exporter ended */
	EXPORTER_STATUS_N,
};

struct exporter_message {
	uint32_t kind;               /* enum exporter_kind */
	uint32_t flags;              /* of a SEND: enum exporter_flag; 0 in an OUTCOME */
	uint64_t id;                 /* of the SEND; in an OUTCOME, of the SEND it answers */
	uint64_t body_bytes;         /* of a SEND; 0 in an OUTCOME, as all of a SEND but `id` */
	uint64_t uncompressed_bytes; /* of a SEND */
	uint64_t samples;            /* of a SEND: in the body, for what is printed about it */
	uint64_t rejected;           /* of an OUTCOME: profiles, as the receiver says; else 0 */
	uint32_t status;             /* of an OUTCOME: enum exporter_status; 0 in a SEND */
	uint32_t http_status;        /* of an OUTCOME: of the last answer; 0: there was none */
	uint32_t attempts;           /* of an OUTCOME: requests that were begun */
	uint32_t reserved;           /* 0 */
};
