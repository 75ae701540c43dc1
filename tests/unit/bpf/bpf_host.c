/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_host - the user-space kernel around the BPF programs: memory, running task, clock
 */

#include "tests/unit/bpf/bpf_host.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/bpf_core_read.h>

#include "tests/model/random.h"
#include "tests/unit/bpf/bpf_maps.h"

#define REGIONS_MAX  16
#define START_NS     1000000000ull
#define KERNEL_START 4096u        /* addresses below fault, as those of a null pointer's fields */
#define KERNEL_END   (1ull << 47) /* addresses above fault, too */

static struct {
	enum bpf_host_kernel kernel;
	const void *task;
	uint64_t pid_tgid, ktime, step_ns, random;
	struct region {
		uint64_t start, bytes;
		uint8_t *memory;
	} regions[REGIONS_MAX];
	unsigned region_count, reads, kernel_reads;
	void (*before_read)(uint64_t address, uint32_t bytes);
	void (*after_read)(uint64_t address);
	void (*after_kernel_read)(void);
	const uint64_t *kernel_stack;
	uint32_t kernel_frames;
} host;

/* --- memory ----------------------------------------------------------------------------------- */

static struct region *region_of(uint64_t address)
{
	for (unsigned i = 0; i < host.region_count; i++)
		if (address - host.regions[i].start < host.regions[i].bytes)
			return &host.regions[i];
	return NULL;
}

long bpf_probe_read_user(void *to, __u32 bytes, const void *from)
{
	uint64_t address = (uintptr_t)from;
	uint8_t *out = to;

	host.reads++;
	if (host.before_read)
		host.before_read(address, bytes);
	for (uint32_t i = 0; i < bytes; i++, address++) {
		const struct region *region = region_of(address);

		if (!region) {
			memset(to, 0, bytes);
			return -EFAULT;
		}
		out[i] = region->memory[address - region->start];
	}
	if (host.after_read)
		host.after_read((uintptr_t)from);
	return 0;
}

static void kernel_was_read(void)
{
	host.kernel_reads++;
	if (host.after_kernel_read)
		host.after_kernel_read();
}

long bpf_probe_read_kernel(void *to, __u32 bytes, const void *from)
{
	uint64_t address = (uintptr_t)from;

	memset(to, 0, bytes);
	if (address < KERNEL_START || address >= KERNEL_END)
		return -EFAULT;
	memcpy(to, from, bytes);
	kernel_was_read();
	return 0;
}

long bpf_probe_read_user_str(void *to, __u32 bytes, const void *from)
{
	uintptr_t address = (uintptr_t)from;
	char *out = to;

	for (uint32_t i = 0; i < bytes; i++) {
		if (bpf_probe_read_user(out + i, 1, (const void *)(address + i)))
			return -EFAULT;
		if (!out[i])
			return (long)i + 1;
	}
	if (bytes)
		out[bytes - 1] = 0;
	return (long)bytes;
}

long bpf_probe_read_kernel_str(void *to, __u32 bytes, const void *from)
{
	uint64_t address = (uintptr_t)from;
	size_t length;

	if (address < KERNEL_START || address >= KERNEL_END || !bytes)
		return -EFAULT;
	length = strnlen(from, bytes - 1);
	memcpy(to, from, length);
	((char *)to)[length] = 0;
	kernel_was_read();
	return (long)length + 1;
}

void bpf_host_after_kernel_read(void (*fn)(void))
{
	host.after_kernel_read = fn;
}

void bpf_host_before_read(void (*fn)(uint64_t address, uint32_t bytes))
{
	host.before_read = fn;
}

void bpf_host_after_read(void (*fn)(uint64_t address))
{
	host.after_read = fn;
}

void bpf_host_memory(uint64_t start, uint64_t bytes)
{
	assert_true(host.region_count < REGIONS_MAX);
	host.regions[host.region_count] = (struct region){start, bytes, calloc(1, bytes)};
	assert_non_null(host.regions[host.region_count].memory);
	host.region_count++;
}

void bpf_host_write(uint64_t address, const void *from, size_t bytes)
{
	const struct region *region = region_of(address);

	if (!region) {
		fail_msg("no user memory at %llx", (unsigned long long)address);
		return;
	}
	assert_true(address - region->start + bytes <= region->bytes);
	memcpy(region->memory + (address - region->start), from, bytes);
}

/* --- the running task, the clock -------------------------------------------------------------- */

__u64 bpf_ktime_get_ns(void)
{
	return host.ktime += host.step_ns;
}

__u64 bpf_get_current_task(void)
{
	return (uintptr_t)host.task;
}

__u64 bpf_get_current_pid_tgid(void)
{
	return host.pid_tgid;
}

long bpf_get_current_comm(void *to, __u32 bytes)
{
	memset(to, 0, bytes);
	return 0;
}

__u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

__u32 bpf_get_prandom_u32(void)
{
	return host.random ? (__u32)random_next(&host.random) : 0;
}

struct task_struct *bpf_get_current_task_btf(void)
{
	fail_msg("bpf_get_current_task_btf() is called, but was reported missing");
	return NULL;
}

long bpf_get_stack(void *context, void *to, __u32 bytes, __u64 flags)
{
	uint32_t count = host.kernel_frames;

	if (count > bytes / 8)
		count = bytes / 8;
	if (count)
		memcpy(to, host.kernel_stack, 8ull * count);
	return 8 * (long)count;
}

/* The scheduler's hooks are tested on the kernel; nothing calls these three here. */
void *bpf_task_storage_get(void *map, struct task_struct *task, void *value, __u64 flags)
{
	return NULL;
}

long bpf_get_task_stack(struct task_struct *task, void *to, __u32 bytes, __u64 flags)
{
	return 0;
}

long bpf_seq_write(void *seq, const void *data, __u32 bytes)
{
	return 0;
}

long bpf_loop(__u32 times, void *step, void *data, __u64 flags)
{
	long (*function)(__u32 index, void *data);
	__u32 i = 0;

	memcpy(&function, &step, sizeof(function));
	while (i < times && !function(i++, data))
		;
	return i;
}

bool bpf_host_has_field(const char *type, const char *field)
{
	static const char *const absent[] = {
		"struct mm_struct___seq mm_lock_seq.sequence",
		"struct backing_file user_path",
		"struct kernfs_node___rcu __parent",
	};
	static const char *const maple[] = {"struct mm_struct mm_rb"};
	static const char *const red_black[] = {
		"struct mm_struct mm_lock_seq", "struct vm_area_struct vm_lock_seq",
		"struct inode i_mtime_sec",     "struct inode___private_mtime __i_mtime",
		"struct inode i_ctime_sec",     "struct inode___private_ctime __i_ctime"};
	bool is_maple = host.kernel == BPF_HOST_MAPLE;
	const char *const *more = is_maple ? maple : red_black;
	size_t count = is_maple ? sizeof(maple) : sizeof(red_black);
	char name[128];

	(void)snprintf(name, sizeof(name), "%s %s", type, field);
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		if (!strcmp(absent[i], name))
			return false;
	for (size_t i = 0; i < count / sizeof(more[0]); i++)
		if (!strcmp(more[i], name))
			return false;
	return true;
}

unsigned bpf_host_reads(void)
{
	return host.reads;
}

unsigned bpf_host_kernel_reads(void)
{
	return host.kernel_reads;
}

void bpf_host_run(const void *task, uint32_t tgid, uint32_t tid)
{
	host.task = task;
	host.pid_tgid = (uint64_t)tgid << 32 | tid;
}

void bpf_host_clock(uint64_t step_ns)
{
	host.step_ns = step_ns;
}

void bpf_host_pass(uint64_t ns)
{
	host.ktime += ns;
}

void bpf_host_random(uint64_t seed)
{
	host.random = seed;
}

void bpf_host_kernel_stack(const uint64_t *addresses, uint32_t count)
{
	host.kernel_stack = addresses;
	host.kernel_frames = count;
}

void bpf_host_reset(enum bpf_host_kernel kernel)
{
	for (unsigned i = 0; i < host.region_count; i++)
		free(host.regions[i].memory);
	memset(&host, 0, sizeof(host));
	host.kernel = kernel;
	host.ktime = START_NS;
	bpf_maps_reset();
}
