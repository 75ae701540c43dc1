/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * check - compares the file that the opener has mapped with the one that was sampled
 */

#include "bpf/file.bpf.h"

#define CHECK_FUSE 0x65735546ull /* FUSE_SUPER_MAGIC, include/uapi/linux/magic.h */

/* Of the file that was sampled, or that is numbered ahead of that; set by the collector. */
struct tm_identity check_identity;
static struct kread check_block;

/* Times of contents are those of its mtime: only ctime may differ (struct tm_identity).
 * @any_file: whatever was sampled. */
static __always_inline __u32 check_compare(const struct tm_identity *sampled, bool any_file,
					   const struct tm_identity *found, __u64 magic)
{
	bool grows =
		!sampled->size && !sampled->mtime_sec && !sampled->mtime_nsec && !sampled->ctime_ns;

	if (!any_file) {
		if (found->dev != sampled->dev || found->ino != sampled->ino ||
		    found->generation != sampled->generation)
			return TM_CHECK_OTHER;
		if (!grows &&
		    (found->size != sampled->size || found->mtime_sec != sampled->mtime_sec ||
		     found->mtime_nsec != sampled->mtime_nsec))
			return TM_CHECK_OTHER;
		if (!grows && found->ctime_ns != sampled->ctime_ns)
			return TM_CHECK_CHANGED;
	}
	return magic == CHECK_FUSE ? TM_CHECK_SERVED : TM_CHECK_SAME;
}

__noinline int check_try(__u64 mm, __u64 address, bool any_file)
{
	struct tm_identity identity = {};
	struct vma found = {}, again = {};
	int status = vma_try(&check_block, mm, address, &found);
	__u64 magic;

	if (status == VMA_BUSY)
		return TM_CHECK_BUSY;
	if (status != VMA_FOUND || !found.file)
		return TM_CHECK_OTHER;
	file_identify(&check_block, found.file, &identity);
	magic = KERNEL_READ(file, found.file, f_inode, i_sb, s_magic);
	if (vma_try(&check_block, mm, address, &again) != VMA_FOUND || !vma_same(&found, &again))
		return TM_CHECK_BUSY;
	return (int)check_compare(&check_identity, any_file, &identity, magic);
}

/* Which file the task has mapped at the address. Return: enum tm_check_status. */
static __always_inline int check_task(__u64 task, __u64 address, bool any_file)
{
	__u64 mm = (__u64)TASK_READ(task, mm);
	int status = TM_CHECK_BUSY;

	for (int i = 0; i < VMA_TRIES && status == TM_CHECK_BUSY; i++)
		status = check_try(mm, address, any_file);
	/* A task that still has its mm has had it meanwhile. */
	return (__u64)TASK_READ(task, mm) == mm ? status : TM_CHECK_BUSY;
}
