/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_segment - whole records are read, whatever lies between them, and the rest is named
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "shared/segment_reader.h"
#include "tests/unit/shared/segment_make.h"

#define REPORTS    5u
#define BODY_BYTES 301u /* no multiple of 8 */

struct file {
	struct segment_make make;
	uint64_t at[REPORTS]; /* of the reports 1.. */
};

static void fill_body(uint64_t sequence, uint8_t body[BODY_BYTES])
{
	for (unsigned i = 0; i < BODY_BYTES; i++)
		body[i] = (uint8_t)(i * 31 + sequence);
}

static int begin(void **state)
{
	static struct file file;
	uint8_t body[BODY_BYTES];

	file.make = segment_make_begin(1);
	for (uint64_t i = 0; i < REPORTS; i++) {
		fill_body(i + 1, body);
		file.at[i] = segment_make_report(&file.make, i + 1, body, BODY_BYTES);
	}
	*state = &file;
	return 0;
}

static int end(void **state)
{
	struct file *file = *state;

	return close(file->make.fd);
}

static void flip(const struct file *file, uint64_t at, uint8_t bit)
{
	uint8_t byte;

	assert_int_equal(pread(file->make.fd, &byte, 1, (off_t)at), 1);
	byte ^= (uint8_t)(1u << bit);
	segment_make_write(&file->make, &byte, 1, at);
}

/* Walks the whole file. Return: bit N: report N is there, whole; *ret_faults: parts that are no
 * record. */
static unsigned read_whole(const struct file *file, unsigned *ret_faults,
			   struct tm_segment_reader *ret_last)
{
	struct tm_segment_reader reader;
	struct tm_segment_record record;
	uint8_t body[BODY_BYTES], expected[BODY_BYTES];
	unsigned whole = 0;
	int r = tm_segment_reader_open(&reader, file->make.fd);

	*ret_faults = 0;
	while (r == 0 || r == TM_SEGMENT_E_FAULT) {
		if (r == TM_SEGMENT_E_FAULT) {
			*ret_last = reader;
			(*ret_faults)++;
			if (reader.at == 0)
				return 0; /* the file is refused */
		}
		r = tm_segment_reader_next(&reader, &record);
		if (r != 0 || record.kind != TM_SEGMENT_REPORT)
			continue;
		assert_int_equal(record.body_bytes, BODY_BYTES);
		r = tm_segment_reader_body(&reader, &record, body);
		if (r != 0)
			continue;
		fill_body(record.sequence, expected);
		assert_memory_equal(body, expected, BODY_BYTES);
		assert_int_equal(record.samples, 100 + record.sequence);
		whole |= 1u << record.sequence;
	}
	assert_int_equal(r, TM_SEGMENT_E_END);
	return whole;
}

#define ALL 0x3eu /* reports 1 to 5 */

static void expect(const struct file *file, unsigned whole, unsigned faults)
{
	struct tm_segment_reader reader;
	unsigned found;

	assert_int_equal(read_whole(file, &found, &reader), whole);
	assert_int_equal(found, faults);
}

static void expect_fault(const struct file *file, unsigned whole, enum tm_segment_fault fault,
			 uint64_t at, uint64_t bytes)
{
	struct tm_segment_reader reader = {0};
	unsigned faults;

	assert_int_equal(read_whole(file, &faults, &reader), whole);
	assert_int_equal(faults, 1);
	assert_int_equal(reader.fault, fault);
	assert_int_equal(reader.fault_at, at);
	assert_int_equal(reader.fault_bytes, bytes);
	assert_non_null(tm_segment_fault_text(reader.fault));
}

static void every_report_comes_back_as_it_was_written(void **state)
{
	const struct file *file = *state;
	struct tm_segment_reader reader;
	struct tm_segment_record record;

	expect(file, ALL, 0);
	assert_int_equal(tm_segment_reader_open(&reader, file->make.fd), 0);
	assert_int_equal(reader.header.first_sequence, 1);
	assert_int_equal(reader.header.boot_id[0], 2);
	assert_int_equal(tm_segment_reader_next(&reader, &record), 0);
	assert_int_equal(record.start_ktime, 1000000000);
	assert_int_equal(record.end_ktime, 2000000000);
	assert_int_equal(record.boottime_offset, 7);
	assert_int_equal(record.realtime_offset, 1700000000000000000);
}

static void flipped_bit_of_a_body_costs_that_report_alone(void **state)
{
	const struct file *file = *state;

	flip(file, file->at[2] + sizeof(struct tm_segment_record) + 100, 3);
	expect_fault(file, ALL & ~(1u << 3), TM_SEGMENT_FAULT_BODY, file->at[2],
		     tm_segment_record_bytes(BODY_BYTES));
}

static void flipped_bit_of_a_record_header_costs_that_report_alone(void **state)
{
	const struct file *file = *state;

	for (unsigned at = 0; at < sizeof(struct tm_segment_record); at++) {
		flip(file, file->at[0] + at, at % 8);
		expect_fault(file, ALL & ~(1u << 1), TM_SEGMENT_FAULT_HEADER, file->at[0],
			     tm_segment_record_bytes(BODY_BYTES));
		flip(file, file->at[0] + at, at % 8);
	}
	expect(file, ALL, 0);
}

static void flipped_bit_of_either_file_header_costs_nothing(void **state)
{
	const struct file *file = *state;

	for (unsigned at = 0; at < sizeof(struct tm_segment_header); at++) {
		flip(file, at, at % 8);
		expect(file, ALL, 0);
		flip(file, at, at % 8);
		flip(file, TM_SEGMENT_COPY_AT + at, at % 8);
		expect(file, ALL, 0);
		flip(file, TM_SEGMENT_COPY_AT + at, at % 8);
	}
}

static void file_without_a_header_is_refused(void **state)
{
	const struct file *file = *state;

	flip(file, 0, 0);
	flip(file, TM_SEGMENT_COPY_AT + 60, 0);
	expect_fault(file, 0, TM_SEGMENT_FAULT_NO_SEGMENT, 0, file->make.at);
	assert_int_equal(ftruncate(file->make.fd, 0), 0);
	expect_fault(file, 0, TM_SEGMENT_FAULT_NO_SEGMENT, 0, 0);
}

static void file_that_ends_anywhere_has_all_records_before(void **state)
{
	struct file *file = *state;

	for (uint64_t bytes = file->make.at - 1; bytes >= TM_SEGMENT_HEADER_BYTES; bytes--) {
		unsigned whole = 0;
		uint64_t last = TM_SEGMENT_HEADER_BYTES;

		assert_int_equal(ftruncate(file->make.fd, (off_t)bytes), 0);
		for (unsigned i = 0; i < REPORTS; i++)
			if (file->at[i] + tm_segment_record_bytes(BODY_BYTES) <= bytes) {
				whole |= 1u << (i + 1);
				last = file->at[i] + tm_segment_record_bytes(BODY_BYTES);
			}
		if (bytes == last)
			expect(file, whole, 0);
		else
			expect_fault(file, whole, TM_SEGMENT_FAULT_TORN, last, bytes - last);
	}
}

static void longer_damage_is_one_fault(void **state)
{
	const struct file *file = *state;
	const char zeros[TM_SEGMENT_READER_CHUNK] = {0};
	uint64_t from = file->at[1] + 1, to = file->at[3] + 1;

	segment_make_write(&file->make, zeros, to - from, from);
	expect_fault(file, 1u << 1 | 1u << 5, TM_SEGMENT_FAULT_HEADER, file->at[1],
		     file->at[4] - file->at[1]);
}

static void record_behind_damage_of_any_length_is_found(void **state)
{
	struct file *file = *state;
	uint8_t body[BODY_BYTES];

	/* Around the length of what is read at once, so that a header lies across its end. */
	for (uint64_t gap = TM_SEGMENT_READER_CHUNK - 200; gap < TM_SEGMENT_READER_CHUNK + 40;
	     gap += TM_SEGMENT_ALIGN) {
		assert_int_equal(ftruncate(file->make.fd, (off_t)TM_SEGMENT_HEADER_BYTES), 0);
		file->make.at = TM_SEGMENT_HEADER_BYTES + gap;
		fill_body(1, body);
		(void)segment_make_report(&file->make, 1, body, BODY_BYTES);
		expect_fault(file, 1u << 1, TM_SEGMENT_FAULT_HEADER, TM_SEGMENT_HEADER_BYTES, gap);
	}
}

static void record_of_another_file_or_place_is_none(void **state)
{
	const struct file *file = *state;
	struct tm_segment_record record;
	struct tm_segment_header other = file->make.header;

	assert_int_equal(pread(file->make.fd, &record, sizeof(record), (off_t)file->at[1]),
			 sizeof(record));
	assert_true(tm_segment_record_check(&record, &file->make.header, file->at[1]));
	assert_false(tm_segment_record_check(&record, &file->make.header, file->at[2]));
	other.salt[0] ^= 1;
	assert_false(tm_segment_record_check(&record, &other, file->at[1]));
	/* What a report contains cannot pass for a record, even where its header is lost. */
	segment_make_write(&file->make, &record, sizeof(record), file->at[3] + sizeof(record) + 48);
	flip(file, file->at[3], 0);
	expect(file, ALL & ~(1u << 4), 1);
}

static void newer_version_is_refused_and_says_so(void **state)
{
	struct file *file = *state;
	struct tm_segment_header *header = &file->make.header;
	struct tm_sha256 digest;

	header->version = TM_SEGMENT_VERSION + 1;
	tm_sha256_init(&digest);
	tm_sha256_add(&digest, header, offsetof(struct tm_segment_header, digest));
	tm_sha256_end(&digest, header->digest);
	segment_make_header(&file->make);
	expect_fault(file, 0, TM_SEGMENT_FAULT_NEWER, 0, file->make.at);
}

static void longer_file_than_a_segment_is_refused(void **state)
{
	const struct file *file = *state;

	assert_int_equal(ftruncate(file->make.fd, TM_SEGMENT_BYTES_MAX + 1), 0);
	expect_fault(file, 0, TM_SEGMENT_FAULT_TOO_LARGE, 0, TM_SEGMENT_BYTES_MAX + 1);
}

static void other_kinds_are_skipped(void **state)
{
	struct file *file = *state;
	const struct tm_segment_record fields = {.kind = 77, .flags = 0x8000};
	uint8_t body[BODY_BYTES];

	file->make.at = file->at[4];
	(void)segment_make_append(&file->make, &fields, "other", 5);
	fill_body(5, body);
	(void)segment_make_report(&file->make, 5, body, BODY_BYTES);
	expect(file, ALL, 0);
}

static void range_of_delivered_reports_has_no_body(void **state)
{
	struct file *file = *state;
	struct tm_segment_reader reader;
	struct tm_segment_record record;

	(void)segment_make_delivered(&file->make, 2, 4);
	assert_int_equal(tm_segment_reader_open(&reader, file->make.fd), 0);
	for (unsigned i = 0; i <= REPORTS; i++)
		assert_int_equal(tm_segment_reader_next(&reader, &record), 0);
	assert_int_equal(record.kind, TM_SEGMENT_DELIVERED);
	assert_int_equal(record.sequence, 2);
	assert_int_equal(record.last_sequence, 4);
	assert_int_equal(tm_segment_reader_next(&reader, &record), TM_SEGMENT_E_END);
}

/* Made by hand with valid digests, as an attacker could who knows the salt. */
static void expect_refused(struct file *file, const struct tm_segment_record *fields, size_t bytes)
{
	static char body[64];

	file->make.at = file->at[4];
	(void)segment_make_append(&file->make, fields, body, bytes);
	assert_int_equal(ftruncate(file->make.fd, (off_t)file->make.at), 0);
	expect_fault(file, ALL & ~(1u << 5), TM_SEGMENT_FAULT_HEADER, file->at[4],
		     file->make.at - file->at[4]);
}

static void record_of_an_impossible_form_is_refused_whatever_its_digest(void **state)
{
	struct file *file = *state;
	const struct tm_segment_record good = {.kind = TM_SEGMENT_REPORT,
					       .sequence = 5,
					       .last_sequence = 5,
					       .uncompressed_bytes = 8};
	struct tm_segment_record bad = good;

	bad.sequence = bad.last_sequence = 0;
	expect_refused(file, &bad, 8);
	bad.sequence = bad.last_sequence = TM_SEGMENT_SEQUENCE_MAX + 1;
	expect_refused(file, &bad, 8);
	bad = good;
	bad.last_sequence = 6;
	expect_refused(file, &bad, 8);
	bad = good;
	bad.uncompressed_bytes = 9;
	expect_refused(file, &bad, 8);
	bad.flags = TM_SEGMENT_GZIP;
	bad.uncompressed_bytes = TM_SEGMENT_UNCOMPRESSED_MAX + 1;
	expect_refused(file, &bad, 8);
	bad = good;
	bad.flags = 4;
	expect_refused(file, &bad, 8);
	bad = good;
	bad.uncompressed_bytes = 0;
	expect_refused(file, &bad, 0);
	bad = good;
	bad.start_ktime = 2;
	bad.end_ktime = 1;
	expect_refused(file, &bad, 8);
	bad = good;
	bad.kind = TM_SEGMENT_DELIVERED;
	expect_refused(file, &bad, 8);
	bad.last_sequence = 4;
	expect_refused(file, &bad, 0);
}

static void names_sort_like_sequences_and_others_are_no_segments(void **state)
{
	char name[TM_SEGMENT_NAME_BYTES];
	uint64_t sequence = 0;

	tm_segment_name(INT64_MAX, name);
	assert_string_equal(name, "09223372036854775807.segment");
	assert_true(tm_segment_parse_name(name, &sequence));
	assert_int_equal(sequence, INT64_MAX);
	tm_segment_name(42, name);
	assert_string_equal(name, "00000000000000000042.segment");
	assert_true(tm_segment_parse_name(name, &sequence));
	assert_int_equal(sequence, 42);
	assert_false(tm_segment_parse_name("00000000000000000000.segment", &sequence));
	assert_false(tm_segment_parse_name("09223372036854775808.segment", &sequence));
	assert_false(tm_segment_parse_name("0000000000000000004x.segment", &sequence));
	assert_false(tm_segment_parse_name("42.segment", &sequence));
	assert_false(tm_segment_parse_name("00000000000000000042.segmenu", &sequence));
	assert_false(tm_segment_parse_name("", &sequence));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(every_report_comes_back_as_it_was_written),
		TEST(flipped_bit_of_a_body_costs_that_report_alone),
		TEST(flipped_bit_of_a_record_header_costs_that_report_alone),
		TEST(flipped_bit_of_either_file_header_costs_nothing),
		TEST(file_without_a_header_is_refused),
		TEST(file_that_ends_anywhere_has_all_records_before),
		TEST(longer_damage_is_one_fault),
		TEST(record_behind_damage_of_any_length_is_found),
		TEST(record_of_another_file_or_place_is_none),
		TEST(newer_version_is_refused_and_says_so),
		TEST(longer_file_than_a_segment_is_refused),
		TEST(other_kinds_are_skipped),
		TEST(range_of_delivered_reports_has_no_body),
		TEST(record_of_an_impossible_form_is_refused_whatever_its_digest),
		TEST(names_sort_like_sequences_and_others_are_no_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
