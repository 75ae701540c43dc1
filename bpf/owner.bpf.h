/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * owner - whose new files a sample brings, and whether its owners may bring one more
 *
 * Owners     a process has two. The first is its cgroup at level 2 (a service, a user's slice;
 *            under kubepods the pod), but none that lies below a directory of another user than
 *            root, who could make any number of them. The second is its real uid, or inside a user
 *            namespace the uid of who made the outermost one; root has no second owner.
 * Share      a cgroup may have as many file numbers as are free, a uid half as many: so n owners
 *            that take all they can leave 1/(n+1) of the numbers to others.
 * Rate       of new files: OWNER_BURST_NS worth of them at once, then one in each interval.
 * Charge     a number counts for the owners whose sample brought its file, until it is deleted,
 *            whoever else uses it: parts that follow the users could not be undone exactly without
 *            compare-and-exchange, which Linux 5.10 lacks. Nobody can be made to bring a file; only
 *            who has himself brought thousands that others can map may be kept at his share by one
 *            who is sampled in all of them, and then lacks numbers for further ones.
 * Forgotten  an owner without numbers. So what it may bring at once, it may bring again as often as
 *            its numbers have all been deleted; that takes an epoch.
 * Limits     OWNERS_MAX; what is sampled of further cgroups shares one owner.
 */

#include "bpf/path.bpf.h"

#define OWNER_UID       (1ull << 63) /* of a key; else it is the id of a cgroup, or */
#define OWNER_COMMON    (1ull << 62)
#define OWNER_KEY_MASK  (OWNER_COMMON - 1)
#define OWNER_DEPTH_MAX 64 /* levels of cgroups; deeper ones share one owner */
#define OWNER_USER_MAX  33 /* levels of user namespaces, include/linux/user_namespace.h */

#define OWNER_BURST_NS  64000000000ull
#define OWNER_CGROUP_NS 7812500ull  /* 128 a second, 8,192 at once */
#define OWNER_UID_NS    15625000ull /* half of that */

/* Entries in `files`. */
__u64 files_known;

/* What is counted of those without a cgroup of their own. Runs before the first sample. */
static __always_inline void owner_begin(void)
{
	struct owner fresh = {};
	__u64 key = OWNER_COMMON;

	bpf_map_update_elem(&owners, &key, &fresh, BPF_NOEXIST);
}

/* The cgroup of the hierarchy that containers are told apart by: that of the memory controller
 * where it is one of version 1, else the unified one. */
static __always_inline __u64 owner_cgroup(__u64 task)
{
	__u64 set = (__u64)TASK_READ(task, cgroups), unified, memory;

	unified = (__u64)KERNEL_READ(css_set, set, dfl_cgrp);
	if (!bpf_core_enum_value_exists(enum cgroup_subsys_id, memory_cgrp_id))
		return unified;
	memory = kread_word(set + bpf_core_field_offset(struct css_set, subsys) +
			    8 * bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id));
	memory = (__u64)KERNEL_READ(cgroup_subsys_state, memory, cgroup);
	if (!memory || KERNEL_READ(cgroup, memory, root) == KERNEL_READ(cgroup, unified, root))
		return unified;
	return KERNEL_READ(cgroup, memory, level) ? memory : unified;
}

static __always_inline bool owner_is_root(__u64 node)
{
	__u64 attributes = (__u64)KERNEL_READ(kernfs_node, node, iattr);

	return !attributes || !KERNEL_READ(kernfs_iattrs, attributes, ia_uid.val);
}

#define OWNER_WORD(a, b, c, d) ((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24)

/* Whether the cgroup below kubepods is a class of pods and not a pod: "burstable" and
 * "kubepods-burstable.slice", not "pod..." and "kubepods-pod...". */
static __always_inline bool owner_has_pods(struct scratch *s, __u64 above, __u64 node)
{
	const __u64 kubepods = OWNER_WORD('k', 'u', 'b', 'e') | OWNER_WORD('p', 'o', 'd', 's')
									<< 32;
	const __u64 *name = path_read_name(s, (__u64)KERNEL_READ(kernfs_node, above, name));

	if (!name || name[0] != kubepods)
		return false;
	name = path_read_name(s, (__u64)KERNEL_READ(kernfs_node, node, name));
	if (!name || (name[0] & 0xffffff) == OWNER_WORD('p', 'o', 'd', 0))
		return false;
	return name[0] != kubepods || (name[1] & 0xffffffff) != OWNER_WORD('-', 'p', 'o', 'd');
}

/* The directory of the cgroup that is the owner; 0: too deep. */
static __always_inline __u64 owner_node(struct scratch *s, __u64 task)
{
	__u64 node = (__u64)KERNEL_READ(cgroup, owner_cgroup(task), kn), up = node;
	__u64 first = 0, second = 0, third = 0; /* at these levels */

	for (int i = 0; i < OWNER_DEPTH_MAX && up; i++) {
		up = path_kernfs_parent(node);
		if (!up)
			break;
		third = second;
		second = first;
		first = node;
		node = up;
	}
	if (up)
		return 0;
	if (!first)
		return node;
	if (!second || !owner_is_root(first))
		return first;
	return third && owner_is_root(second) && owner_has_pods(s, first, second) ? third : second;
}

static __always_inline __u64 owner_uid(__u64 task)
{
	__u64 user = (__u64)TASK_READ(task, cred, user_ns);
	int level = KERNEL_READ(user_namespace, user, level);

	if (!level)
		return TASK_READ(task, cred, uid.val);
	for (int i = 0; i < OWNER_USER_MAX && level > 1; i++) {
		user = (__u64)KERNEL_READ(user_namespace, user, parent);
		level = KERNEL_READ(user_namespace, user, level);
	}
	return KERNEL_READ(user_namespace, user, owner.val);
}

/* Whether the owner has an entry, which is made if there is space. */
static __always_inline bool owner_known(__u64 key)
{
	struct owner fresh = {};

	if (!bpf_map_lookup_elem(&owners, &key))
		bpf_map_update_elem(&owners, &key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&owners, &key);
}

/* Finds the owners of s->walk.task, once for each sample; with @known, those that have entries.
 * Nothing may be announced now. One function, for the stack of Linux 6.1 has no space for two. */
__noinline int owner_find(__u32 level, __u32 known)
{
	struct scratch *s = nesting_scratch(level);
	__u64 node = 0, uid;

	if (!s)
		return 0;
	if (s->owners_ktime != s->sample.event.ktime) {
		s->owners_ktime = s->sample.event.ktime;
		if (bpf_core_field_exists(struct task_struct, cgroups))
			node = owner_node(s, s->walk.task);
		node = node ? KERNEL_READ(kernfs_node, node, id) & OWNER_KEY_MASK : 0;
		s->fresh.owners[0] = node ? node : OWNER_COMMON;
		uid = owner_uid(s->walk.task);
		s->fresh.owners[1] = uid ? OWNER_UID | uid : 0;
	}
	if (!known)
		return 0;
	if (!owner_known(s->fresh.owners[0]))
		s->fresh.owners[0] = OWNER_COMMON;
	if (s->fresh.owners[1] && !owner_known(s->fresh.owners[1]))
		s->fresh.owners[1] = 0;
	return 0;
}

static __always_inline bool owner_may(__u64 key, __u64 numbers_most, __u64 ktime, __u64 interval)
{
	const struct owner *owner = bpf_map_lookup_elem(&owners, &key);

	return !owner || ((__s64)owner->numbers < (__s64)numbers_most &&
			  (__s64)(owner->ready - ktime) <= (__s64)(OWNER_BURST_NS - interval));
}

/* Whether the owners of the sample may bring one more file. */
static __always_inline bool owner_may_bring(struct scratch *s, __u32 level)
{
	__u64 ktime = s->sample.event.ktime;
	__u64 free = FILES_MAX - *(volatile __u64 *)&files_known;

	if ((__s64)free < 0)
		return false;
	owner_find(level, true);
	return owner_may(s->fresh.owners[0], free, ktime, OWNER_CGROUP_NS) &&
	       (!s->fresh.owners[1] ||
		owner_may(s->fresh.owners[1], free / 2, ktime, OWNER_UID_NS));
}

/* Adds to an owner's numbers. An entry that was deleted meanwhile may be another owner's now. */
static __always_inline struct owner *owner_add(__u64 key, __u64 numbers)
{
	struct owner *owner = bpf_map_lookup_elem(&owners, &key);

	if (!owner)
		return NULL;
	nesting_add(&owner->numbers, numbers);
	if (bpf_map_lookup_elem(&owners, &key) == owner)
		return owner;
	nesting_add(&owner->numbers, -numbers);
	return NULL;
}

static __always_inline void owner_charge(__u64 key, __u64 ktime, __u64 interval)
{
	struct owner *owner = owner_add(key, 1);

	if (owner)
		owner->ready = (owner->ready > ktime ? owner->ready : ktime) + interval;
}

/* The sample has brought a file. */
static __always_inline void owner_charge_both(const struct scratch *s)
{
	owner_charge(s->fresh.owners[0], s->sample.event.ktime, OWNER_CGROUP_NS);
	if (s->fresh.owners[1])
		owner_charge(s->fresh.owners[1], s->sample.event.ktime, OWNER_UID_NS);
}

/* Return: whether there was an owner without numbers, who is now unknown. */
static __always_inline bool owner_forget(__u64 key)
{
	const struct owner *owner = bpf_map_lookup_elem(&owners, &key);

	return owner && (__s64)owner->numbers <= 0 && key != OWNER_COMMON &&
	       !bpf_map_delete_elem(&owners, &key);
}

/* The sample has not brought its file. */
static __always_inline void owner_forget_both(struct scratch *s)
{
	bool cgroup = owner_forget(s->fresh.owners[0]), uid = owner_forget(s->fresh.owners[1]);

	if (cgroup || uid)
		s->owners_ktime = 0;
}

/* A number of these owners was deleted. */
static __always_inline void owner_release_both(__u64 cgroup, __u64 uid)
{
	owner_add(cgroup, -1ull);
	owner_add(uid, -1ull);
	owner_forget(cgroup);
	owner_forget(uid);
}
