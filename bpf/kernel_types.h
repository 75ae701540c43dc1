/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * kernel_types - the fields of kernel structures that the BPF programs read, for CO-RE
 *
 * Written by hand, so that the tree builds on a machine without BTF; the loader relocates every
 * access to the place of the field in the running kernel. A name with three underscores is the
 * same structure in another version of the kernel (a "flavour"). Programs test for a field, never
 * for a version.
 */

#include <linux/bpf.h>
#include <linux/types.h>

#ifdef __bpf__ /* a test builds this for user space */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

struct list_head {
	struct list_head *next;
};

struct thread_struct {
	unsigned long fsbase;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct rb_node {
	unsigned long __rb_parent_color;
	struct rb_node *rb_right;
	struct rb_node *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

typedef struct {
	long counter;
} atomic_long_t;

typedef struct {
	int counter;
} atomic_t;

struct rw_semaphore {
	atomic_long_t count;
};

struct maple_tree {
	void *ma_root;
};

typedef struct {
	void *vdso;
} mm_context_t;

struct file;
struct mm_struct {
	struct maple_tree mm_mt; /* from 6.1 */
	struct rb_root mm_rb;    /* before */
	struct rw_semaphore mmap_lock;
	int mm_lock_seq; /* 6.4 to 6.12, with per-VMA locks */
	int map_count;
	__u64 vmacache_seqnum; /* before 6.1 */
	mm_context_t context;
	struct file *exe_file;
	unsigned long start_code;
	unsigned long end_code;
	unsigned long start_stack;
};

typedef struct {
	unsigned int sequence;
} seqcount_t;

struct mm_struct___seq { /* from 6.13 */
	seqcount_t mm_lock_seq;
};

struct anon_vma_name {
	char name[1];
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	int vm_lock_seq;
	unsigned long vm_pgoff;
	struct file *vm_file;
	struct anon_vma_name *anon_name; /* from 5.18 */
	struct rb_node vm_rb;            /* this and the next: before 6.1 */
	struct vm_area_struct *vm_next;
};

struct qstr {
	const unsigned char *name;
};

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned long i_ino;
	unsigned int i_nlink;
	long long i_size;
	struct super_block *i_sb;
	__u32 i_generation;
	long long i_mtime_sec; /* from 6.11 */
	long long i_ctime_sec;
	__u32 i_mtime_nsec;
	__u32 i_ctime_nsec;
};

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

struct inode___mtime { /* to 6.5 */
	struct timespec64 i_mtime;
};

struct inode___private_mtime { /* 6.7 to 6.10 */
	struct timespec64 __i_mtime;
};

struct inode___ctime { /* to 6.5 */
	struct timespec64 i_ctime;
};

struct inode___private_ctime { /* 6.6 to 6.10 */
	struct timespec64 __i_ctime;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct super_block *d_sb;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	unsigned int f_mode;
	struct inode *f_inode;
	struct path f_path;
};

struct backing_file { /* user_path from 6.8; before, f_path is what the process sees */
	struct file file;
	struct path user_path;
};

struct kernfs_node {
	struct kernfs_node *parent; /* to 6.14 */
	const char *name;
	struct kernfs_iattrs *iattr; /* NULL: of root, as it was made */
	__u64 id;
};

struct kernfs_node___rcu { /* from 6.15 */
	struct kernfs_node *__parent;
};

struct cgroup_root;
struct cgroup {
	struct kernfs_node *kn;
	int level;
	struct cgroup_root *root;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[16];
	struct cgroup *dfl_cgrp;
	struct list_head cgrp_links;
};

struct cgrp_cset_link { /* one of a css_set for each hierarchy */
	struct cgroup *cgrp;
	struct list_head cgrp_link;
};

struct ns_common {
	unsigned int inum;
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct xarray {
	void *xa_head;
};

struct xa_node {
	unsigned char shift;
	void *slots[64];
};

struct idr {
	struct xarray idr_rt;
	unsigned int idr_base;
};

struct pid_namespace {
	struct idr idr;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct hlist_head tasks[1]; /* by enum pid_type: here of PIDTYPE_PID, a thread's own */
	struct upid numbers[1];
};

struct fs_struct {
	struct path root;
};

struct signal_struct {
	atomic_t live;
};

typedef struct {
	__u32 val;
} kuid_t;

struct kernfs_iattrs {
	kuid_t ia_uid;
};

struct user_namespace {
	struct user_namespace *parent;
	int level;
	kuid_t owner;
};

struct cred {
	kuid_t uid;
	kuid_t euid;
	struct user_namespace *user_ns;
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct bpf_mem_alloc {
	int objcg;
};

/* Which of the two is there says how it takes memory (kernel/bpf/bpf_local_storage.c). */
struct bpf_local_storage_map {
	struct bpf_mem_alloc storage_ma;  /* 6.4 to 6.18 */
	unsigned char use_kmalloc_nolock; /* from 6.19 */
};

struct sighand_struct;
struct task_struct {
	void *stack;
	unsigned int flags;
	int pid;
	int tgid;
	unsigned in_execve : 1;
	unsigned in_iowait : 1;
	unsigned int __state; /* from 5.14 */
	int on_cpu;
	struct sched_entity se;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct hlist_node pid_links[1]; /* as `tasks` of struct pid */
	__u64 start_boottime;
	__u64 self_exec_id;
	char comm[16];
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct sighand_struct *sighand;
	struct css_set *cgroups;
	const struct cred *cred;
	struct thread_struct thread;
};

struct task_struct___5_13 {
	long state;
};

struct kernel_clone_args {
	__u32 user_worker : 1; /* exists where PF_USER_WORKER has this meaning (6.4) */
};

struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct kallsym_iter {
	unsigned long value;
	char type;
	char name[512];
	char module_name[64];
};

struct bpf_iter__ksym {
	struct bpf_iter_meta *meta;
	struct kallsym_iter *ksym;
};

enum cgroup_subsys_id {
	memory_cgrp_id = 4, /* relocated to the value of the running kernel */
};

#ifdef __bpf__
#pragma clang attribute pop
#endif

/* include/linux/sched.h */
#define PF_EXITING     0x00000004u
#define PF_IO_WORKER   0x00000010u
#define PF_USER_WORKER 0x00004000u
#define PF_KTHREAD     0x00200000u

/* include/linux/mm.h */
#define VM_READ       0x1ul
#define VM_WRITE      0x2ul
#define VM_EXEC       0x4ul
#define VM_GROWSDOWN  0x100ul
#define VM_PFNMAP     0x400ul
#define VM_IO         0x4000ul

#define FMODE_BACKING (3u << 24) /* include/linux/fs.h: bit 25 from 6.5, 24 from 6.14 */
#define THREAD_SIZE   16384ul    /* x86-64 without KASAN */
#define USER32_CS     0x23ul     /* arch/x86/include/asm/segment.h */
