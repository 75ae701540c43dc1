/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile_tables - unwind tables with one defect each, and descriptors that are no tables
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/integration/programs/hostile_symbolizer.h"

#define SEALS      (F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define VAST_BYTES (1ll << 40)

_Static_assert(sizeof(struct hostile_table) == 32 + 8 + 16 * HOSTILE_RULES + 1024 * HOSTILE_PAGES,
	       "laid out as tm_unwind_table_bytes says");

static void page_make(struct tm_unwind_table_page *page)
{
	for (size_t i = 0; i < TM_UNWIND_TABLE_PAGE; i++) {
		page->offsets[i] = i < 4 ? (uint16_t)(i * 0x1000) : TM_UNWIND_TABLE_PAD;
		page->rules[i] = i < 4 ? (uint16_t)(i % HOSTILE_RULES) : 0;
	}
}

void hostile_table_make(struct hostile_table *table)
{
	*table = (struct hostile_table){
		.header = {.magic = TM_UNWIND_TABLE_MAGIC,
			   .pages = HOSTILE_PAGES,
			   .rules = HOSTILE_RULES,
			   .rows = 4 * HOSTILE_PAGES,
			   .frames = 4},
		.starts = {0, 0x10000},
		.rules = {{.cfa = TM_CFA_SP,
			   .ra = TM_SAVED_CFA,
			   .fp = TM_SAVED_SAME,
			   .cfa_offset = 8,
			   .ra_offset = -8},
			  {.cfa = TM_CFA_FP,
			   .ra = TM_SAVED_CFA,
			   .fp = TM_SAVED_CFA,
			   .cfa_offset = 16,
			   .ra_offset = -8,
			   .fp_offset = -16},
			  {.cfa = TM_CFA_END}},
	};
	for (size_t i = 0; i < HOSTILE_PAGES; i++)
		page_make(&table->pages[i]);
}

#define SPOIL(name, statement)                                \
	static void spoil_##name(struct hostile_table *table) \
	{                                                     \
		statement;                                    \
	}
SPOIL(nothing, (void)table)
SPOIL(magic, table->header.magic++)
SPOIL(flags, table->header.flags = 0x80000000u)
SPOIL(pad, table->header.pad = 1)
SPOIL(refused, table->header.refused = 5)
SPOIL(pages, table->header.pages = UINT32_MAX)
SPOIL(pages_more, table->header.pages++)
SPOIL(rules_more, table->header.rules = 1u << 30)
SPOIL(rows, table->header.rows++)
SPOIL(starts, table->starts[1] = 0)
SPOIL(overlap, table->starts[1] = 0x3000)
SPOIL(beyond, table->starts[1] = UINT32_MAX - 0x100)
SPOIL(first, table->pages[0].offsets[0] = 1)
SPOIL(unsorted, table->pages[0].offsets[2] = 0x3800)
SPOIL(twice, table->pages[1].offsets[3] = 0x2000)
SPOIL(behind, table->pages[0].offsets[9] = 0x4000)
SPOIL(rule, table->pages[1].rules[1] = HOSTILE_RULES)
SPOIL(rule_behind, table->pages[1].rules[255] = UINT16_MAX)
SPOIL(cfa, table->rules[0].cfa = TM_CFA_N)
SPOIL(ra, table->rules[0].ra = TM_SAVED_N)
SPOIL(no_ra, table->rules[0].ra = TM_SAVED_NOWHERE)
SPOIL(fp, table->rules[1].fp = 0xff)
SPOIL(rule_flags, table->rules[1].flags = 0x80)
SPOIL(base, table->rules[1].base = TM_UNWIND_TABLE_REGISTERS)
SPOIL(reg, (table->rules[0].fp = TM_SAVED_REGISTER, table->rules[0].fp_offset = -1))
SPOIL(end, table->rules[2].ra = TM_SAVED_CFA)

const struct hostile_bytes hostile_bytes[] = {
	{"another magic", spoil_magic, 0},
	{"unknown flags", spoil_flags, 0},
	{"padding that is not 0", spoil_pad, 0},
	{"more refused than there are", spoil_refused, 0},
	{"2^32 - 1 pages", spoil_pages, 0},
	{"a page more than bytes", spoil_pages_more, 0},
	{"2^30 rules", spoil_rules_more, 0},
	{"another count of rows", spoil_rows, 0},
	{"pages that begin at one offset", spoil_starts, 0},
	{"pages that overlap", spoil_overlap, 0},
	{"a page beyond 4 GiB", spoil_beyond, 0},
	{"a first distance that is not 0", spoil_first, 0},
	{"unsorted rows", spoil_unsorted, 0},
	{"two rows at one offset", spoil_twice, 0},
	{"a row after the padding", spoil_behind, 0},
	{"a rule out of range", spoil_rule, 0},
	{"a rule out of range in the padding", spoil_rule_behind, 0},
	{"an unknown frame address", spoil_cfa, 0},
	{"an unknown rule for the return address", spoil_ra, 0},
	{"no rule for the return address", spoil_no_ra, 0},
	{"an unknown rule for the frame pointer", spoil_fp, 0},
	{"unknown flags of a rule", spoil_rule_flags, 0},
	{"an unknown base register", spoil_base, 0},
	{"a frame pointer in an unknown register", spoil_reg, 0},
	{"an end with a return address", spoil_end, 0},
	{"nothing but a header", spoil_nothing,
	 -(long)(sizeof(struct hostile_table) - sizeof(struct tm_unwind_table))},
	{"half a header", spoil_nothing, -(long)(sizeof(struct hostile_table) - 16)},
	{"no bytes", spoil_nothing, -(long)sizeof(struct hostile_table)},
	{"eight bytes too few", spoil_nothing, -8},
	{"one byte too few", spoil_nothing, -1},
	{"one byte too many", spoil_nothing, 1},
	{"a page too many", spoil_nothing, 1024},
};
const size_t hostile_bytes_count = sizeof(hostile_bytes) / sizeof(*hostile_bytes);

static int memory(const void *bytes, size_t count, int seals)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count ||
	    fcntl(fd, F_ADD_SEALS, seals) < 0)
		return -errno;
	return fd;
}

static int no_seals(const void *bytes, size_t count)
{
	return memory(bytes, count, 0);
}
static int writable(const void *bytes, size_t count)
{
	return memory(bytes, count, SEALS & ~F_SEAL_WRITE);
}
static int shrinking(const void *bytes, size_t count)
{
	return memory(bytes, count, SEALS & ~F_SEAL_SHRINK);
}
static int growing(const void *bytes, size_t count)
{
	return memory(bytes, count, SEALS & ~F_SEAL_GROW);
}
static int only_later(const void *bytes, size_t count)
{
	return memory(bytes, count, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
}

/* A sparse memfd whose size matches its header. */
static int vast(const void *bytes, size_t count)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count || ftruncate(fd, VAST_BYTES) < 0 ||
	    fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return -errno;
	return fd;
}

static int file(const void *bytes, size_t count)
{
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
		return -errno;
	return fd;
}

static int pipe_end(const void *bytes, size_t count)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0 || write(ends[1], bytes, count) != (ssize_t)count)
		return -errno;
	return ends[0]; /* the other end stays open, so a reader would block for ever */
}

static int socket_end(const void *bytes, size_t count)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0 ||
	    write(ends[1], bytes, count) != (ssize_t)count)
		return -errno;
	return ends[0];
}

static int device(const void *bytes, size_t count)
{
	return open("/dev/zero", O_RDWR | O_CLOEXEC);
}
static int folder(const void *bytes, size_t count)
{
	return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
static int place(const void *bytes, size_t count)
{
	return open("/bin/sh", O_PATH | O_CLOEXEC);
}

const struct hostile_container hostile_containers[] = {
	{"a memfd without seals", no_seals},
	{"a memfd that can be written", writable},
	{"a memfd that can shrink", shrinking},
	{"a memfd that can grow", growing},
	{"a memfd whose old mappings can write", only_later},
	{"a sealed memfd of 1 TiB", vast},
	{"a file", file},
	{"a pipe", pipe_end},
	{"a socket", socket_end},
	{"a device", device},
	{"a folder", folder},
	{"a path opened without access", place},
};
const size_t hostile_containers_count = sizeof(hostile_containers) / sizeof(*hostile_containers);
