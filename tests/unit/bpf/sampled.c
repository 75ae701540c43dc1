/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampled - the process that a test samples: registers, unwind table, stack
 */

#include "tests/unit/bpf/sampled.h"

#include <stdlib.h>
#include <string.h>

#include <linux/bpf_perf_event.h>

#include "bpf/kernel_types.h"
#include "collector/unwind_layout.h"
#include "tests/unit/bpf/programs.h"
#include "tests/unit/bpf/sampled_memory.h"

#define ROWS_MAX  40000
#define USER_CS   0x33
#define USER_SS   0x2b
#define KERNEL_IP 0xffffffff81000000ull
#define STACK_PAD 16 /* bytes above the registers where the kernel can use FRED */

struct sampled sampled;

static struct cred cred;
static struct mm_struct *mm;
static struct task_struct task;
static struct sighand_struct *sighand;
static uint8_t kernel_stack[THREAD_SIZE] __attribute__((aligned(16)));
static enum bpf_host_kernel kernel;

static struct rows {
	uint32_t offsets[ROWS_MAX];
	struct tm_rule rules[ROWS_MAX];
	uint32_t count;
	uint32_t installed;
	uint32_t next_unit;
	uint64_t reference; /* to the table that was installed last */
} rows;

/* --- the unwind table ------------------------------------------------------------------------- */

/* Rows that fit in the page that begins with row @from. */
static uint32_t page_rows(uint32_t from)
{
	uint32_t count = 1;

	while (count < TM_UNWIND_TABLE_PAGE && from + count < rows.count &&
	       rows.offsets[from + count] - rows.offsets[from] < TM_UNWIND_TABLE_PAD)
		count++;
	return count;
}

static void fill_page(struct tm_unwind_table_page *page, uint32_t from, uint32_t count)
{
	for (uint32_t i = 0; i < TM_UNWIND_TABLE_PAGE; i++) {
		uint32_t row = from + (i < count ? i : count - 1);

		page->offsets[i] = i < count ? (uint16_t)(rows.offsets[row] - rows.offsets[from])
					     : TM_UNWIND_TABLE_PAD;
		page->rules[i] = (uint16_t)row;
	}
}

/* The rows as the parser would send them. */
static void *make_table(size_t *ret_bytes)
{
	uint32_t pages = 0, page = 0;
	struct tm_unwind_table *table;
	struct tm_unwind_table_page *page_at;
	struct tm_rule *rules;
	uint32_t *starts;

	for (uint32_t row = 0; row < rows.count; row += page_rows(row))
		pages++;
	*ret_bytes = tm_unwind_table_bytes(pages, rows.count) +
		     (sampled.runtime.kind ? TM_UNWIND_TABLE_RUNTIME_BYTES : 0);
	table = calloc(1, *ret_bytes);
	assert_non_null(table);
	*table = (struct tm_unwind_table){.magic = TM_UNWIND_TABLE_MAGIC,
					  .pages = pages,
					  .rules = rows.count,
					  .rows = rows.count,
					  .flags = sampled.runtime.kind ? TM_UNWIND_TABLE_RUNTIME
									: 0};
	starts = (uint32_t *)(table + 1);
	rules = (struct tm_rule *)(void *)(starts + ((pages + 1) & ~1u));
	page_at = (struct tm_unwind_table_page *)(void *)(rules + rows.count);
	memcpy(rules, rows.rules, rows.count * sizeof(*rules));
	for (uint32_t row = 0; row < rows.count; row += page_rows(row), page++) {
		starts[page] = rows.offsets[row];
		fill_page(&page_at[page], row, page_rows(row));
	}
	if (sampled.runtime.kind)
		memcpy(&page_at[page], &sampled.runtime, sizeof(sampled.runtime));
	return table;
}

/* What the collector does: the units, then the reference. */
static void change_table(uint32_t number, uint64_t reference)
{
	uint64_t arguments[] = {number, TM_FILE_TABLE, reference};

	assert_int_equal(change_file((void *)arguments), 1);
}

static uint32_t code_number(void)
{
	uint32_t number = TM_FILE_NONE;
	struct tm_file_state *state;

	for (uint32_t i = 0; (state = bpf_maps_file(i, &number)); i++)
		if (state->identity.ino == SAMPLED_INO(SAMPLED_PROGRAM_FILE))
			return number;
	return TM_FILE_NONE;
}

static void run_programs(bool bounded);

void sampled_install(void)
{
	struct pt_regs registers = sampled.registers;
	struct tm_unwind_table_view view;
	struct unwind_layout layout;
	size_t bytes;
	void *table;

	if (code_number() == TM_FILE_NONE) { /* a file gets its number when it is first sampled */
		sampled.registers.rip = SAMPLED_CODE;
		run_programs(false);
		sampled.registers = registers;
	}
	table = make_table(&bytes);
	assert_int_equal(tm_unwind_table_check(&view, table, bytes), 0);
	layout = unwind_layout_of(&view);
	for (uint32_t i = 0; i < layout.units; i++)
		unwind_layout_write(&layout, i, bpf_maps_unit(rows.next_unit + i));
	rows.reference = unwind_layout_reference(&layout, rows.next_unit);
	change_table(code_number(), rows.reference);
	rows.next_unit += layout.units;
	rows.installed = rows.count;
	free(table);
}

void sampled_row(uint32_t offset, struct tm_rule rule)
{
	assert_true(rows.count < ROWS_MAX);
	assert_true(!rows.count || rows.offsets[rows.count - 1] < offset);
	rows.offsets[rows.count] = offset;
	rows.rules[rows.count++] = rule;
}

void sampled_rows_clear(void)
{
	rows.count = 0;
	rows.installed = 0;
}

void sampled_vdso_table(void)
{
	change_table(TM_UNWIND_MAP_VDSO, rows.reference);
}

/* --- the process ------------------------------------------------------------------------------ */

void sampled_store(uint64_t address, uint64_t word)
{
	bpf_host_write(address, &word, sizeof(word));
}

int sampled_make(void **state)
{
	bpf_host_reset(kernel);
	files_generation = 0;
	files_known = 0;
	files_salt = 0;
	vdso_table = 0;
	memset(&rows.count, 0, sizeof(rows) - offsetof(struct rows, count));
	mm = sampled_make_memory(kernel);
	sampled = (struct sampled){
		.registers = {.rip = CODE(0x1000),
			      .rsp = SAMPLED_SP,
			      .cs = USER_CS,
			      .ss = USER_SS,
			      .rax = 1},
		.period = TM_NS_PER_SECOND / 99,
		.start_stack = SAMPLED_STACK + SAMPLED_STACK_BYTES,
	};
	return 0;
}

int sampled_on_maple(void **state)
{
	kernel = BPF_HOST_MAPLE;
	return 0;
}

int sampled_on_red_black(void **state)
{
	kernel = BPF_HOST_RED_BLACK;
	return 0;
}

static void run_programs(bool bounded)
{
	struct bpf_perf_event_data context = {.regs = sampled.registers,
					      .sample_period = sampled.period};
	size_t above = sizeof(struct pt_regs) + (sampled.padded ? STACK_PAD : 0);

	if (sampled.in_kernel)
		context.regs = (struct pt_regs){.rip = KERNEL_IP};
	memset(kernel_stack, 0, sizeof(kernel_stack));
	memcpy(kernel_stack + sizeof(kernel_stack) - above, &sampled.registers,
	       sizeof(sampled.registers));
	sampled_refresh_memory();
	cred = (struct cred){
		.uid.val = sampled.uid, .euid.val = SAMPLED_EUID, .user_ns = sampled.user};
	task = (struct task_struct){
		.stack = kernel_stack,
		.flags = sampled.task_flags,
		.pid = 100,
		.tgid = 100,
		.in_execve = sampled.in_execve ? 1 : 0,
		.mm = sampled.has_no_mm ? NULL : mm,
		.cred = &cred,
		.group_leader = &task,
		.start_boottime = 5000,
		.self_exec_id = 3 + sampled.execs,
		.sighand = sighand,
		.cgroups = sampled.cgroups,
		.thread.fsbase = sampled.thread_pointer,
	};
	bpf_host_run(&task, 100, 100);
	bpf_host_pass(1); /* no two samples have one time */
	assert_int_equal(bounded ? sample_bounded(&context) : sample_loop(&context), 0);
}

const struct tm_sample *sampled_once(void)
{
	run_programs(false);
	return bpf_maps_sample();
}

const struct tm_sample *sampled_take(void)
{
	const struct tm_sample *sample;
	struct tm_sample *looped;
	size_t bytes;

	if (rows.installed != rows.count)
		sampled_install();
	run_programs(false);
	assert_non_null(bpf_maps_sample());
	bytes = bpf_maps_sample()->event.bytes;
	looped = malloc(bytes);
	assert_non_null(looped);
	memcpy(looped, bpf_maps_sample(), bytes);
	run_programs(true);
	sample = bpf_maps_sample();
	assert_int_equal(sample->event.bytes, bytes);
	assert_int_equal(sample->user_stop, looped->user_stop);
	assert_memory_equal(sample->frames, looped->frames, bytes - sizeof(*sample));
	free(looped);
	return sample;
}

/* The frame without the number of its file, which is a hash of the file's identity. */
static uint64_t without_number(uint64_t frame)
{
	if (frame >> TM_FRAME_KIND_SHIFT != TM_FRAME_FILE)
		return frame;
	return frame & ~((uint64_t)TM_FRAME_FILE_MAX << TM_FRAME_FILE_SHIFT);
}

void sampled_expect_at(const char *file, int line, enum tm_stop stop, const uint64_t *frames,
		       unsigned count)
{
	const struct tm_sample *sample = sampled_take();
	const uint64_t *user = sample->frames + sample->kernel_frames;
	bool equal = sample->user_frames == count && sample->user_stop == stop;

	for (unsigned i = 0; equal && i < count; i++)
		equal = without_number(user[i]) == frames[i];
	if (equal)
		return;
	print_error("expected stop %d and %u frames, got stop %d:\n", (int)stop, count,
		    sample->user_stop);
	for (unsigned i = 0; i < sample->user_frames && i < count + 8; i++)
		print_error("  %016llx%s%016llx\n", (unsigned long long)without_number(user[i]),
			    i < count && without_number(user[i]) == frames[i] ? "  " : " !",
			    i < count ? (unsigned long long)frames[i] : 0);
	_fail(file, line);
}
