/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment - the format of the files in which tidemark-spool keeps reports on the host
 */

#include "shared/segment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shared/parse.h"

#define NAME_DIGITS 20

const char *tm_segment_fault_text(enum tm_segment_fault fault)
{
	static const char *const texts[TM_SEGMENT_FAULT_N] = {
#define TM_SEGMENT_FAULT(upper, text) [TM_SEGMENT_FAULT_##upper] = text,
		TM_SEGMENT_FAULTS(TM_SEGMENT_FAULT)
#undef TM_SEGMENT_FAULT
	};

	return texts[fault];
}

void tm_segment_name(uint64_t first_sequence, char ret_name[TM_SEGMENT_NAME_BYTES])
{
	(void)snprintf(ret_name, TM_SEGMENT_NAME_BYTES, "%020" PRIu64 ".segment", first_sequence);
}

bool tm_segment_parse_name(const char *name, uint64_t *ret_first_sequence)
{
	char digits[NAME_DIGITS + 1];

	if (strlen(name) + 1 != TM_SEGMENT_NAME_BYTES ||
	    strcmp(name + NAME_DIGITS, ".segment") != 0)
		return false;
	memcpy(digits, name, NAME_DIGITS);
	digits[NAME_DIGITS] = '\0';
	return tm_parse_number(digits, 1, TM_SEGMENT_SEQUENCE_MAX, ret_first_sequence) == 0;
}

uint64_t tm_segment_record_bytes(uint64_t body_bytes)
{
	return sizeof(struct tm_segment_record) +
	       (body_bytes + TM_SEGMENT_ALIGN - 1) / TM_SEGMENT_ALIGN * TM_SEGMENT_ALIGN;
}

/* --- the header ------------------------------------------------------------------------------- */

static void digest_header(const struct tm_segment_header *header,
			  uint8_t ret_digest[TM_SHA256_BYTES])
{
	struct tm_sha256 digest;

	tm_sha256_init(&digest);
	tm_sha256_add(&digest, header, offsetof(struct tm_segment_header, digest));
	tm_sha256_end(&digest, ret_digest);
}

void tm_segment_header_seal(struct tm_segment_header *header)
{
	memcpy(header->magic, TM_SEGMENT_MAGIC, sizeof(header->magic));
	header->version = TM_SEGMENT_VERSION;
	header->header_bytes = TM_SEGMENT_HEADER_BYTES;
	digest_header(header, header->digest);
}

/* A version may have a longer header; its first fields, and the digest of them, stay. */
int tm_segment_header_check(const struct tm_segment_header *header,
			    enum tm_segment_fault *ret_fault)
{
	uint8_t digest[TM_SHA256_BYTES];

	*ret_fault = TM_SEGMENT_FAULT_NO_SEGMENT;
	digest_header(header, digest);
	if (memcmp(header->magic, TM_SEGMENT_MAGIC, sizeof(header->magic)) != 0 ||
	    memcmp(header->digest, digest, sizeof(digest)) != 0 || header->version == 0)
		return -EBADMSG;
	if (header->version > TM_SEGMENT_VERSION) {
		*ret_fault = TM_SEGMENT_FAULT_NEWER;
		return -EBADMSG;
	}
	if (header->header_bytes < TM_SEGMENT_HEADER_BYTES ||
	    header->header_bytes > TM_SEGMENT_BYTES_MAX ||
	    header->header_bytes % TM_SEGMENT_ALIGN != 0 || header->first_sequence == 0 ||
	    header->first_sequence > TM_SEGMENT_SEQUENCE_MAX)
		return -EBADMSG;
	return 0;
}

/* --- records ---------------------------------------------------------------------------------- */

static void digest_record(const struct tm_segment_record *record, size_t record_bytes,
			  const struct tm_segment_header *of, const void *body, uint64_t body_bytes,
			  uint8_t ret_digest[TM_SHA256_BYTES])
{
	struct tm_sha256 digest;

	tm_sha256_init(&digest);
	tm_sha256_add(&digest, of->salt, sizeof(of->salt));
	tm_sha256_add(&digest, record, record_bytes);
	if (body_bytes)
		tm_sha256_add(&digest, body, body_bytes);
	tm_sha256_end(&digest, ret_digest);
}

static void digest_body(const struct tm_segment_record *record, const struct tm_segment_header *of,
			const void *body, uint8_t ret_digest[TM_SHA256_BYTES])
{
	digest_record(record, offsetof(struct tm_segment_record, body_digest), of, body,
		      record->body_bytes, ret_digest);
}

static void digest_fields(const struct tm_segment_record *record,
			  const struct tm_segment_header *of, uint8_t ret_digest[TM_SHA256_BYTES])
{
	digest_record(record, offsetof(struct tm_segment_record, header_digest), of, NULL, 0,
		      ret_digest);
}

void tm_segment_record_seal(struct tm_segment_record *record, const struct tm_segment_header *of,
			    const void *body)
{
	record->magic = TM_SEGMENT_RECORD_MAGIC;
	digest_body(record, of, body, record->body_digest);
	digest_fields(record, of, record->header_digest);
}

/* What a digest cannot say: a file may be made by anybody. */
static bool is_report(const struct tm_segment_record *record)
{
	bool is_gzip = record->flags & TM_SEGMENT_GZIP;

	return record->last_sequence == record->sequence && record->body_bytes > 0 &&
	       record->uncompressed_bytes > 0 &&
	       record->uncompressed_bytes <= TM_SEGMENT_UNCOMPRESSED_MAX &&
	       (record->flags & ~(TM_SEGMENT_GZIP | TM_SEGMENT_LOCAL | TM_SEGMENT_SHARE_MASK)) ==
		       0 &&
	       (is_gzip || record->uncompressed_bytes == record->body_bytes);
}

static bool has_form(const struct tm_segment_record *record)
{
	if (record->body_bytes > TM_SEGMENT_BODY_MAX)
		return false;
	if (record->kind != TM_SEGMENT_REPORT && record->kind != TM_SEGMENT_DELIVERED)
		return true;
	if (record->sequence == 0 || record->last_sequence < record->sequence ||
	    record->last_sequence > TM_SEGMENT_SEQUENCE_MAX ||
	    record->end_ktime < record->start_ktime)
		return false;
	if (record->kind == TM_SEGMENT_REPORT)
		return is_report(record);
	return record->body_bytes == 0 && record->flags == 0;
}

bool tm_segment_record_check(const struct tm_segment_record *record,
			     const struct tm_segment_header *of, uint64_t offset)
{
	uint8_t digest[TM_SHA256_BYTES];

	if (record->magic != TM_SEGMENT_RECORD_MAGIC || record->offset != offset)
		return false;
	digest_fields(record, of, digest);
	return memcmp(record->header_digest, digest, sizeof(digest)) == 0 && has_form(record);
}

bool tm_segment_body_check(const struct tm_segment_record *record,
			   const struct tm_segment_header *of, const void *body)
{
	uint8_t digest[TM_SHA256_BYTES];

	digest_body(record, of, body, digest);
	return memcmp(record->body_digest, digest, sizeof(digest)) == 0;
}
