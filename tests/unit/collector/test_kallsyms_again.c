/* SPDX-License-Identifier: Apache-2.0 */
/* test_kallsyms_again - what is loaded later gets its name, and no frame gets another one */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "collector/kallsyms_refresh.h"
#include "symbolizer/base/ksyms.h"

#define FIRST  100 /* ktimes of the readings */
#define SECOND 200
#define THIRD  300

#define PROGRAM(address, name, bytes) \
	address " t bpf_prog_" name "\t[bpf]\tbpf_prog_" name "+0x0/" bytes " [bpf]\n"

static const char first[] = "ffffffff81000000 T _text\n"
			    "ffffffff81002000 T beta\n"
			    "ffffffffc0000000 t ext4_one\t[ext4]\n"
			    "ffffffffc0000100 t ext4_two\t[ext4]\n" /* line */
	PROGRAM("ffffffffc0100000", "old", "0x100");

static struct kallsyms symbols = KALLSYMS_NULL;

static int forget(void **state)
{
	kallsyms_deinit(&symbols);
	return 0;
}

/* Return: as kallsyms_seal(). */
static int reading(const char *lines, uint64_t now)
{
	int fd = tm_region_seal_blob("lines", lines, strlen(lines));
	int r;

	assert_true(fd >= 0);
	assert_int_equal(kallsyms_begin(&symbols, now), 0);
	do {
		r = kallsyms_read(&symbols, fd);
	} while (r == 0);
	(void)close(fd);
	return r == KALLSYMS_E_END ? kallsyms_seal(&symbols) : r;
}

static int first_reading(void **state)
{
	return reading(first, FIRST);
}

/* What a report shows for a frame, by the newest table; "": unknown. */
static const char *name_of(uint64_t frame)
{
	static char text[64];
	struct ksyms kernel = KSYMS_NULL;
	uint64_t module = frame >> TM_FRAME_MODULE_SHIFT & TM_FRAME_MODULE_MAX;
	const char *name;

	assert_int_equal(ksyms_parse(&kernel, symbols.table.addr, symbols.table.bytes), 0);
	name = ksyms_symbol(&kernel, module, frame & TM_FRAME_KOFFSET_MAX);
	(void)snprintf(text, sizeof(text), "%s:%s",
		       name && module ? ksyms_module(&kernel, module) : "", name ? name : "");
	return text;
}

static uint64_t frame_at(uint64_t address, uint64_t ktime)
{
	return kallsyms_rebase(&symbols, address, ktime);
}

static void program_loaded_later_is_named_from_the_next_reading_on(void **state)
{
	assert_string_equal(name_of(frame_at(0xffffffffc0100140, THIRD)), ":");
	assert_int_equal(symbols.unknown, 1);
	assert_int_equal(reading(PROGRAM("ffffffffc0100000", "old", "0x100")
					 PROGRAM("ffffffffc0100140", "new", "0x40"),
				 SECOND),
			 0);
	assert_string_equal(name_of(frame_at(0xffffffffc0100140, THIRD)), "bpf:bpf_prog_new");
	assert_string_equal(name_of(frame_at(0xffffffffc010017f, THIRD)), "bpf:bpf_prog_new");
	assert_string_equal(name_of(frame_at(0xffffffffc01000ff, THIRD)), "bpf:bpf_prog_old");
	/* neither between two programs nor behind the last one */
	assert_string_equal(name_of(frame_at(0xffffffffc0100100, THIRD)), ":");
	assert_string_equal(name_of(frame_at(0xffffffffc0100180, THIRD)), ":");
	/* what is older and was nobody's belongs to the program that was found there */
	assert_string_equal(name_of(frame_at(0xffffffffc0100140, SECOND - 1)), "bpf:bpf_prog_new");
	/* the kernel itself is not read again */
	assert_string_equal(name_of(frame_at(0xffffffff81002010, THIRD)), ":beta");
}

static void reused_address_keeps_its_old_name_for_older_samples(void **state)
{
	uint64_t before = frame_at(0xffffffffc0100010, FIRST);

	assert_int_equal(reading(PROGRAM("ffffffffc0100000", "new", "0x80"), SECOND), 0);
	assert_string_equal(name_of(before), "bpf:bpf_prog_old");
	assert_string_equal(name_of(frame_at(0xffffffffc0100010, SECOND - 1)), "bpf:bpf_prog_old");
	assert_string_equal(name_of(frame_at(0xffffffffc0100010, SECOND)), "bpf:bpf_prog_new");
	/* the end of the longer one is nobody's now */
	assert_string_equal(name_of(frame_at(0xffffffffc0100090, SECOND - 1)), "bpf:bpf_prog_old");
	assert_string_equal(name_of(frame_at(0xffffffffc0100090, SECOND)), ":");
}

static void frames_keep_their_names_over_many_readings(void **state)
{
	uint64_t frames[20];
	char lines[256], expected[64];

	for (unsigned i = 0; i < 20; i++) {
		(void)snprintf(lines, sizeof(lines),
			       "ffffffffc0100000 t p%u\t[bpf]\tp%u+0x0/0x%x [bpf]\n"
			       "ffffffffc%02x01000 t f%u\t[ext4]\n",
			       i, i, 0x40 + i, i, i);
		assert_int_equal(reading(lines, SECOND + i), 0);
		frames[i] = frame_at(0xffffffffc0100020, SECOND + i);
	}
	for (unsigned i = 0; i < 20; i++) {
		(void)snprintf(expected, sizeof(expected), "bpf:p%u", i);
		assert_string_equal(name_of(frames[i]), expected);
	}
	assert_int_equal(symbols.module_count, 3); /* no new number for a name that has one */
}

static void module_loaded_elsewhere_keeps_its_number_and_its_old_frames(void **state)
{
	uint64_t before = frame_at(0xffffffffc0000104, FIRST), after;

	assert_int_equal(reading("ffffffffc0700000 t ext4_one\t[ext4]\n"
				 "ffffffffc0700100 t ext4_two\t[ext4]\n"
				 "ffffffffc0000100 t other\t[xfs]\n",
				 SECOND),
			 0);
	after = frame_at(0xffffffffc0700104, SECOND);
	assert_string_equal(name_of(before), "ext4:ext4_two");
	assert_string_equal(name_of(after), "ext4:ext4_two");
	assert_int_equal(before >> TM_FRAME_MODULE_SHIFT, after >> TM_FRAME_MODULE_SHIFT);
	assert_int_not_equal(before, after);
	assert_string_equal(name_of(frame_at(0xffffffffc0000104, SECOND)), "xfs:other");
}

static void last_function_of_a_module_ends_with_its_page(void **state)
{
	assert_string_equal(name_of(frame_at(0xffffffffc0000fff, FIRST)), "ext4:ext4_two");
	assert_string_equal(name_of(frame_at(0xffffffffc0001000, FIRST)), ":");
}

static void same_symbols_make_no_new_table(void **state)
{
	const void *table = symbols.table.addr;

	/* the kernel's own symbols are left out, whoever sends them */
	assert_int_equal(reading(first, SECOND), KALLSYMS_E_SAME);
	assert_ptr_equal(symbols.table.addr, table);
	assert_string_equal(name_of(frame_at(0xffffffffc0100010, SECOND)), "bpf:bpf_prog_old");
	assert_string_equal(name_of(frame_at(0xffffffff81002010, SECOND)), ":beta");
}

static void second_name_of_a_known_address_is_not_new(void **state)
{
	assert_int_equal(reading("ffffffffc0000000 t alias\t[ext4]\n"
				 "ffffffffc0000000 t ext4_one\t[ext4]\n"
				 "ffffffffc0000100 t ext4_two\t[ext4]\n",
				 SECOND),
			 KALLSYMS_E_SAME);
	assert_string_equal(name_of(frame_at(0xffffffffc0000000, SECOND)), "ext4:ext4_one");
}

static void aborted_reading_has_no_effect(void **state)
{
	assert_int_equal(kallsyms_begin(&symbols, SECOND), 0);
	assert_int_equal(kallsyms_read(&symbols, -1), -EBADF);
	kallsyms_abort(&symbols);
	assert_string_equal(name_of(frame_at(0xffffffffc0100010, SECOND)), "bpf:bpf_prog_old");
	assert_int_equal(reading(PROGRAM("ffffffffc0300000", "new", "0x80"), THIRD), 0);
	assert_string_equal(name_of(frame_at(0xffffffffc0300000, THIRD)), "bpf:bpf_prog_new");
}

struct source {
	const char *lines; /* NULL: cannot be opened */
	unsigned opened;
};

static int open_source(void *context)
{
	struct source *source = context;

	source->opened++;
	return source->lines ? tm_region_seal_blob("lines", source->lines, strlen(source->lines))
			     : -ENOENT;
}

/* Rounds until no reading is under way. Return: whether there was a new table. */
static bool advance(struct kallsyms_refresh *refresh, uint64_t now_ms)
{
	bool made = false;

	do {
		made |= kallsyms_refresh_advance(refresh, now_ms);
	} while (refresh->fd >= 0);
	return made;
}

static void unknown_address_starts_one_reading_in_ten_seconds(void **state)
{
	struct source source = {PROGRAM("ffffffffc0300000", "new", "0x80"), 0};
	struct kallsyms_refresh refresh = {&symbols, &source, open_source, -1};

	assert_false(advance(&refresh, 5));
	assert_int_equal(source.opened, 0);
	(void)frame_at(0xffffffffc0300000, THIRD);
	assert_true(advance(&refresh, 5));
	assert_string_equal(name_of(frame_at(0xffffffffc0300000, UINT64_MAX)), "bpf:bpf_prog_new");
	(void)frame_at(0xffffffffc0500000, UINT64_MAX);
	assert_false(advance(&refresh, 4 + KALLSYMS_REFRESH_MS));
	assert_int_equal(source.opened, 1);
	source.lines = PROGRAM("ffffffffc0500000", "newer", "0x80");
	assert_true(advance(&refresh, 5 + KALLSYMS_REFRESH_MS));
	assert_false(advance(&refresh, 5 + 9 * KALLSYMS_REFRESH_MS));
	assert_int_equal(source.opened, 2);
	assert_int_equal(refresh.readings, 2);
	kallsyms_refresh_deinit(&refresh);
}

#define MOST_MS (KALLSYMS_REFRESH_MS << KALLSYMS_REFRESH_DOUBLINGS)

/* Samples the unknown address each ms. Return: when the next reading is begun, within @most ms. */
static uint64_t next_reading(struct kallsyms_refresh *refresh, uint64_t address, uint64_t now_ms,
			     uint64_t most)
{
	const struct source *source = refresh->context;
	unsigned opened = source->opened;
	uint64_t end = now_ms + most;

	for (now_ms++; now_ms <= end && source->opened == opened; now_ms++) {
		(void)frame_at(address, UINT64_MAX);
		(void)advance(refresh, now_ms);
	}
	return now_ms - 1;
}

static void readings_for_an_address_that_stays_unknown_become_rarer(void **state)
{
	struct source source = {first, 0};
	struct kallsyms_refresh refresh = {&symbols, &source, open_source, -1};
	uint64_t now = next_reading(&refresh, 0xffffffffc0300000, 0, 1), wait = KALLSYMS_REFRESH_MS;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t next = next_reading(&refresh, 0xffffffffc0300000, now, MOST_MS);

		wait = 2 * wait < MOST_MS ? 2 * wait : MOST_MS;
		assert_int_equal(next - now, wait);
		now = next;
	}
	assert_int_equal(wait, MOST_MS);
	/* an unknown address elsewhere does not wait for that */
	source.lines = PROGRAM("ffffffffc0501000", "new", "0x80");
	assert_int_equal(next_reading(&refresh, 0xffffffffc0501000, now, MOST_MS),
			 now + KALLSYMS_REFRESH_MS);
	assert_string_equal(name_of(frame_at(0xffffffffc0501000, UINT64_MAX)), "bpf:bpf_prog_new");
	/* something new was found, so the next one may be soon again */
	now += KALLSYMS_REFRESH_MS;
	assert_int_equal(next_reading(&refresh, 0xffffffffc0300000, now, MOST_MS),
			 now + KALLSYMS_REFRESH_MS);
	kallsyms_refresh_deinit(&refresh);
}

static void reading_that_cannot_begin_is_counted(void **state)
{
	struct source source = {NULL, 0};
	struct kallsyms_refresh refresh = {&symbols, &source, open_source, -1};

	(void)frame_at(0xffffffffc0300000, THIRD);
	assert_false(advance(&refresh, 1));
	assert_int_equal(refresh.failed, 1);
	assert_int_equal(refresh.error, -ENOENT);
	assert_int_equal(refresh.readings, 0);
	assert_string_equal(name_of(frame_at(0xffffffffc0100010, THIRD)), "bpf:bpf_prog_old");
	kallsyms_refresh_deinit(&refresh);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, first_reading, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(program_loaded_later_is_named_from_the_next_reading_on),
		TEST(reused_address_keeps_its_old_name_for_older_samples),
		TEST(frames_keep_their_names_over_many_readings),
		TEST(module_loaded_elsewhere_keeps_its_number_and_its_old_frames),
		TEST(last_function_of_a_module_ends_with_its_page),
		TEST(same_symbols_make_no_new_table),
		TEST(second_name_of_a_known_address_is_not_new),
		TEST(aborted_reading_has_no_effect),
		TEST(unknown_address_starts_one_reading_in_ten_seconds),
		TEST(readings_for_an_address_that_stays_unknown_become_rarer),
		TEST(reading_that_cannot_begin_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
