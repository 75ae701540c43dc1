/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print_symbols - prints a file's symbol table as text, or what it takes to make it
 *
 * usage: print_symbols [--cost] FILE...   (start and end in hexadecimal, a blank, the name)
 */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "shared/cleanup.h"
#include "symbolizer/parser/input.h"
#include "symbolizer/parser/symbols/symbols_compile.h"
#include "tests/unit/parser/symbols_view.h"

static const char *const flags[] = {"symtab",  "dynsym", "minidebug", "plt",
				    "pclntab", "dwarf",  "malformed", "truncated"};

static double cpu_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void print_cost(const char *path, const struct symbols_view *view, uint64_t bytes, double ms)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	(void)printf("%s: %u ranges, %u bytes of names, %" PRIu64 " bytes, %.1f ms, peak %ld KiB,",
		     path, view->header->symbol_count, view->header->name_bytes, bytes, ms,
		     usage.ru_maxrss);
	for (uint32_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (view->header->flags >> i & 1)
			(void)printf(" %s", flags[i]);
	if (view->header->debuglink != PARSER_NO_NAME)
		(void)printf(" debuglink=%s", view->names + view->header->debuglink);
	if (view->header->altlink != PARSER_NO_NAME)
		(void)printf(" altlink=%s", view->names + view->header->altlink);
	(void)printf("\n");
}

static void print_all(const struct symbols_view *view)
{
	for (uint32_t i = 0; i < view->header->symbol_count; i++) {
		const struct parser_symbol *symbol = &view->symbols[i];

		(void)printf("%" PRIx64 " %" PRIx64 " %s\n", symbol->start,
			     symbol->start + symbol->bytes, view->names + symbol->name);
	}
}

static int print_file(const char *path, bool cost)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image_source source;
	struct symbols_view view;
	struct result_blob blob;
	const char *wrong;
	struct input input;
	double begun;
	int r = fd < 0 ? PARSER_FAILED : input_open_file(&input, fd, &source);

	if (!r) {
		begun = cpu_ms();
		r = symbols_compile(&blob, &source);
	}
	if (r) {
		(void)fprintf(stderr, "%s: status %d\n", path, r);
		return r;
	}
	wrong = symbols_view_open(&view, blob.data, blob.bytes);
	if (wrong)
		(void)fprintf(stderr, "%s: the result is malformed: %s\n", path, wrong);
	else if (cost)
		print_cost(path, &view, blob.bytes, cpu_ms() - begun);
	else
		print_all(&view);
	result_blob_free(&blob);
	return wrong ? -1 : 0;
}

int main(int argc, char **argv)
{
	bool cost = argc > 1 && strcmp(argv[1], "--cost") == 0;
	int failed = 0;

	for (int i = cost ? 2 : 1; i < argc; i++)
		failed |= print_file(argv[i], cost);
	return argc < 2 || failed;
}
