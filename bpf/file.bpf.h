/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * file - the identity of a file, and the file number that stands for it in frames
 *
 * Ahead      before the first sample the collector numbers files that the symbolizer knows from
 *            its cache: at most FILES_AHEAD, charged to nobody. A file has such a number only
 *            if it is sampled with the very identity that the symbolizer gave, ctime included.
 *            That sample is charged for it, if its owners may bring one more file; from then on
 *            the number is like any other.
 */

#include "bpf/owner.bpf.h"

#define FILE_PROBES  8       /* numbers that one identity may have */
#define FILE_NUMBERS 0xffffu /* numbers are 0 .. this */
#define FILES_AHEAD  (FILES_MAX / 4)

/* Insertions into `files`; the collector counts the deletions. */
__u64 files_made;

/* By chance, so that nobody can aim at the place of another one's file; 0: not chosen yet. */
__u64 files_salt;

#define INODE_BYTES              192 /* hold nearly all of the fields from Linux 6.11 on */
#define INODE_FIELD(type, field) KREAD_FIELD(block, INODE_BYTES, type, inode, field)

static __always_inline void file_mtime(struct kread *block, __u64 inode,
				       struct tm_identity *identity)
{
	if (bpf_core_field_exists(struct inode, i_mtime_sec)) {
		identity->mtime_sec = INODE_FIELD(inode, i_mtime_sec);
		identity->mtime_nsec = INODE_FIELD(inode, i_mtime_nsec);
	} else if (bpf_core_field_exists(struct inode___private_mtime, __i_mtime)) {
		identity->mtime_sec = INODE_FIELD(inode___private_mtime, __i_mtime.tv_sec);
		identity->mtime_nsec = (__u32)INODE_FIELD(inode___private_mtime, __i_mtime.tv_nsec);
	} else {
		identity->mtime_sec = INODE_FIELD(inode___mtime, i_mtime.tv_sec);
		identity->mtime_nsec = (__u32)INODE_FIELD(inode___mtime, i_mtime.tv_nsec);
	}
}

#define CTIME_NSEC_MASK 0x7fffffffu /* from 6.13 on, bit 31 says that somebody has read the time */

static __always_inline void file_ctime(struct kread *block, __u64 inode,
				       struct tm_identity *identity)
{
	__u64 seconds, nsec;

	if (bpf_core_field_exists(struct inode, i_ctime_sec)) {
		seconds = (__u64)INODE_FIELD(inode, i_ctime_sec);
		nsec = INODE_FIELD(inode, i_ctime_nsec);
	} else if (bpf_core_field_exists(struct inode___private_ctime, __i_ctime)) {
		seconds = (__u64)INODE_FIELD(inode___private_ctime, __i_ctime.tv_sec);
		nsec = (__u64)INODE_FIELD(inode___private_ctime, __i_ctime.tv_nsec);
	} else {
		seconds = (__u64)INODE_FIELD(inode___ctime, i_ctime.tv_sec);
		nsec = (__u64)INODE_FIELD(inode___ctime, i_ctime.tv_nsec);
	}
	identity->ctime_ns = seconds * TM_NS_PER_SECOND + (nsec & CTIME_NSEC_MASK);
}

/* What identifies a file that grows. Return: its inode, which is then in the block; 0: none. */
static __always_inline __u64 file_identify_growing(struct kread *block, __u64 file,
						   struct tm_identity *identity)
{
	__u64 inode = (__u64)KERNEL_READ(file, file, f_inode);

	__builtin_memset(identity, 0, sizeof(*identity));
	if (!kread_read(block, inode, INODE_BYTES))
		return 0;
	identity->dev = KERNEL_READ(super_block, (__u64)INODE_FIELD(inode, i_sb), s_dev);
	identity->ino = INODE_FIELD(inode, i_ino);
	identity->generation = INODE_FIELD(inode, i_generation);
	return inode;
}

static __always_inline void file_identify(struct kread *block, __u64 file,
					  struct tm_identity *identity)
{
	__u64 inode = file_identify_growing(block, file, identity);

	if (!inode)
		return;
	identity->size = (__u64)INODE_FIELD(inode, i_size);
	file_mtime(block, inode, identity);
	file_ctime(block, inode, identity);
}

/* Whether one number may stand for both: ctime is not part of that (struct tm_identity). */
static __always_inline bool file_same(const struct tm_identity *a, const struct tm_identity *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime_sec == b->mtime_sec && a->mtime_nsec == b->mtime_nsec &&
	       a->generation == b->generation;
}

static __always_inline void file_choose_salt(void)
{
	if (!files_salt)
		files_salt = (__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();
}

/* Of an owner's key, for tables with places that several owners may have. */
static __always_inline __u64 file_owner_hash(__u64 key)
{
	__u64 hash = (key ^ files_salt) * 0x9e3779b97f4a7c15ull;

	hash ^= hash >> 32;
	hash *= 0xbf58476d1ce4e5b9ull;
	return hash >> 40;
}

/* Different for most pairs of owners, and not 0. */
static __always_inline __u16 file_owner_short(__u64 cgroup, __u64 uid)
{
	__u16 hash = (__u16)file_owner_hash(cgroup ^ uid << 20);

	return hash ? hash : 1;
}

static __always_inline __u32 file_hash(const struct tm_identity *identity)
{
	__u64 hash = (identity->ino ^ files_salt) * 0x9e3779b97f4a7c15ull;

	hash ^= hash >> 29;
	hash += identity->dev + ((__u64)identity->generation << 32);
	hash *= 0xbf58476d1ce4e5b9ull;
	hash ^= hash >> 32;
	hash += identity->size ^ ((__u64)identity->mtime_sec << 20) ^ identity->mtime_nsec;
	hash *= 0x94d049bb133111ebull;
	hash ^= hash >> 32; /* times that come one after the other do not lie side by side */
	hash *= 0x9e3779b97f4a7c15ull;
	return (__u32)(hash >> 40);
}

/* Whether nobody is charged for it. */
static __always_inline bool file_is_ahead(const struct tm_file_state *state)
{
	return !*(const volatile __u64 *)&state->owners[0];
}

/*
 * The state of the number if it stands for the file. The map reuses a deleted entry at once, so
 * what was read there is valid only if the entry is still this number's afterwards.
 */
static __always_inline struct tm_file_state *file_state(__u32 number, struct tm_file_state *state,
							const struct tm_identity *identity)
{
	bool ahead = file_is_ahead(state);

	if (state->retired || !file_same(&state->identity, identity) ||
	    (ahead && state->identity.ctime_ns != identity->ctime_ns))
		return NULL;
	return bpf_map_lookup_elem(&files, &number) == state ? state : NULL;
}

/* Return: whether the number was free, and is the file's now. */
static __always_inline bool file_insert(__u32 number, const struct tm_file_state *state)
{
	if (number == TM_FILE_NONE || bpf_map_update_elem(&files, &number, state, BPF_NOEXIST))
		return false;
	nesting_add(&files_made, 1);
	nesting_add(&files_known, 1);
	return true;
}

/* Charges the owners of the sample, who may bring it, for a number ahead of its first sample.
 * Linux 5.10 has no compare-and-exchange in BPF: of several CPUs at once, it is one that finds no
 * claim but its own, or none, and the next sample tries again. */
static __always_inline bool file_charge(struct scratch *s, struct tm_file_state *state)
{
	nesting_add(&state->claims, 1);
	if (*(volatile __u64 *)&state->claims != 1) {
		nesting_add(&state->claims, -1ull);
		return false;
	}
	state->owners[1] = s->fresh.owners[1];
	*(volatile __u64 *)&state->owners[0] = s->fresh.owners[0];
	return true;
}

/* Inserts the file of s->fresh under a free number, or charges for @ahead, its state. NULL: its
 * owners may not, there is none (TM_FILE_NONE), another CPU was faster, or the map is full. */
static __always_inline struct tm_file_state *file_claim(struct scratch *s, __u32 level,
							__u32 number, struct tm_file_state *ahead)
{
	struct tm_file_state *state;
	bool may = owner_may_bring(s, level);

	if (may && (ahead ? file_charge(s, ahead) : file_insert(number, &s->fresh)))
		owner_charge_both(s);
	else
		owner_forget_both(s);
	if (ahead)
		return ahead;
	if (!may) {
		s->counts.bpf.files_limited++;
		s->no_number = TM_UNRESOLVED_FILES_LIMITED;
		return NULL;
	}
	state = bpf_map_lookup_elem(&files, &number);
	return state ? file_state(number, state, &s->fresh.identity) : NULL;
}

/*
 * The number and state of a file that has a number, else TM_FILE_NONE, and a number that it could
 * have. The collector frees numbers that no running program uses, so a free number does not end the
 * search.
 */
static __always_inline __u32 file_find(const struct tm_identity *identity,
				       struct tm_file_state **ret_state, __u32 *ret_vacant)
{
	__u32 hash = file_hash(identity), number;
	struct tm_file_state *state;

	*ret_vacant = TM_FILE_NONE;
	for (__u32 i = 0; i < FILE_PROBES; i++) {
		number = (hash + i) & FILE_NUMBERS;
		state = bpf_map_lookup_elem(&files, &number);
		if (!state && *ret_vacant == TM_FILE_NONE)
			*ret_vacant = number;
		if (!state)
			continue;
		*ret_state = file_state(number, state, identity);
		if (*ret_state)
			return number;
	}
	*ret_state = NULL;
	return TM_FILE_NONE;
}

/* The same for the file that s->fresh identifies, which gets a number if it has none.
 * s->no_number: why there is none. */
static __always_inline __u32 file_number(struct scratch *s, __u32 level,
					 struct tm_file_state **ret_state)
{
	__u32 vacant, number = file_find(&s->fresh.identity, ret_state, &vacant);

	if (*ret_state && !file_is_ahead(*ret_state))
		return number;
	if (!*ret_state)
		number = vacant;
	s->no_number = TM_UNRESOLVED_FILES_FULL;
	*ret_state = file_claim(s, level, number, *ret_state);
	if (*ret_state)
		return number;
	s->counts.bpf.files_full += s->no_number == TM_UNRESOLVED_FILES_FULL;
	return TM_FILE_NONE;
}

/* The number is to stand for nothing. Return: whether it stood for a file. */
static __always_inline int file_delete(__u32 number, const struct tm_file_state *state)
{
	__u64 cgroup = state->owners[0], uid = state->owners[1];

	if (bpf_map_delete_elem(&files, &number))
		return 0;
	nesting_add(&files_known, -1ull);
	owner_release_both(cgroup, uid);
	return 1;
}

/* Numbers a file ahead of its first sample. Return: its number + 1; 0: it has one, or gets none. */
static __always_inline int file_number_ahead(const struct tm_identity *identity)
{
	struct tm_file_state fresh = {}, *state;
	__u32 vacant;

	fresh.identity = *identity;
	(void)file_find(&fresh.identity, &state, &vacant);
	if (state || *(volatile __u64 *)&files_known >= FILES_AHEAD)
		return 0;
	return file_insert(vacant, &fresh) ? (int)vacant + 1 : 0;
}
