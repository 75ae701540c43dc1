/* SPDX-License-Identifier: Apache-2.0 */
/* test_terminal - cleans hostile text in place, for a terminal */

#include "tests/unit/cli/check.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/terminal.h"

static void plain_text_is_unchanged(void **state)
{
	char text[32] = "a <b> \xc3\xa4 \xe2\x82\xac";
	char same[32];

	memcpy(same, text, sizeof(text));
	terminal_clean(text, sizeof(text));
	assert_string_equal(text, same);
}

static void escapes_and_newlines_are_replaced(void **state)
{
	char text[32] = "a\033[2Jb\nc\rd\x7f\xc2\x9b";

	terminal_clean(text, sizeof(text));
	assert_string_equal(text, "a_[2Jb_c_d__");
}

static void unterminated_text_is_terminated_within_its_buffer(void **state)
{
	char text[9];

	memset(text, 'x', sizeof(text));
	text[8] = '!';
	terminal_clean(text, 8);
	assert_int_equal(strlen(text), 7);
	assert_int_equal(text[8], '!');
}

static void longer_replacements_stay_within_the_buffer(void **state)
{
	char text[16];

	memset(text, 0xff, sizeof(text));
	text[12] = '!';
	terminal_clean(text, 12);
	assert_true(strlen(text) < 12);
	assert_int_equal(text[12], '!');
}

static void empty_buffer_is_not_written(void **state)
{
	char text[2] = "x";

	terminal_clean(text, 0);
	assert_string_equal(text, "x");
	terminal_clean(text, 1);
	assert_string_equal(text, "");
}

/* What stderr got while @print ran. */
static size_t printed_by(void (*print)(void), char *ret_text, size_t bytes)
{
	int file = memfd_create("stderr", MFD_CLOEXEC), saved = dup(STDERR_FILENO);
	ssize_t got;

	assert_true(file >= 0 && saved >= 0);
	assert_true(dup2(file, STDERR_FILENO) >= 0);
	print();
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	got = pread(file, ret_text, bytes - 1, 0);
	assert_true(got >= 0);
	ret_text[got] = '\0';
	(void)close(saved);
	(void)close(file);
	return (size_t)got;
}

static void print_two(void)
{
	terminal_print("one %d", 1);
	terminal_print("two");
}

static void print_much(void)
{
	for (unsigned i = 0; i < 1000; i++)
		terminal_print("line %04u", i);
}

static void held_messages_are_printed_later_or_forgotten(void **state)
{
	char text[256];

	terminal_hold();
	assert_int_equal(printed_by(print_two, text, sizeof(text)), 0);
	(void)printed_by(terminal_release, text, sizeof(text));
	assert_string_equal(text, "tidemark: one 1\ntidemark: two\n");
	assert_int_equal(printed_by(terminal_release, text, sizeof(text)), 0);
	terminal_hold();
	print_two();
	terminal_hold();
	assert_int_equal(printed_by(terminal_release, text, sizeof(text)), 0);
	(void)printed_by(print_two, text, sizeof(text));
	assert_string_equal(text, "tidemark: one 1\ntidemark: two\n");
}

static void of_too_many_held_messages_the_first_are_kept_whole(void **state)
{
	static char text[32768];
	size_t bytes;

	terminal_hold();
	print_much();
	bytes = printed_by(terminal_release, text, sizeof(text));
	assert_true(bytes > 0 && bytes < sizeof(text) - 1);
	assert_int_equal(bytes % strlen("tidemark: line 0000\n"), 0);
	assert_memory_equal(text, "tidemark: line 0000\ntidemark: line 0001\n", 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_is_unchanged),
		cmocka_unit_test(escapes_and_newlines_are_replaced),
		cmocka_unit_test(unterminated_text_is_terminated_within_its_buffer),
		cmocka_unit_test(longer_replacements_stay_within_the_buffer),
		cmocka_unit_test(empty_buffer_is_not_written),
		cmocka_unit_test(held_messages_are_printed_later_or_forgotten),
		cmocka_unit_test(of_too_many_held_messages_the_first_are_kept_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
