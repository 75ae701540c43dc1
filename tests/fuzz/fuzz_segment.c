/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_segment - a hostile segment: whole reports come back as they were written, others not at all
 *
 * The first byte says what the rest is: the file itself, or changes to a valid file. A change has
 * three bytes: an offset of 16 bits, and the value that is exclusive-ored there.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "shared/segment_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/shared/segment_make.h"

#define REPORTS    6u
#define CHANGE     3u
#define BODY_BYTES 77u /* of the first report; each is as long and a bit */
#define FILE_MAX   (64u << 10)

struct file {
	struct segment_make make;
	uint64_t at[REPORTS + 1];
	bool changed[REPORTS]; /* the report's bytes; those of the zeros behind it aside */
	bool headers[2];       /* the same of the two headers of the file */
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static size_t body_of(uint64_t sequence, uint8_t ret_body[2 * BODY_BYTES])
{
	size_t bytes = BODY_BYTES + sequence;

	for (size_t i = 0; i < bytes; i++)
		ret_body[i] = (uint8_t)(i * 13 + sequence);
	return bytes;
}

static void fill(struct file *file)
{
	uint8_t body[2 * BODY_BYTES];

	for (uint64_t i = 0; i < REPORTS; i++) {
		size_t bytes = body_of(i + 1, body);

		file->at[i] = segment_make_report(&file->make, i + 1, body, bytes);
	}
	file->at[REPORTS] = file->make.at;
}

static void note_change(struct file *file, uint64_t at)
{
	const size_t header = sizeof(file->make.header);

	file->headers[0] |= at < header;
	file->headers[1] |= at >= TM_SEGMENT_COPY_AT && at < TM_SEGMENT_COPY_AT + header;
	for (unsigned i = 0; i < REPORTS; i++)
		file->changed[i] |= at >= file->at[i] && at < file->at[i + 1];
}

static void change(struct file *file, const uint8_t *data, size_t bytes)
{
	for (; bytes >= CHANGE; data += CHANGE, bytes -= CHANGE) {
		uint64_t at = ((uint64_t)data[0] | (uint64_t)data[1] << 8) % file->make.at;
		uint8_t byte;

		must(pread(file->make.fd, &byte, 1, (off_t)at) == 1);
		byte ^= data[2];
		segment_make_write(&file->make, &byte, 1, at);
		note_change(file, at);
	}
}

/* Return: whether it is whole. */
static bool read_report(struct tm_segment_reader *reader, const struct tm_segment_record *record)
{
	static uint8_t body[FILE_MAX];

	must(record->body_bytes <= sizeof(body));
	return tm_segment_reader_body(reader, record, body) == 0;
}

/* Return: bit N: report N is whole. */
static unsigned walk(int fd)
{
	struct tm_segment_reader reader;
	struct tm_segment_record record;
	uint64_t before = 0;
	unsigned whole = 0;
	int r = tm_segment_reader_open(&reader, fd);

	if (r == TM_SEGMENT_E_FAULT)
		return 0;
	while (r != TM_SEGMENT_E_END) {
		r = tm_segment_reader_next(&reader, &record);
		must(r >= 0);
		must(r == TM_SEGMENT_E_END || reader.at > before);
		before = reader.at;
		if (r == 0 && record.kind == TM_SEGMENT_REPORT && read_report(&reader, &record))
			whole |= 1u << (record.sequence & 31);
	}
	return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct file file = {.make = segment_make_begin(1)};
	unsigned whole;

	if (bytes && data[0] & 1) {
		bytes = bytes < FILE_MAX ? bytes : FILE_MAX;
		segment_make_write(&file.make, data + 1, bytes - 1, 0);
		(void)walk(file.make.fd);
	} else {
		fill(&file);
		change(&file, data + (bytes > 0), bytes ? bytes - 1 : 0);
		whole = walk(file.make.fd);
		for (unsigned i = 0; i < REPORTS; i++)
			must(file.changed[i] || whole & 1u << (i + 1) ||
			     (file.headers[0] && file.headers[1]));
	}
	(void)close(file.make.fd);
	return 0;
}
