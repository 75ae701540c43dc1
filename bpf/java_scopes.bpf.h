/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_scopes - the methods that compiled code has at a place: those that are inlined, innermost
 * first, then the one that was compiled
 *
 * Debug      an nmethod has PcDescs, ordered by pc, each with the place of a scope: the method, the
 *            bytecode that it runs, and the scope of its caller, which lies before it.
 * Place      calls have a PcDesc of their own. For a leaf the next one above is taken, as HotSpot
 *            itself does: without -XX:+DebugNonSafepoints that is the next safepoint's.
 * Bytecode   Its index is stored with 1 added; a stored 0 is the entry of a synchronized method,
 *            which HotSpot, too, says is at bytecode 0.
 * Bounds     JAVA_PC_STEPS halvings, then one read of JAVA_PCS of them; a scope is one read.
 */

#include "bpf/java_method.bpf.h"

#define JAVA_PC_STEPS  12 /* as many as lead from 2^16 PcDescs to JAVA_PCS */
#define JAVA_BYTE_HIGH 192u
#define JAVA_PAGE      4096u

/* The debug information of the current blob, an nmethod. */
static __always_inline void java_scopes_begin(struct scratch *s, __u64 *ret_pcs, __u32 *ret_count)
{
	const struct tm_java *java = &s->java.runtime.java;
	__u64 start = s->java.blob, pcs, end;

	if (java->scopes >= TM_JAVA_IMMUTABLE)
		start = java_field(s, java->nmethod_immutable);
	pcs = start + (__u32)java_field(s, java->nmethod_pcs);
	end = start + (__u32)java_field(s, java->nmethod_pcs_end);
	*ret_pcs = pcs;
	*ret_count = end > pcs ? (__u32)(end - pcs) / TM_JAVA_PC_BYTES : 0;
	s->java.scopes = java_place(java_field(s, java->nmethod_scopes),
				    java->scopes == TM_JAVA_ADDRESS ? 8 : 4, start);
	if (java->scopes == TM_JAVA_MUTABLE)
		s->java.metadata = java_field(s, java->nmethod_mutable) +
				   (__u32)java_field(s, java->blob_relocations);
	else if (java->scopes == TM_JAVA_IMMUTABLE)
		s->java.metadata = s->java.blob + (__u32)java_field(s, java->blob_data) +
				   (__u16)java_field(s, java->nmethod_metadata);
	else
		s->java.metadata = start + (__u32)java_field(s, java->nmethod_metadata);
}

/* A pc that can be compared unsigned: the first PcDesc has -1, the last the largest number. */
static __always_inline __u64 java_pc(__u64 word)
{
	return (__u32)((__u32)word + 1);
}

/* The scope of the first of the PcDescs that were read which is not below the place. */
static __always_inline __u32 java_scope_among(struct scratch *s, __u64 place)
{
	__u64 at = 0;

#pragma unroll
	for (__u64 step = JAVA_PCS / 2; step; step /= 2) {
		__u64 before = (at + step - 1) & (JAVA_PCS - 1);

		kread_opaque(before);
		before &= JAVA_PCS - 1;
		at += step & unwind_table_reached(java_pc(s->java.pcs[2 * before]) + 1, place);
	}
	kread_opaque(at);
	at &= JAVA_PCS - 1;
	return (__u32)(s->java.pcs[2 * at] >> 32);
}

/* The scope of a place in the current nmethod. 0: not known. */
__noinline __u32 java_scope_find(__u32 level, __u32 place)
{
	struct scratch *s = nesting_scratch(level);
	__u64 pcs, key, bytes;
	__u32 count, half;

	if (!s)
		return 0;
	java_scopes_begin(s, &pcs, &count);
	key = java_pc(place);
	for (int i = 0; i < JAVA_PC_STEPS && count > JAVA_PCS - 1; i++) {
		half = count / 2;
		if (java_pc(python_word(pcs + (half - 1ull) * TM_JAVA_PC_BYTES)) < key) {
			pcs += (__u64)half * TM_JAVA_PC_BYTES;
			count -= half;
		} else {
			count = half;
		}
	}
	if (!count)
		return 0;
	for (__u32 i = 0; i < JAVA_PCS; i++)
		s->java.pcs[2 * i] = 0x7fffffff; /* above all, without a scope */
	bytes = (__u64)count * TM_JAVA_PC_BYTES;
	kread_opaque(bytes);
	if (bytes > sizeof(s->java.pcs) - TM_JAVA_PC_BYTES)
		return 0;
	if (bpf_probe_read_user(s->java.pcs, (__u32)bytes, (const void *)pcs))
		return 0;
	return java_scope_among(s, key);
}

/* The next number of the debug information that was read (share/utilities/unsigned5.hpp). */
static __always_inline __u32 java_next_number(struct scratch *s)
{
	__u32 excluded = s->java.runtime.version >= TM_JAVA_BYTE_ZERO, sum = 0, done = 0;

#pragma unroll
	for (__u32 i = 0; i < 5; i++) {
		__u64 at = s->java.byte_at;
		__u32 byte;

		kread_opaque(at);
		byte = s->java.bytes[at & (JAVA_BYTES - 1)];
		if (!done) {
			sum += (byte - excluded) << (6 * i);
			s->java.byte_at = (__u32)at + 1;
		}
		if (byte < JAVA_BYTE_HIGH)
			done = 1;
	}
	return sum;
}

/* Reads what the scope at s->java.scope begins with; the page behind it may not be in memory. */
static __always_inline bool java_scope_read(struct scratch *s)
{
	__u64 from = s->java.scopes + s->java.scope, bytes = JAVA_PAGE - (from & (JAVA_PAGE - 1));

	if (!bpf_probe_read_user(s->java.bytes, JAVA_BYTES, (const void *)from))
		return true;
	kread_opaque(bytes);
	if (bytes > JAVA_BYTES)
		bytes = JAVA_BYTES;
	return !bpf_probe_read_user(s->java.bytes, (__u32)bytes, (const void *)from);
}

/* Makes the scope at s->java.scope the one whose method's frame is next, and notes its caller. */
__noinline int java_scope_enter(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u32 sender, index, place;

	if (!s)
		return 0;
	s->java.byte_at = 0;
	if (!java_scope_read(s)) { /* the outermost one is known without it */
		s->java.method = java_field(s, s->java.runtime.java.nmethod_method);
		s->java.place = TM_FRAME_PLACE_MAX;
		s->java.scope = 0;
		return 0;
	}
	sender = java_next_number(s);
	index = java_next_number(s);
	place = java_next_number(s);
	place -= place != 0;
	s->java.method = index ? python_word(s->java.metadata + 8ull * (index - 1)) : 0;
	s->java.place = place < TM_FRAME_PLACE_MAX ? place : TM_FRAME_PLACE_MAX;
	s->java.scope = sender < s->java.scope ? sender : 0;
	return 1;
}
