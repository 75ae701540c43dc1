/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * path - the name of a file or a cgroup, packed leaf first, read from dentries, mounts and kernfs
 *
 * The write position lives in the scratch record, and each component is one call of a function
 * that is verified on its own: so the verifier never has to follow the position from step to step.
 */

#include "bpf/nesting.bpf.h"
#include "bpf/task.bpf.h"

#define CGROUP_HIERARCHIES 16  /* a process is in one cgroup of each; no more are looked at */
#define COMPONENT_MAX      257 /* NAME_MAX, the NUL, and a byte more that tells a longer name */

enum path_step {
	PATH_MORE,
	PATH_DONE
};

static __always_inline int path_put(struct scratch *s, __u64 name)
{
	struct path_walk *path = &s->path;
	__u64 position = path->position;
	long bytes;

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

__noinline int path_climb_cgroup(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 node, up;

	if (!s)
		return PATH_DONE;
	node = s->path.dentry;
	if (!node)
		return PATH_DONE;
	if (bpf_core_field_exists(struct kernfs_node___rcu, __parent))
		up = (__u64)KERNEL_READ(kernfs_node___rcu, node, __parent);
	else
		up = (__u64)KERNEL_READ(kernfs_node, node, parent);
	if (!up)
		return PATH_DONE;
	s->path.dentry = up;
	return path_put(s, (__u64)KERNEL_READ(kernfs_node, node, name));
}

/*
 * The path under which the process sees the file: not the file behind an overlay. The bit that tells
 * has moved and now means something else where it was, and behind an ordinary file lies another
 * object; so what is there must be a path, its mount and its dentry of one filesystem.
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

/* Writes the file's path at the position; flags gain TM_PATH_*. */
__noinline int path_write_file(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 at, fs, task = bpf_get_current_task();
	int step = PATH_MORE;

	if (!s)
		return 0;
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
	for (int i = 0; i < TM_PATH_COMPONENTS_MAX && step == PATH_MORE; i++)
		step = path_climb(level);
	if (step == PATH_MORE)
		s->path.flags |= TM_PATH_CUT;
	return 0;
}

/*
 * The task's cgroup: the deepest of all hierarchies; among equals memory's, then the unified one's. Where
 * version 1 is in use too, a container is told there, and the unified one tells no more than who started
 * it; where it is not, all of them are one cgroup or lie above it.
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
	/* The links live as long as the task has this set. */
	if ((__u64)TASK_READ(task, cgroups) != set)
		best = (__u64)TASK_READ(task, cgroups, dfl_cgrp);
	return (__u64)KERNEL_READ(cgroup, best, kn);
}

/* Writes the names of the task's cgroup, from its own up. */
__noinline int path_write_cgroup(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	int step = PATH_MORE;

	if (!s || !bpf_core_field_exists(struct task_struct, cgroups))
		return 0;
	s->path.dentry = path_cgroup(bpf_get_current_task());
	s->path.cut = TM_CGROUP_CUT;
	s->path.end = s->path.position + TM_CGROUP_MAX - COMPONENT_MAX;
	for (int i = 0; i < TM_PATH_COMPONENTS_MAX && step == PATH_MORE; i++)
		step = path_climb_cgroup(level);
	return 0;
}
