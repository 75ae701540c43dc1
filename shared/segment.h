/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * segment - the format of the files in which tidemark-spool keeps reports on the host
 *
 * Shape      a folder of files FIRST.segment, FIRST in 20 decimal digits: the sequence of the first
 *            record. A file is a header, a copy of it at TM_SEGMENT_COPY_AT, and from header_bytes
 *            on records, each at a multiple of 8: a tm_segment_record, then its body, then zeros.
 *            Files are appended to by one process, and never again once it has ended.
 * Records    REPORT: the body is one request of OTLP (ExportProfilesServiceRequest), as it is sent.
 *            Sequences rise from report to report, through all files; the first is 1.
 *            DELIVERED: no body; the reports `sequence` to `last_sequence`, which may lie in an
 *            older file, have their final answer. Reports are sent in their order, so all before
 *            them have one, too. Other kinds of this version are skipped.
 * Shares     who fills much of the reports has a share of his own (spool.h). The reports of a file
 *            are of one share, so that its history goes without anybody else's.
 * Times      ns. A ktime is CLOCK_MONOTONIC of the file's boot; an offset, added to a ktime, gives
 *            that time in another clock, as it stood at the report's end. created_unix_ns is only
 *            informative.
 * Digests    SHA-256. Each record has one of its header, so that a damaged body does not hide the
 *            records behind it, and one of header and body. Both begin with the file's salt, which
 *            is random, and the record names its own offset: what a program under observation
 *            puts into a report cannot pass for a record.
 * Versions   TM_SEGMENT_VERSION and older ones are read, newer ones refused. In version 1 there is
 *            one share.
 * Trust      a file is taken for hostile: whatever was read is checked here before it is used.
 * Bytes      in the order of the host, little-endian.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/sha256.h"

#define TM_SEGMENT_MAGIC            "TMSEGMT\n"
#define TM_SEGMENT_MAGIC_BYTES      8
#define TM_SEGMENT_VERSION          2u
#define TM_SEGMENT_ID_BYTES         16
#define TM_SEGMENT_RECORD_MAGIC     0x7064724du /* "Mrdp" */
#define TM_SEGMENT_ALIGN            8u
#define TM_SEGMENT_COPY_AT          4096u       /* another block of the disk than the header */
#define TM_SEGMENT_BYTES_MAX        (64u << 20) /* of a file */
#define TM_SEGMENT_BODY_MAX         (16u << 20) /* as of a request: exporter.h */
#define TM_SEGMENT_UNCOMPRESSED_MAX (64u << 20)
#define TM_SEGMENT_SEQUENCE_MAX     ((uint64_t)INT64_MAX)
#define TM_SEGMENT_SHARES           8u
#define TM_SEGMENT_SHARE_SHIFT      8 /* in the flags of a REPORT */
#define TM_SEGMENT_SHARE_MASK       ((TM_SEGMENT_SHARES - 1) << TM_SEGMENT_SHARE_SHIFT)
#define TM_SEGMENT_NAME_BYTES       (20 + sizeof(".segment")) /* the NUL included */

enum tm_segment_kind {
	TM_SEGMENT_REPORT = 1,
	TM_SEGMENT_DELIVERED = 2,
};

enum tm_segment_flag {
	TM_SEGMENT_GZIP = 1 << 0,  /* the body is gzip; else body_bytes == uncompressed_bytes */
	TM_SEGMENT_LOCAL = 1 << 1, /* there was nobody to send the report to: it stays here */
};

struct tm_segment_header { /* in the file, twice */
	char magic[TM_SEGMENT_MAGIC_BYTES];
	uint32_t version;
	uint32_t header_bytes; /* where records begin: behind the copy, a multiple of 8 */
	uint64_t first_sequence;
	uint64_t created_unix_ns;
	uint8_t machine_id[TM_SEGMENT_ID_BYTES]; /* zeros: unknown */
	uint8_t boot_id[TM_SEGMENT_ID_BYTES];
	uint8_t salt[TM_SEGMENT_ID_BYTES];
	uint8_t digest[TM_SHA256_BYTES]; /* of what is above */
};

struct tm_segment_record { /* in the file, before a body */
	uint32_t magic;
	uint16_t kind;   /* enum tm_segment_kind */
	uint16_t flags;  /* enum tm_segment_flag, and the share */
	uint64_t offset; /* of this record in its file */
	uint64_t sequence;
	uint64_t last_sequence; /* of a DELIVERED; else == sequence */
	uint64_t body_bytes;    /* as in the file, without the zeros behind it */
	uint64_t uncompressed_bytes;
	uint64_t samples; /* in the body */
	uint64_t start_ktime;
	uint64_t end_ktime;
	int64_t boottime_offset;                /* CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	int64_t realtime_offset;                /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	uint8_t body_digest[TM_SHA256_BYTES];   /* of salt, what is above, and the body */
	uint8_t header_digest[TM_SHA256_BYTES]; /* of salt, and all that is above */
};

_Static_assert(sizeof(struct tm_segment_header) == 112, "layout");
_Static_assert(sizeof(struct tm_segment_record) == 152, "layout");

/* Where records begin in the files of this version. */
#define TM_SEGMENT_HEADER_BYTES (TM_SEGMENT_COPY_AT + sizeof(struct tm_segment_header))

/* Why a file, or a part of it, is not used. X(upper, text) */
#define TM_SEGMENT_FAULTS(X)                                            \
	X(NO_SEGMENT, "neither header of the file checks")              \
	X(NEWER, "the file was written by a newer version of tidemark") \
	X(TOO_LARGE, "the file is longer than a segment may be")        \
	X(TORN, "the file ends in the middle of a record")              \
	X(HEADER, "no record begins here: its header does not check")   \
	X(BODY, "the body of the record does not match its digest")

enum tm_segment_fault {
#define TM_SEGMENT_FAULT(upper, text) TM_SEGMENT_FAULT_##upper,
	TM_SEGMENT_FAULTS(TM_SEGMENT_FAULT)
#undef TM_SEGMENT_FAULT
	TM_SEGMENT_FAULT_N,
};

/* Return: static text. */
const char *tm_segment_fault_text(enum tm_segment_fault fault);
void tm_segment_name(uint64_t first_sequence, char ret_name[TM_SEGMENT_NAME_BYTES]);
/* Return: whether @name is that of a segment. */
bool tm_segment_parse_name(const char *name, uint64_t *ret_first_sequence);
static inline unsigned tm_segment_record_share(const struct tm_segment_record *record)
{
	return (record->flags & TM_SEGMENT_SHARE_MASK) >> TM_SEGMENT_SHARE_SHIFT;
}

/* What a record with such a body takes in the file. */
uint64_t tm_segment_record_bytes(uint64_t body_bytes);

/* Completes magic, version, header_bytes and digest. */
void tm_segment_header_seal(struct tm_segment_header *header);
/* Return: 0; TM_SEGMENT_FAULT_NO_SEGMENT, TM_SEGMENT_FAULT_NEWER in *ret_fault and -EBADMSG. */
int tm_segment_header_check(const struct tm_segment_header *header,
			    enum tm_segment_fault *ret_fault);
/* Completes magic and digests. @body: of body_bytes. */
void tm_segment_record_seal(struct tm_segment_record *record, const struct tm_segment_header *of,
			    const void *body);
/* Whether @record was written at @offset of that file. Its kind may be unknown. */
bool tm_segment_record_check(const struct tm_segment_record *record,
			     const struct tm_segment_header *of, uint64_t offset);
/* @record: checked. */
bool tm_segment_body_check(const struct tm_segment_record *record,
			   const struct tm_segment_header *of, const void *body);
