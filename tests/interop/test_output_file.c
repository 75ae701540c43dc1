/* SPDX-License-Identifier: Apache-2.0 */
/* test_output_file - buffered writing, JSON strings, and what happens when the descriptor fails */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "symbolizer/output/output_file.h"

static struct output_file out;

static int memory_file(void)
{
	int fd = memfd_create("out", MFD_CLOEXEC);

	assert_true(fd >= 0);
	output_file_init(&out, fd);
	return fd;
}

static void assert_written(int fd, const char *wanted)
{
	char found[4096] = "";

	assert_int_equal(output_file_finish(&out), 0);
	assert_int_equal(pread(fd, found, sizeof(found) - 1, 0), strlen(wanted));
	assert_string_equal(found, wanted);
	assert_int_equal(out.written, strlen(wanted));
}

static void parts_come_out_in_order(void **state)
{
	_cleanup_(tm_closep) int fd = memory_file();

	output_file_text(&out, "a");
	output_file_number(&out, 0);
	output_file_number(&out, UINT64_MAX);
	output_file_format(&out, "%s-%d", "b", 7);
	output_file_bytes(&out, "c", 1);
	assert_written(fd, "a018446744073709551615b-7c");
}

static void json_strings_are_safe_inside_a_script(void **state)
{
	_cleanup_(tm_closep) int fd = memory_file();

	output_file_json_string(&out, "</script><!-- & \"\\ \n\t\x01\x7f");
	output_file_json_string(&out, "");
	output_file_json_string(&out, "a\xe2\x80\xa8"
				      "b\xe2\x80\xa9"
				      "c\xe2\x80\xaa"
				      "d\xf0\x9f\x8c\x8a");
	assert_written(fd, "\"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u0022\\u005c "
			   "\\u000a\\u0009\\u0001\\u007f\"\"\""
			   "\"a\\u2028b\\u2029c\xe2\x80\xaa"
			   "d\xf0\x9f\x8c\x8a\"");
}

static void a_string_cut_within_a_character_is_not_read_past(void **state)
{
	_cleanup_(tm_closep) int fd = memory_file();

	output_file_json_string(&out, "\xe2");
	output_file_json_string(&out, "\xe2\x80");
	assert_written(fd, "\"\xe2\"\"\xe2\x80\"");
}

/* Pieces of every size around the buffer's, so that its end is crossed in every way. */
static void nothing_is_lost_at_the_end_of_the_buffer(void **state)
{
	static char piece[3 * OUTPUT_FILE_BUFFER_BYTES];
	static const size_t sizes[] = {1,
				       OUTPUT_FILE_BUFFER_BYTES - 1,
				       OUTPUT_FILE_BUFFER_BYTES,
				       OUTPUT_FILE_BUFFER_BYTES + 1,
				       5,
				       3 * OUTPUT_FILE_BUFFER_BYTES,
				       4000};
	_cleanup_(tm_closep) int fd = memory_file();
	uint64_t at = 0;

	for (size_t i = 0; i < 7; i++) {
		memset(piece, 'a' + (int)i, sizes[i]);
		output_file_bytes(&out, piece, sizes[i]);
		output_file_format(&out, "%zu", i);
	}
	assert_int_equal(output_file_finish(&out), 0);
	for (size_t i = 0; i < 7; i++) {
		char found[2];

		assert_int_equal(pread(fd, piece, sizes[i], (off_t)at), sizes[i]);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(piece[j], 'a' + (int)i);
		at += sizes[i];
		assert_int_equal(pread(fd, found, 1, (off_t)at), 1);
		assert_int_equal(found[0], '0' + (int)i);
		at++;
	}
	assert_int_equal(out.written, at);
}

static void text_longer_than_the_buffer_is_refused_by_format(void **state)
{
	static char text[OUTPUT_FILE_BUFFER_BYTES + 1];
	_cleanup_(tm_closep) int fd = memory_file();

	memset(text, 'x', sizeof(text) - 1);
	output_file_format(&out, "%s", text);
	assert_int_equal(output_file_finish(&out), -EMSGSIZE);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
}

static void the_first_error_is_kept_and_ends_the_writing(void **state)
{
	static char much[2 * OUTPUT_FILE_BUFFER_BYTES];
	_cleanup_(tm_closep) int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	output_file_init(&out, fd);
	output_file_bytes(&out, much, sizeof(much));
	assert_int_equal(out.error, -ENOSPC);
	out.fd = -1; /* a later write would fail otherwise */
	output_file_bytes(&out, much, sizeof(much));
	output_file_text(&out, "end");
	assert_int_equal(output_file_finish(&out), -ENOSPC);
	assert_int_equal(out.written, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_come_out_in_order),
		cmocka_unit_test(json_strings_are_safe_inside_a_script),
		cmocka_unit_test(a_string_cut_within_a_character_is_not_read_past),
		cmocka_unit_test(nothing_is_lost_at_the_end_of_the_buffer),
		cmocka_unit_test(text_longer_than_the_buffer_is_refused_by_format),
		cmocka_unit_test(the_first_error_is_kept_and_ends_the_writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
