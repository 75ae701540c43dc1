/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_hostile_input - files that try to make the parser read, allocate or loop endlessly
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
#include "tests/unit/parser/cfi_builder.h"

#define EH        CFI_BUILDER_EH_FRAME
#define CHANGING  2000        /* files that change while they are read */
#define RANDOM    200         /* files of random code */
#define MANY_ROWS (9u << 20)  /* more than a table may have */
#define MANY_AT   (64u << 20) /* the offset of their instructions */
#define HUGE      ((4ull << 30) - 4096)
#define PEAK_KIB  (128u << 10) /* peak memory for a file with hardly any content */

static struct cfi_builder builder;
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

static int compile(struct input *input, int fd, struct result_blob *result)
{
	struct image_source source;

	assert_int_equal(input_open_file(input, fd, &source), 0);
	return unwind_compile(result, &source);
}

static void check(const struct result_blob *result, struct tm_unwind_table_view *view)
{
	assert_int_equal(tm_unwind_table_check(view, result->data, result->bytes), 0);
}

/* A program with functions that have CFI, and a function without, which the entry point calls. */
static void build_program(void)
{
	static const uint8_t code[] = {0x50, 0x74, 9,    0x48, 0x01, 0xca, 0xff,
				       0xe2, 0x90, 0x90, 0x59, 0xc3, 0x58, 0xc3};
	uint32_t cie;

	cfi_builder_open(&builder);
	builder.header->e_type = ET_EXEC;
	builder.header->e_entry = CFI_BUILDER_VADDR;
	cie = cfi_builder_plain_cie(&builder);
	for (uint32_t i = 0; i < 16; i++)
		(void)cfi_builder_fde(&builder, EH, cie, 0x2000 + 0x40 * i, 0x20,
				      BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6));
	memcpy(builder.file + 0x1000, "\x31\xed\xe8\xf9\x00\x00\x00\xf4", 8);
	memcpy(builder.file + 0x1100, code, sizeof(code));
}

/* Every read of the file finds other bytes. */
static int read_modified(void *context, void *to, uint64_t offset, size_t bytes)
{
	uint8_t *at = to;

	memcpy(to, builder.file + offset, bytes);
	for (uint32_t i = random_number() % 8; bytes && i > 0; i--)
		at[random_number() % bytes] = (uint8_t)random_number();
	return 0;
}

static void file_that_changes_at_every_read_gives_a_valid_table_or_none(void **state)
{
	const struct image_source source = {read_modified, NULL, CFI_BUILDER_BYTES};
	uint32_t made = 0;

	for (uint32_t i = 0; i < CHANGING; i++) {
		struct tm_unwind_table_view view;
		struct result_blob result;

		build_program();
		/* One segment over the whole file, so that bytes in use are read again. */
		builder.segments[0].p_offset = 0;
		builder.segments[0].p_vaddr = CFI_BUILDER_DELTA;
		builder.segments[0].p_filesz = CFI_BUILDER_BYTES;
		if (unwind_compile(&result, &source) == PARSER_OK) {
			check(&result, &view);
			made++;
		}
		result_blob_free(&result);
	}
	assert_true(made > 0 && made < CHANGING);
}

static int rewritten; /* the file that is changed while it is read */

static int read_and_rewrite(void *context, void *to, uint64_t offset, size_t bytes)
{
	const struct image_source *source = context;
	int r = source->read(source->context, to, offset, bytes);

	assert_int_equal(pwrite(rewritten, "again", 5, CFI_BUILDER_DATA), 5);
	return r;
}

static void file_rewritten_while_it_is_read_is_noticed(void **state)
{
	struct image_source source, between = {read_and_rewrite, &source, CFI_BUILDER_BYTES};
	struct input input;
	struct result_blob result;

	build_program();
	rewritten = open_file(builder.file, CFI_BUILDER_BYTES, CFI_BUILDER_BYTES);
	assert_int_equal(input_open_file(&input, rewritten, &source), 0);
	assert_int_equal(unwind_compile(&result, &source), PARSER_OK);
	assert_true(input_is_unchanged(&input));
	result_blob_free(&result);
	(void)unwind_compile(&result, &between);
	assert_false(input_is_unchanged(&input));
	result_blob_free(&result);
	(void)close(rewritten);
}

static void file_that_shrinks_while_it_is_read_is_refused(void **state)
{
	struct image_source source;
	struct input input;
	struct result_blob result;

	build_program();
	rewritten = open_file(builder.file, CFI_BUILDER_BYTES, CFI_BUILDER_BYTES);
	assert_int_equal(input_open_file(&input, rewritten, &source), 0);
	assert_int_equal(ftruncate(rewritten, 0x8000), 0);
	assert_int_equal(unwind_compile(&result, &source), PARSER_FAILED);
	result_blob_free(&result);
	(void)close(rewritten);
}

static void sparse_tebibyte_is_too_large(void **state)
{
	struct input input;
	struct result_blob result;
	int fd;

	build_program();
	fd = open_file(builder.file, CFI_BUILDER_BYTES, 1ull << 40);
	assert_int_equal(compile(&input, fd, &result), PARSER_TOO_LARGE);
	result_blob_free(&result);
	(void)close(fd);
}

/* In a process with the memory limit of a worker. */
static int compile_within_limits(int fd, uint64_t size)
{
	const struct rlimit limits = {size + WORKER_HEAP_BYTES, size + WORKER_HEAP_BYTES};
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct tm_unwind_table_view view;
		struct rusage usage;
		struct input input;
		struct result_blob result;

		/* A sanitizer alone exceeds the limit. */
		if (!TM_SANITIZED && setrlimit(RLIMIT_AS, &limits) < 0)
			_exit(1);
		if (compile(&input, fd, &result) != PARSER_OK)
			_exit(2);
		check(&result, &view);
		(void)getrusage(RUSAGE_SELF, &usage);
		_exit(usage.ru_maxrss > PEAK_KIB && !TM_SANITIZED ? 3 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void sparse_code_of_four_gibibytes_costs_no_memory(void **state)
{
	int fd;

	build_program();
	builder.segments[0].p_offset = 0;
	builder.segments[0].p_vaddr = CFI_BUILDER_DELTA;
	builder.segments[0].p_filesz = HUGE;
	fd = open_file(builder.file, CFI_BUILDER_BYTES, HUGE);
	assert_int_equal(compile_within_limits(fd, HUGE), 0);
	(void)close(fd);
}

/* Instructions that give a row for each byte of a function. */
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

static void rows_beyond_the_limit_truncate_the_table(void **state)
{
	const uint32_t bytes = MANY_AT + 3 * MANY_ROWS + 4096;
	struct tm_unwind_table_view view;
	struct input input;
	struct result_blob result;
	uint8_t *file;
	uint32_t fde, length;
	int fd;

	build_program();
	builder.header->e_entry = 0;
	builder.filled[EH] = 0;
	(void)cfi_builder_plain_cie(&builder);
	fde = builder.filled[EH];
	(void)cfi_builder_fde(&builder, EH, 0, 0x1000, 0x40, BYTES(0));
	fd = open_file(builder.file, CFI_BUILDER_BYTES, bytes);
	file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(file, MAP_FAILED);
	/* The section moves to a larger place in the file; its address stays. */
	memcpy(file + MANY_AT, builder.file + CFI_BUILDER_DATA, builder.filled[EH]);
	((Elf64_Shdr *)(void *)(file + ((Elf64_Ehdr *)(void *)file)->e_shoff))[2 + EH] =
		(Elf64_Shdr){.sh_name = builder.sections[2 + EH].sh_name,
			     .sh_type = SHT_PROGBITS,
			     .sh_offset = MANY_AT,
			     .sh_addr = builder.sections[2 + EH].sh_addr,
			     .sh_size = fde + 17 + 3 * MANY_ROWS};
	length = 13 + 3 * MANY_ROWS;
	memcpy(file + MANY_AT + fde, &length, 4);
	length = MANY_ROWS + 16;
	memcpy(file + MANY_AT + fde + 12, &length, 4);
	(void)put_many_rows(file + MANY_AT + fde + 17);
	((Elf64_Phdr *)(void *)(file + sizeof(Elf64_Ehdr)))[0].p_filesz = MANY_ROWS + 0x1000;
	assert_int_equal(compile(&input, fd, &result), PARSER_OK);
	check(&result, &view);
	assert_int_equal(view.header->pages, TM_UNWIND_TABLE_PAGES_MAX);
	assert_true(view.header->flags & TM_UNWIND_TABLE_CUT);
	assert_true(result.bytes <= TM_UNWIND_TABLE_BYTES_MAX);
	assert_int_equal(tm_unwind_table_find(&view, 0x1000 + 1002)->cfa_offset, 16);
	assert_int_equal(tm_unwind_table_find(&view, 0x1000 + MANY_ROWS - 1)->cfa, TM_CFA_NONE);
	result_blob_free(&result);
	(void)munmap(file, bytes);
	(void)close(fd);
}

static void malformed_eh_frame_hdr_is_ignored(void **state)
{
	for (uint32_t i = 0; i < CHANGING; i++) {
		struct tm_unwind_table_view view;
		struct result_blob result;

		build_program();
		builder.header->e_shnum = builder.header->e_shstrndx = 0;
		builder.header->e_shoff = 0;
		for (uint32_t j = 0; j < 12; j++)
			builder.file[0x10000 + j] = (uint8_t)random_number();
		builder.file[0x10000] = 1;
		builder.segments[2] = (Elf64_Phdr){.p_type = PT_GNU_EH_FRAME,
						   .p_vaddr = 0x10000 + CFI_BUILDER_AWAY,
						   .p_filesz = 12};
		assert_int_equal(cfi_builder_compile(&builder, &result), PARSER_OK);
		check(&result, &view);
		result_blob_free(&result);
	}
}

static void random_code_gives_a_valid_table(void **state)
{
	for (uint32_t i = 0; i < RANDOM; i++) {
		struct tm_unwind_table_view view;
		struct result_blob result;

		build_program();
		for (uint32_t j = 0x1008; j < 0x1800; j++)
			builder.file[j] = (uint8_t)random_number();
		for (uint32_t j = 0x1100; j < 0x1800; j += 16)
			memcpy(builder.file + j,
			       i & 1 ? "\xe8\x10\x00\x00\x00\x74" : "\x75\x0e\x50\xeb\xf0", 5);
		assert_int_equal(cfi_builder_compile(&builder, &result), PARSER_OK);
		check(&result, &view);
		result_blob_free(&result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_that_changes_at_every_read_gives_a_valid_table_or_none),
		cmocka_unit_test(file_rewritten_while_it_is_read_is_noticed),
		cmocka_unit_test(file_that_shrinks_while_it_is_read_is_refused),
		cmocka_unit_test(sparse_tebibyte_is_too_large),
		cmocka_unit_test(sparse_code_of_four_gibibytes_costs_no_memory),
		cmocka_unit_test(rows_beyond_the_limit_truncate_the_table),
		cmocka_unit_test(malformed_eh_frame_hdr_is_ignored),
		cmocka_unit_test(random_code_gives_a_valid_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
