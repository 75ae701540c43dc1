/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truth - compares the compiled rules with those of libdw, at every row of every function
 *
 * usage: truth [--list] [--go] PATH...   files, or folders with everything below them
 *
 * Each rule, and libdw's operations, are evaluated in pseudo-random machine states and must give
 * the same CFA, return address and frame pointer. Prints what was compared, and for each kind of
 * difference its first places (--list: all of them). Fails below 99.99 % of rows, above
 * BYTES_PER_ROW_MAX, or when nothing was compared. --go: the file's .debug_frame is from Go's
 * linker, which does not describe the frame pointer. Rows that deliberately differ
 * (pclntab_rules.h) are counted apart.
 */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/cleanup.h"
#include "tests/oracle/compare.h"
#include "tests/oracle/compiled.h"
#include "tests/oracle/functions.h"

#define SHOWN             5       /* places printed for each kind of difference */
#define FOLDERS_OPEN      40      /* open folders at once */
#define BYTES_PER_ROW_MAX 5.5     /* the figure is deterministic: 4.2 when this was written */
#define ROWS_BOUNDED      100000u /* in smaller tables the padding of the last page weighs more */

#define TEXT(upper, text) text,
static const char *const texts[] = {DIFFERENCES(TEXT)};

static struct {
	uint64_t files, functions, refused; /* refused: by libdw */
	uint64_t unread;                    /* entries that this test cannot read */
	uint64_t rows, different[DIFFERENCE_N];
	uint64_t table_rows, table_bytes, cpu_ns, frame_bytes;
	uint64_t failed;     /* files that could not be compiled */
	uint64_t on_purpose; /* rows of --go */
	bool list, go;
} sum;

struct comparison {
	const char *path;
	Dwarf_CFI *preferred; /* .eh_frame while .debug_frame is compared; or NULL */
	const struct tm_unwind_table_view *view;
	Elf *elf;
	uint64_t entry; /* address */
};

static uint64_t offset_of(Elf *elf, uint64_t vaddr)
{
	size_t count = 0;
	GElf_Phdr segment;

	(void)elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    segment.p_flags & PF_X && vaddr >= segment.p_vaddr &&
		    vaddr - segment.p_vaddr < segment.p_filesz)
			return vaddr - segment.p_vaddr + segment.p_offset;
	return 0;
}

static void count_row(const struct comparison *at, uint64_t start, uint64_t vaddr,
		      enum difference found)
{
	sum.rows++;
	sum.on_purpose += found == ON_PURPOSE;
	if (found == SAME || found == ON_PURPOSE)
		return;
	if (sum.different[found]++ < SHOWN || sum.list)
		(void)printf("  %s: %s +0x%" PRIx64 " (function at 0x%" PRIx64 ")\n", texts[found],
			     at->path, vaddr, start);
}

static bool is_end(const struct comparison *at, uint64_t vaddr)
{
	const struct tm_rule *rule = tm_unwind_table_find(at->view, offset_of(at->elf, vaddr));

	return rule && rule->cfa == TM_CFA_END;
}

static enum difference compare_at(const struct comparison *at, Dwarf_Frame *frame, uint64_t start,
				  uint64_t vaddr, bool signal)
{
	const struct tm_rule *rule = tm_unwind_table_find(at->view, offset_of(at->elf, vaddr));

	/* An entry point and __start_context have no caller, though their CFI is ordinary. */
	if (rule && rule->cfa == TM_CFA_END && (start == at->entry || is_end(at, start - 1)))
		return ON_PURPOSE;
	return compare_row(rule, frame, vaddr, signal, sum.go);
}

/* Compares each row of one function at its first and its last byte. */
static void compare_function(const struct comparison *at, Dwarf_CFI *cfi, uint64_t start,
			     uint64_t end)
{
	const uint64_t function = start;

	sum.functions++;
	while (start < end) {
		_cleanup_(tm_freep) Dwarf_Frame *frame = NULL;
		uint64_t row, row_end, last;
		enum difference found;
		bool signal;

		if (dwarf_cfi_addrframe(cfi, start, &frame) != 0 ||
		    dwarf_frame_info(frame, &row, &row_end, &signal) < 0 || row_end <= start) {
			sum.refused++;
			return;
		}
		last = (row_end < end ? row_end : end) - 1;
		found = compare_at(at, frame, function, start, signal);
		if (found == SAME && last != start)
			found = compare_at(at, frame, function, last, signal);
		count_row(at, row, start, found);
		start = row_end;
	}
}

/* Where both sections describe a place, .eh_frame is believed. */
static bool is_to_be_compared(const struct comparison *at, uint64_t start)
{
	_cleanup_(tm_freep) Dwarf_Frame *frame = NULL;

	if (offset_of(at->elf, start) < sizeof(Elf64_Ehdr))
		return false; /* discarded by the linker */
	return !at->preferred || dwarf_cfi_addrframe(at->preferred, start, &frame) != 0;
}

static void compare_section(const struct comparison *at, Dwarf_CFI *cfi, Elf_Scn *section,
			    const GElf_Shdr *header, bool is_eh_frame)
{
	struct functions functions = {.ident = (const void *)elf_getident(at->elf, NULL),
				      .data = elf_rawdata(section, NULL),
				      .vaddr = header->sh_addr,
				      .is_eh_frame = is_eh_frame};
	uint64_t start, end;
	int r;

	if (!functions.data)
		return;
	sum.frame_bytes += header->sh_size;
	while ((r = functions_next(&functions, &start, &end)) <= 0) {
		if (r < 0)
			sum.unread++;
		else if (is_to_be_compared(at, start))
			compare_function(at, cfi, start, end);
	}
}

static Elf_Scn *find_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, header) || header->sh_type == SHT_NOBITS ||
		    header->sh_flags & SHF_COMPRESSED)
			continue;
		name = elf_strptr(elf, names, header->sh_name);
		if (name && strcmp(name, wanted) == 0)
			return section;
	}
	return NULL;
}

static void compare_sections(struct comparison *at)
{
	Dwarf *debug = dwarf_begin_elf(at->elf, DWARF_C_READ, NULL);
	Dwarf_CFI *of_elf = dwarf_getcfi_elf(at->elf);
	Dwarf_CFI *of_debug = debug ? dwarf_getcfi(debug) : NULL;
	Elf_Scn *section;
	GElf_Shdr header;

	section = find_section(at->elf, ".eh_frame", &header);
	if (section && of_elf)
		compare_section(at, of_elf, section, &header, true);
	at->preferred = of_elf;
	section = find_section(at->elf, ".debug_frame", &header);
	if (section && of_debug)
		compare_section(at, of_debug, section, &header, false);
	if (of_elf)
		(void)dwarf_cfi_end(of_elf);
	(void)dwarf_end(debug);
}

static bool is_supported(Elf *elf)
{
	GElf_Ehdr header;

	return elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
	       gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64 &&
	       (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

static void compare_file(const char *path)
{
	_cleanup_(tm_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct comparison at = {.path = path};
	struct compiled compiled;
	GElf_Ehdr header;
	int r;

	if (fd < 0)
		return;
	at.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (at.elf && is_supported(at.elf)) {
		sum.files++;
		at.entry = gelf_getehdr(at.elf, &header) ? header.e_entry : 0;
		r = compiled_open(&compiled, fd);
		if (r) {
			sum.failed++;
			(void)printf("  status %d: %s\n", r, path);
		} else {
			sum.table_rows += compiled.view.header->rows;
			sum.table_bytes += compiled.table.bytes;
			sum.cpu_ns += compiled.cpu_ns;
			at.view = &compiled.view;
			compare_sections(&at);
			compiled_close(&compiled);
		}
	}
	(void)elf_end(at.elf);
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	if (type == FTW_F && S_ISREG(status->st_mode) && status->st_size > 64)
		compare_file(path);
	return 0;
}

static uint64_t all_differences(void)
{
	uint64_t all = 0;

	for (int i = 0; i < DIFFERENCE_N; i++) {
		all += sum.different[i];
		if (sum.different[i])
			(void)printf("%8" PRIu64 " rows: %s\n", sum.different[i], texts[i]);
	}
	return all;
}

static int report(void)
{
	uint64_t different = all_differences();
	double seconds = (double)sum.cpu_ns / 1e9;
	double bytes_per_row =
		sum.table_rows ? (double)sum.table_bytes / (double)sum.table_rows : 0.0;
	bool is_too_large = sum.table_rows >= ROWS_BOUNDED && bytes_per_row > BYTES_PER_ROW_MAX;

	(void)printf("%" PRIu64 " files (%" PRIu64 " not compiled), %" PRIu64 " functions (%" PRIu64
		     " refused by libdw, %" PRIu64 " not read), %" PRIu64 " rows\n",
		     sum.files, sum.failed, sum.functions, sum.refused, sum.unread, sum.rows);
	(void)printf("different: %" PRIu64 " rows, %.6f %%; on purpose: %" PRIu64 " rows\n",
		     different, sum.rows ? 100.0 * (double)different / (double)sum.rows : 0.0,
		     sum.on_purpose);
	(void)printf(
		"tables: %" PRIu64 " rows, %" PRIu64 " bytes, %.3f bytes a row; compiled %.1f MB "
		"of frames in %.3f s (%.1f MB/s, %.2f million rows/s)\n",
		sum.table_rows, sum.table_bytes, bytes_per_row, (double)sum.frame_bytes / 1e6,
		seconds, (double)sum.frame_bytes / 1e6 / seconds, (double)sum.rows / 1e6 / seconds);
	if (is_too_large)
		(void)printf("FAILED: more than %.1f bytes a row\n", BYTES_PER_ROW_MAX);
	return sum.failed || !sum.rows || different * 10000 > sum.rows || is_too_large;
}

int main(int argc, char **argv)
{
	int first = 1;

	if (first < argc && strcmp(argv[first], "--list") == 0)
		sum.list = first++ > 0;
	if (first < argc && strcmp(argv[first], "--go") == 0)
		sum.go = first++ > 0;
	if (first >= argc || elf_version(EV_CURRENT) == EV_NONE)
		return 2;
	for (int i = first; i < argc; i++) {
		_cleanup_(tm_freep) char *path = realpath(argv[i], NULL);

		if (!path || nftw(path, visit, FOLDERS_OPEN, FTW_PHYS) < 0)
			sum.failed++;
	}
	return report();
}
