/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_response - what is read from answers, from those that are cut, too long or no protobuf
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "symbolizer/exporter/response.h"

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

static struct response response;

static void a_partial_success_is_read(void **state)
{
	assert_int_equal(response_parse_success(BYTES("\x0a\x07\x08\xac\x02\x12\x02no"), &response),
			 0);
	assert_int_equal(response.rejected, 300);
	assert_string_equal(response.message, "no");
}

static void a_full_success_is_read(void **state)
{
	assert_int_equal(response_parse_success(BYTES(""), &response), 0);
	assert_int_equal(response.rejected, 0);
	assert_string_equal(response.message, "");
	/* What the collector answers: a partial success that is empty. */
	assert_int_equal(response_parse_success(BYTES("\x0a\x00"), &response), 0);
	assert_int_equal(response.rejected, 0);
}

static void unknown_fields_are_skipped(void **state)
{
	assert_int_equal(response_parse_success(BYTES("\x10\x05\x19"
						      "12345678"
						      "\x25"
						      "1234"
						      "\x0a\x04\x1a\x00\x08\x07"
						      "\x32\x03xyz"),
						&response),
			 0);
	assert_int_equal(response.rejected, 7);
}

static void fields_of_another_type_are_skipped(void **state)
{
	assert_int_equal(
		response_parse_success(BYTES("\x08\x05\x0a\x05\x0a\x01x\x10\x05"), &response), 0);
	assert_int_equal(response.rejected, 0);
	assert_string_equal(response.message, "");
}

static void a_negative_number_rejects_nothing(void **state)
{
	assert_int_equal(
		response_parse_success(
			BYTES("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), &response),
		0);
	assert_int_equal(response.rejected, 0);
}

static void an_error_has_a_message(void **state)
{
	assert_int_equal(response_parse_error(BYTES("\x08\x03\x12\x04nope"), &response), 0);
	assert_string_equal(response.message, "nope");
	assert_int_equal(response.rejected, 0);
}

static void a_message_is_cut_and_cleaned(void **state)
{
	uint8_t bytes[4096 + 3] = {0x12, 0x80, 0x20}; /* field 2 of 4096 bytes */

	memset(bytes + 3, 'x', 4096);
	memcpy(bytes + 3, "\n\x1b[1m\0\xff\xe2\x80\xa8", 10);
	assert_int_equal(response_parse_error(bytes, sizeof(bytes), &response), 0);
	assert_int_equal(strlen(response.message), RESPONSE_MESSAGE_BYTES - 1);
	assert_memory_equal(response.message, "__[1m_\xef\xbf\xbd_xxx", 13);
	/* Not in the middle of a character. */
	for (size_t i = 0; i < 4096; i += 2)
		memcpy(bytes + 3 + i, "\xc3\xa4", 2);
	assert_int_equal(response_parse_error(bytes, sizeof(bytes), &response), 0);
	assert_int_equal(strlen(response.message), RESPONSE_MESSAGE_BYTES - 2);
	assert_memory_equal(response.message + RESPONSE_MESSAGE_BYTES - 4, "\xc3\xa4", 3);
}

static void a_text_ends_before_its_last_line_break(void **state)
{
	response_take_text(BYTES("404 not\nfound\r\n\n"), &response);
	assert_string_equal(response.message, "404 not_found");
	response_take_text(BYTES("\n"), &response);
	assert_string_equal(response.message, "");
}

static void what_is_no_protobuf_is_refused(void **state)
{
	const struct {
		const uint8_t *bytes;
		size_t count;
	} bad[] = {
		{BYTES("\x0a")},
		{BYTES("\x0a\x05xx")},
		{BYTES("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x")},
		{BYTES("\x0a\x80")},
		{BYTES("\x02\x00")}, /* field 0 */
		{BYTES("\x0b\x0c")}, /* a group */
		{BYTES("\x0f\x00")}, /* no such type */
		{BYTES("\x11"
		       "1234567")}, /* 7 of 8 bytes */
		{BYTES("\x15"
		       "123")},          /* 3 of 4 */
		{BYTES("\x0a\x01\x08")}, /* cut inside */
		{BYTES("\x0a\x02\x12\x05"
		       "hello")}, /* a part longer than the whole */
		{BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")}, /* 65 bits */
		{BYTES("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01")},
		{BYTES("\x80\x80\x80\x80\x80\x80\x01\x00")}, /* a number of 42 bits */
		{BYTES("\x0a\x03\x12\x01x\xff")},
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&response, 'x', sizeof(response));
		if (response_parse_success(bad[i].bytes, bad[i].count, &response) != -EBADMSG)
			fail_msg("%u was taken", i);
		assert_int_equal(response.rejected, 0);
		assert_string_equal(response.message, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_partial_success_is_read),
		cmocka_unit_test(a_full_success_is_read),
		cmocka_unit_test(unknown_fields_are_skipped),
		cmocka_unit_test(fields_of_another_type_are_skipped),
		cmocka_unit_test(a_negative_number_rejects_nothing),
		cmocka_unit_test(an_error_has_a_message),
		cmocka_unit_test(a_message_is_cut_and_cleaned),
		cmocka_unit_test(a_text_ends_before_its_last_line_break),
		cmocka_unit_test(what_is_no_protobuf_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
