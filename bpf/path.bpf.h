/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * path - the path of a file or a cgroup, packed leaf first, from dentries, mounts and kernfs
 *
 * The write position is in the scratch memory, and each component is one call of a function that
 * the verifier checks by itself: so it does not have to follow the position from component to
 * component.
 */

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"

#define CGROUP_HIERARCHIES  16 /* a process has one cgroup in each; further ones are ignored */
#define PATH_NAME_BYTES     24
#define PATH_COMPONENTS_MAX 128 /* components of one path; more are cut, TM_PATH_CUT */
#define COMPONENT_MAX       257 /* NAME_MAX, the NUL, and one byte more to detect a longer name */

enum path_step {
	PATH_MORE,
	PATH_DONE
};

static __always_inline int path_put(struct scratch *s, __u64 name)
{
	struct path_walk *path = &s->path;
	__u64 position = path->position;
	long bytes;

	if (!path->left)
		return PATH_DONE;
	path->left--;
	if (position >= path->end || position >= ANNOUNCE_MAX) {
		path->flags |= path->cut;
		return PATH_DONE;
	}
	kread_opaque(position);
	if (position >= ANNOUNCE_MAX)
		return PATH_DONE;
	bytes = bpf_probe_read_kernel_str(&s->announce.bytes[position], COMPONENT_MAX,
					  (const void *)name);
	if (bytes <= 1) {
		path->flags |= path->cut;
		return PATH_DONE;
	}
	if (bytes == COMPONENT_MAX)
		path->flags |= path->cut;
	path->position = (__u32)(position + (__u64)bytes);
	return PATH_MORE;
}

/* Reads a name to where announcements are made: nothing may be announced now. Return: its first
 * PATH_NAME_BYTES, behind its end 0; NULL: it cannot be read. */
static __always_inline const __u64 *path_read_name(struct scratch *s, __u64 name)
{
	__u64 *words = (__u64 *)s->announce.bytes;

	words[0] = words[1] = words[2] = 0;
	if (bpf_probe_read_kernel_str(words, PATH_NAME_BYTES, (const void *)name) < 0)
		return NULL;
	return words;
}

static __always_inline __u64 path_mount_of(__u64 vfsmount)
{
	return vfsmount - bpf_core_field_offset(struct mount, mnt);
}

__noinline int path_climb(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 dentry, mount, up;

	if (!s)
		return PATH_DONE;
	dentry = s->path.dentry;
	mount = s->path.mount;
	if (!dentry || (dentry == s->path.root_dentry && mount == s->path.root_mount))
		return PATH_DONE;
	if (dentry == (__u64)KERNEL_READ(mount, mount, mnt.mnt_root)) {
		up = (__u64)KERNEL_READ(mount, mount, mnt_parent);
		if (!up || up == mount)
			return PATH_DONE;
		s->path.dentry = (__u64)KERNEL_READ(mount, mount, mnt_mountpoint);
		s->path.mount = up;
		return PATH_MORE;
	}
	up = (__u64)KERNEL_READ(dentry, dentry, d_parent);
	if (path_put(s, (__u64)KERNEL_READ(dentry, dentry, d_name.name)) == PATH_DONE)
		return PATH_DONE;
	if (up == dentry) {
		s->path.flags |= TM_PATH_UNNAMED;
		return PATH_DONE;
	}
	s->path.dentry = up;
	return PATH_MORE;
}

static __always_inline __u64 path_kernfs_parent(__u64 node)
{
	if (bpf_core_field_exists(struct kernfs_node___rcu, __parent))
		return (__u64)KERNEL_READ(kernfs_node___rcu, node, __parent);
	return (__u64)KERNEL_READ(kernfs_node, node, parent);
}

__noinline int path_climb_cgroup(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 node, up;

	if (!s)
		return PATH_DONE;
	node = s->path.dentry;
	if (!node)
		return PATH_DONE;
	up = path_kernfs_parent(node);
	if (!up)
		return PATH_DONE;
	s->path.dentry = up;
	return path_put(s, (__u64)KERNEL_READ(kernfs_node, node, name));
}

/*
 * The path under which the process sees the file: not that of the file behind an overlay. The bit
 * for backing files has moved, and its old place has another meaning now; behind an ordinary file
 * lies another object. So the path there is believed only if its mount and its dentry are of one
 * filesystem.
 */
static __always_inline __u64 path_of_file(__u64 file)
{
	__u64 at, mount, superblock;

	if (bpf_core_field_exists(struct backing_file, user_path) &&
	    (KERNEL_READ(file, file, f_mode) & FMODE_BACKING)) {
		at = file + bpf_core_field_offset(struct backing_file, user_path);
		mount = (__u64)KERNEL_READ(path, at, mnt);
		superblock = mount ? (__u64)KERNEL_READ(vfsmount, mount, mnt_sb) : 0;
		if (superblock && superblock == (__u64)KERNEL_READ(path, at, dentry, d_sb))
			return at;
	}
	return file + bpf_core_field_offset(struct file, f_path);
}

/* Writes the path of s->file at the position, and adds TM_PATH_* to the flags. */
__noinline int path_write_file(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	int step = PATH_MORE;
	__u64 at, fs, task;

	if (!s)
		return 0;
	task = s->walk.task;
	at = path_of_file(s->file);
	s->path.dentry = (__u64)KERNEL_READ(path, at, dentry);
	s->path.mount = path_mount_of((__u64)KERNEL_READ(path, at, mnt));
	fs = (__u64)TASK_READ(task, fs);
	s->path.root_dentry = fs ? (__u64)KERNEL_READ(fs_struct, fs, root.dentry) : 0;
	s->path.root_mount = fs ? path_mount_of((__u64)KERNEL_READ(fs_struct, fs, root.mnt)) : 0;
	s->path.cut = TM_PATH_CUT;
	s->path.end = s->path.position + TM_PATH_MAX - COMPONENT_MAX;
	if (!KERNEL_READ(file, s->file, f_inode, i_nlink))
		s->path.flags |= TM_PATH_DELETED;
	for (int i = 0; i < PATH_COMPONENTS_MAX && step == PATH_MORE; i++)
		step = path_climb(level);
	if (step == PATH_MORE)
		s->path.flags |= TM_PATH_CUT;
	return 0;
}

/*
 * The task's cgroup: the deepest of all hierarchies; of equally deep ones that of the memory
 * controller, then the unified one. Where version 1 is in use, too, only its hierarchies identify
 * a container: the unified one identifies only who started it. With version 2 alone all of them
 * are the same cgroup.
 */
static __always_inline __u64 path_cgroup(__u64 task)
{
	const __u64 to_link = bpf_core_field_offset(struct cgrp_cset_link, cgrp_link);
	__u64 set = (__u64)TASK_READ(task, cgroups), best, css, cgroup;
	__u64 head = set + bpf_core_field_offset(struct css_set, cgrp_links),
	      link = kread_word(head);
	int depth, level;

	best = (__u64)KERNEL_READ(css_set, set, dfl_cgrp);
	depth = KERNEL_READ(cgroup, best, level);
	if (bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id)) {
		css = set + bpf_core_field_offset(struct css_set, subsys) +
		      8 * bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
		cgroup = (__u64)KERNEL_READ(cgroup_subsys_state, kread_word(css), cgroup);
		level = KERNEL_READ(cgroup, cgroup, level);
		if (level >= depth) {
			best = cgroup;
			depth = level;
		}
	}
	for (int i = 0; i < CGROUP_HIERARCHIES && link && link != head; i++) {
		cgroup = (__u64)KERNEL_READ(cgrp_cset_link, link - to_link, cgrp);
		level = KERNEL_READ(cgroup, cgroup, level);
		if (level > depth) {
			best = cgroup;
			depth = level;
		}
		link = kread_word(link);
	}
	/* The links are valid while the task has this set. */
	if ((__u64)TASK_READ(task, cgroups) != set)
		best = (__u64)TASK_READ(task, cgroups, dfl_cgrp);
	return (__u64)KERNEL_READ(cgroup, best, kn);
}

/* Writes the path of the task's cgroup. */
__noinline int path_write_cgroup(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	int step = PATH_MORE;

	if (!s || !bpf_core_field_exists(struct task_struct, cgroups))
		return 0;
	s->path.dentry = path_cgroup(bpf_get_current_task());
	s->path.cut = TM_CGROUP_CUT;
	s->path.end = s->path.position + TM_CGROUP_MAX - COMPONENT_MAX;
	for (int i = 0; i < PATH_COMPONENTS_MAX && step == PATH_MORE; i++)
		step = path_climb_cgroup(level);
	return 0;
}
