/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampled_memory - the files and mappings of the process that a test samples, in either tree
 */

#include "tests/unit/bpf/sampled_memory.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/bpf/sampled.h"

#define MAPPINGS_MAX  112
#define LEAF_MAPPINGS 7 /* each with a gap below it */
#define LEAVES        (MAPPINGS_MAX / LEAF_MAPPINGS)
#define MAPLE_NODE    256

static struct super_block superblock = {.s_dev = 0x801, .s_magic = 0xef53};
static struct { /* the programs copy as much of an inode as a real one has */
	struct inode inode;
	uint8_t rest[256];
} inodes[SAMPLED_FILES];
static struct dentry dentries[SAMPLED_FILES];
static struct file files_of[SAMPLED_FILES];
static struct mm_struct mm;
static struct vm_area_struct vmas[MAPPINGS_MAX]; /* by address */
static union {
	struct anon_vma_name name;
	char text[32]; /* it begins where that of `name` does */
} memory_name;
static unsigned mappings;
static uint64_t maple_nodes[LEAVES + 1][MAPLE_NODE / 8] __attribute__((aligned(MAPLE_NODE)));
static enum bpf_host_kernel kernel;

static void make_files(void)
{
	for (unsigned i = 0; i < SAMPLED_FILES; i++) {
		inodes[i].inode.i_ino = SAMPLED_INO(i);
		inodes[i].inode.i_nlink = 1;
		inodes[i].inode.i_size = 1 << 20;
		inodes[i].inode.i_sb = &superblock;
		dentries[i].d_name.name = (const unsigned char *)"library";
		files_of[i].f_inode = &inodes[i].inode;
		files_of[i].f_path.dentry = &dentries[i];
	}
	dentries[SAMPLED_DUMP_FILE].d_name.name = (const unsigned char *)"jit-4194304.dump";
}

/* Pivots and slots of the leaf with the mappings from @first on. */
static void make_leaf(uint64_t *node, unsigned first)
{
	uint64_t *pivots = node + 1, *slots = node + 16;

	for (unsigned i = first, at = 0; i < mappings && i < first + LEAF_MAPPINGS; i++) {
		pivots[at++] = vmas[i].vm_start - 1;
		pivots[at] = vmas[i].vm_end - 1;
		slots[at++] = (uintptr_t)&vmas[i];
	}
}

/* A root over leaves, with a slot for each mapping and one for each gap below it. */
static void make_maple_tree(void)
{
	uint64_t *root = maple_nodes[LEAVES], entry = (uintptr_t)root | 2 << 3 | 2;

	memset(maple_nodes, 0, sizeof(maple_nodes));
	for (unsigned leaf = 0; leaf * LEAF_MAPPINGS < mappings; leaf++) {
		unsigned next = (leaf + 1) * LEAF_MAPPINGS;

		make_leaf(maple_nodes[leaf], leaf * LEAF_MAPPINGS);
		root[16 + leaf] = (uintptr_t)maple_nodes[leaf] | 1 << 3;
		if (next < mappings)
			root[1 + leaf] = vmas[next - 1].vm_end - 1;
	}
	memcpy(&mm.mm_mt.ma_root, &entry, sizeof(entry));
}

/* The root of a balanced tree of the mappings from @first to before @end. */
static struct rb_node *make_red_black_tree(unsigned first, unsigned end)
{
	unsigned middle = (first + end) / 2;

	if (first == end)
		return NULL;
	vmas[middle].vm_rb.rb_left = make_red_black_tree(first, middle);
	vmas[middle].vm_rb.rb_right = make_red_black_tree(middle + 1, end);
	vmas[middle].vm_next = middle + 1 < mappings ? &vmas[middle + 1] : NULL;
	return &vmas[middle].vm_rb;
}

static void make_trees(void)
{
	mm.map_count = (int)mappings;
	mm.mm_lock_seq += 2;
	if (kernel == BPF_HOST_MAPLE)
		make_maple_tree();
	else
		mm.mm_rb.rb_node = make_red_black_tree(0, mappings);
}

void sampled_unmap(uint64_t start)
{
	for (unsigned i = 0; i < mappings; i++)
		if (vmas[i].vm_start == start) {
			memmove(&vmas[i], &vmas[i + 1], (mappings - i - 1) * sizeof(*vmas));
			mappings--;
		}
	make_trees();
}

void sampled_map(uint64_t start, uint64_t bytes, uint64_t flags, enum sampled_file file,
		 uint64_t pgoff)
{
	unsigned at = 0;

	sampled_unmap(start);
	assert_true(mappings < MAPPINGS_MAX);
	while (at < mappings && vmas[at].vm_start < start)
		at++;
	memmove(&vmas[at + 1], &vmas[at], (mappings - at) * sizeof(*vmas));
	mappings++;
	vmas[at] = (struct vm_area_struct){
		.vm_start = start,
		.vm_end = start + bytes,
		.vm_mm = &mm,
		.vm_flags = flags,
		.vm_pgoff = pgoff,
		.vm_file = file == SAMPLED_ANONYMOUS ? NULL : &files_of[file],
		.vm_lock_seq = -1,
	};
	make_trees();
}

static void map_readable(uint64_t start, uint64_t bytes, uint64_t flags, enum sampled_file file)
{
	sampled_map(start, bytes, flags, file, 0);
	bpf_host_memory(start, SAMPLED_BYTES);
}

static void make_mappings(void)
{
	mappings = 0;
	map_readable(SAMPLED_CODE, SAMPLED_CODE_BYTES, VM_EXEC, SAMPLED_PROGRAM_FILE);
	map_readable(SAMPLED_LIBRARY, SAMPLED_BYTES, VM_EXEC, SAMPLED_LIBRARY_FILE);
	map_readable(SAMPLED_JIT, SAMPLED_BYTES, VM_EXEC, SAMPLED_ANONYMOUS);
	map_readable(SAMPLED_DATA, SAMPLED_BYTES, VM_READ | VM_WRITE, SAMPLED_ANONYMOUS);
	map_readable(SAMPLED_STACK, SAMPLED_STACK_BYTES, VM_READ | VM_WRITE | VM_GROWSDOWN,
		     SAMPLED_ANONYMOUS);
	map_readable(SAMPLED_VDSO, SAMPLED_BYTES, VM_EXEC, SAMPLED_ANONYMOUS);
}

void sampled_change_times(int64_t mtime_sec, int64_t ctime_sec, uint32_t ctime_nsec)
{
	inodes[0].inode.i_mtime_sec = mtime_sec;
	inodes[0].inode.i_ctime_sec = ctime_sec;
	inodes[0].inode.i_ctime_nsec = ctime_nsec;
}

void sampled_grow(enum sampled_file file)
{
	inodes[file].inode.i_size += 100;
	inodes[file].inode.i_mtime_sec++;
	inodes[file].inode.i_ctime_sec++;
}

void sampled_name(enum sampled_file file, const char *name)
{
	dentries[file].d_name.name = (const unsigned char *)name;
}

void sampled_recycle(enum sampled_file file, enum sampled_file other)
{
	files_of[file] = files_of[other];
}

void sampled_name_memory(uint64_t start, const char *name)
{
	(void)snprintf(memory_name.text, sizeof(memory_name.text), "%s", name);
	for (unsigned i = 0; i < mappings; i++)
		if (vmas[i].vm_start == start)
			vmas[i].anon_name = &memory_name.name;
	make_trees();
}

struct mm_struct *sampled_make_memory(enum bpf_host_kernel chosen)
{
	kernel = chosen;
	mm = (struct mm_struct){.mm_lock_seq = 1};
	make_files();
	sampled_change_times(0, 0, 0);
	make_mappings();
	return &mm;
}

void sampled_refresh_memory(void)
{
	mm.start_stack = sampled.start_stack;
	mm.context.vdso = (void *)(uintptr_t)sampled.vdso;
	mm.start_code = sampled.start_code;
	mm.end_code = sampled.end_code;
	mm.exe_file = sampled.end_code ? &files_of[SAMPLED_PROGRAM_FILE] : NULL;
}
