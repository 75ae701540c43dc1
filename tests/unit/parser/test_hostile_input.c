/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hostile_input - files made to make the compiler of rows read, reserve or loop without an end
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/sandbox.h"
#include "shared/unwind_table.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/parser.h"
#include "symbolizer/parser/unwind_compile.h"
#include "symbolizer/parser/worker.h"
#include "tests/unit/parser/cfimake.h"

#define EH        CFIMAKE_EH_FRAME
#define LOOKS     2000
#define NOISES    200
#define MANY_ROWS (9u << 20)  /* more than a table may have */
#define MANY_AT   (64u << 20) /* where their instructions are */
#define HUGE      ((4ull << 30) - 4096)
#define PEAK_KIB  (128u << 10) /* of a file that has next to nothing */

static struct cfimake make;
static uint64_t seed = 1;

static uint32_t random_number(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33);
}

static int open_file(const void *bytes, size_t count, uint64_t size)
{
	int fd = memfd_create("target", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes, count), (ssize_t)count);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static int compile(struct input *target, int fd, struct symbolize *answer)
{
	struct image_source source;

	assert_int_equal(input_open_file(target, fd, &source), 0);
	return unwind_compile_file(answer, &source);
}

static void check(const struct symbolize *answer, struct tm_unwind_table_view *view)
{
	assert_int_equal(tm_unwind_table_check(view, answer->blob, answer->bytes), 0);
}

/* A program that the entry point calls in, with functions of every kind. */
static void make_plenty(void)
{
	static const uint8_t code[] = {0x50, 0x74, 9,    0x48, 0x01, 0xca, 0xff,
				       0xe2, 0x90, 0x90, 0x59, 0xc3, 0x58, 0xc3};
	uint32_t cie;

	cfimake_open(&make);
	make.header->e_type = ET_EXEC;
	make.header->e_entry = CFIMAKE_VADDR;
	cie = cfimake_plain_cie(&make);
	for (uint32_t i = 0; i < 16; i++)
		(void)cfimake_fde(&make, EH, cie, 0x2000 + 0x40 * i, 0x20,
				  BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6));
	memcpy(make.file + 0x1000, "\x31\xed\xe8\xf9\x00\x00\x00\xf4", 8);
	memcpy(make.file + 0x1100, code, sizeof(code));
}

/* Each look at the file finds something else in it. */
static int read_something_else(void *context, void *to, uint64_t offset, size_t bytes)
{
	uint8_t *at = to;

	memcpy(to, make.file + offset, bytes);
	for (uint32_t i = random_number() % 8; bytes && i > 0; i--)
		at[random_number() % bytes] = (uint8_t)random_number();
	return 0;
}

static void file_that_changes_at_every_look_makes_a_table_or_none(void **state)
{
	const struct image_source source = {read_something_else, NULL, CFIMAKE_BYTES};
	uint32_t made = 0;

	for (uint32_t i = 0; i < LOOKS; i++) {
		struct tm_unwind_table_view view;
		struct symbolize answer;

		make_plenty();
		/* One segment over everything, so that parts are read again that are in use. */
		make.segments[0].p_offset = 0;
		make.segments[0].p_vaddr = CFIMAKE_DELTA;
		make.segments[0].p_filesz = CFIMAKE_BYTES;
		if (unwind_compile_file(&answer, &source) == PARSER_OK) {
			check(&answer, &view);
			made++;
		}
		symbolize_free(&answer);
	}
	assert_true(made > 0 && made < LOOKS);
}

static int rewritten; /* the file that is written while it is read */

static int read_and_rewrite(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct image_source *source = context;
	int r = source->read(source->context, to, offset, bytes);

	assert_int_equal(pwrite(rewritten, "again", 5, CFIMAKE_DATA), 5);
	return r;
}

static void file_rewritten_while_it_is_read_is_known_to_be(void **state)
{
	struct image_source source, between = {read_and_rewrite, &source, CFIMAKE_BYTES};
	struct input target;
	struct symbolize answer;

	make_plenty();
	rewritten = open_file(make.file, CFIMAKE_BYTES, CFIMAKE_BYTES);
	assert_int_equal(input_open_file(&target, rewritten, &source), 0);
	assert_int_equal(unwind_compile_file(&answer, &source), PARSER_OK);
	assert_true(input_is_unchanged(&target));
	symbolize_free(&answer);
	(void)unwind_compile_file(&answer, &between);
	assert_false(input_is_unchanged(&target));
	symbolize_free(&answer);
	(void)close(rewritten);
}

static void file_that_shrinks_while_it_is_read_is_refused(void **state)
{
	struct image_source source;
	struct input target;
	struct symbolize answer;

	make_plenty();
	rewritten = open_file(make.file, CFIMAKE_BYTES, CFIMAKE_BYTES);
	assert_int_equal(input_open_file(&target, rewritten, &source), 0);
	assert_int_equal(ftruncate(rewritten, 0x8000), 0);
	assert_int_equal(unwind_compile_file(&answer, &source), PARSER_FAILED);
	symbolize_free(&answer);
	(void)close(rewritten);
}

static void sparse_tebibyte_is_too_large(void **state)
{
	struct input target;
	struct symbolize answer;
	int fd;

	make_plenty();
	fd = open_file(make.file, CFIMAKE_BYTES, 1ull << 40);
	assert_int_equal(compile(&target, fd, &answer), PARSER_TOO_LARGE);
	symbolize_free(&answer);
	(void)close(fd);
}

/* In a process that may have what a worker may. */
static int compile_within_walls(int fd, uint64_t size)
{
	const struct rlimit walls = {size + WORKER_HEAP_BYTES, size + WORKER_HEAP_BYTES};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct tm_unwind_table_view view;
		struct rusage usage;
		struct input target;
		struct symbolize answer;

		/* A sanitizer's own memory is more than any wall. */
		if (!TM_SANITIZED && setrlimit(RLIMIT_AS, &walls) < 0)
			_exit(1);
		if (compile(&target, fd, &answer) != PARSER_OK)
			_exit(2);
		check(&answer, &view);
		(void)getrusage(RUSAGE_SELF, &usage);
		_exit(usage.ru_maxrss > PEAK_KIB && !TM_SANITIZED ? 3 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void sparse_code_of_four_gibibytes_costs_no_memory(void **state)
{
	int fd;

	make_plenty();
	make.segments[0].p_offset = 0;
	make.segments[0].p_vaddr = CFIMAKE_DELTA;
	make.segments[0].p_filesz = HUGE;
	fd = open_file(make.file, CFIMAKE_BYTES, HUGE);
	assert_int_equal(compile_within_walls(fd, HUGE), 0);
	(void)close(fd);
}

/* Instructions of a function with a row at each of its bytes. */
static uint32_t put_many_rows(uint8_t *to)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < MANY_ROWS; i++) {
		to[at++] = 0x41; /* advance_loc 1 */
		to[at++] = 0x0e; /* def_cfa_offset */
		to[at++] = i & 1 ? 16 : 8;
	}
	return at;
}

static void more_rows_than_a_table_holds_are_cut_and_that_is_said(void **state)
{
	const uint32_t bytes = MANY_AT + 3 * MANY_ROWS + 4096;
	struct tm_unwind_table_view view;
	struct input target;
	struct symbolize answer;
	uint8_t *file;
	uint32_t fde, length;
	int fd;

	make_plenty();
	make.header->e_entry = 0;
	make.filled[EH] = 0;
	(void)cfimake_plain_cie(&make);
	fde = make.filled[EH];
	(void)cfimake_fde(&make, EH, 0, 0x1000, 0x40, BYTES(0));
	fd = open_file(make.file, CFIMAKE_BYTES, bytes);
	file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(file, MAP_FAILED);
	/* The section moves to where there is room, at the address that its places count from. */
	memcpy(file + MANY_AT, make.file + CFIMAKE_DATA, make.filled[EH]);
	((Elf64_Shdr *)(void *)(file + ((Elf64_Ehdr *)(void *)file)->e_shoff))[2 + EH] =
		(Elf64_Shdr){.sh_name = make.sections[2 + EH].sh_name,
			     .sh_type = SHT_PROGBITS,
			     .sh_offset = MANY_AT,
			     .sh_addr = make.sections[2 + EH].sh_addr,
			     .sh_size = fde + 17 + 3 * MANY_ROWS};
	length = 13 + 3 * MANY_ROWS;
	memcpy(file + MANY_AT + fde, &length, 4);
	length = MANY_ROWS + 16;
	memcpy(file + MANY_AT + fde + 12, &length, 4);
	(void)put_many_rows(file + MANY_AT + fde + 17);
	((Elf64_Phdr *)(void *)(file + sizeof(Elf64_Ehdr)))[0].p_filesz = MANY_ROWS + 0x1000;
	assert_int_equal(compile(&target, fd, &answer), PARSER_OK);
	check(&answer, &view);
	assert_int_equal(view.header->pages, TM_UNWIND_TABLE_PAGES_MAX);
	assert_true(view.header->flags & TM_UNWIND_TABLE_CUT);
	assert_true(answer.bytes <= TM_UNWIND_TABLE_BYTES_MAX);
	assert_int_equal(tm_unwind_table_find(&view, 0x1000 + 1002)->cfa_offset, 16);
	assert_int_equal(tm_unwind_table_find(&view, 0x1000 + MANY_ROWS - 1)->cfa, TM_CFA_NONE);
	symbolize_free(&answer);
	(void)munmap(file, bytes);
	(void)close(fd);
}

static void header_of_frames_that_lies_costs_itself(void **state)
{
	for (uint32_t i = 0; i < LOOKS; i++) {
		struct tm_unwind_table_view view;
		struct symbolize answer;

		make_plenty();
		make.header->e_shnum = make.header->e_shstrndx = 0;
		make.header->e_shoff = 0;
		for (uint32_t j = 0; j < 12; j++)
			make.file[0x10000 + j] = (uint8_t)random_number();
		make.file[0x10000] = 1;
		make.segments[2] = (Elf64_Phdr){.p_type = PT_GNU_EH_FRAME,
						.p_vaddr = 0x10000 + CFIMAKE_AWAY,
						.p_filesz = 12};
		assert_int_equal(cfimake_compile(&make, &answer), PARSER_OK);
		check(&answer, &view);
		symbolize_free(&answer);
	}
}

static void code_that_is_noise_makes_a_table_or_none(void **state)
{
	for (uint32_t i = 0; i < NOISES; i++) {
		struct tm_unwind_table_view view;
		struct symbolize answer;

		make_plenty();
		for (uint32_t j = 0x1008; j < 0x1800; j++)
			make.file[j] = (uint8_t)random_number();
		for (uint32_t j = 0x1100; j < 0x1800; j += 16)
			memcpy(make.file + j,
			       i & 1 ? "\xe8\x10\x00\x00\x00\x74" : "\x75\x0e\x50\xeb\xf0", 5);
		assert_int_equal(cfimake_compile(&make, &answer), PARSER_OK);
		check(&answer, &view);
		symbolize_free(&answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_that_changes_at_every_look_makes_a_table_or_none),
		cmocka_unit_test(file_rewritten_while_it_is_read_is_known_to_be),
		cmocka_unit_test(file_that_shrinks_while_it_is_read_is_refused),
		cmocka_unit_test(sparse_tebibyte_is_too_large),
		cmocka_unit_test(sparse_code_of_four_gibibytes_costs_no_memory),
		cmocka_unit_test(more_rows_than_a_table_holds_are_cut_and_that_is_said),
		cmocka_unit_test(header_of_frames_that_lies_costs_itself),
		cmocka_unit_test(code_that_is_noise_makes_a_table_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
