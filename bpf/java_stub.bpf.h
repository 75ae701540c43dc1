/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * java_stub - the frame of a stub or a codelet: which one of those that HotSpot has in one blob, or
 * the blob
 *
 * List       HotSpot describes each stub that it generates: name, first byte, end. The list of the
 *            descriptions has 100 to 450 of them; it only grows. The interpreter consists of
 *            codelets, some 280 one behind the other, each with a head that has its name and size.
 * Memory     each CPU remembers which bytes a description is of, and reads it again at each use:
 *            one that says something else is forgotten. That no description has some bytes is
 *            believed for JAVA_STUB_NONE_MS.
 * Search     one at a time for a process and a list. It goes on with the next sample; until it
 *            ends, the frame is the blob's.
 * Bounds     JAVA_STUB_SEARCH descriptions for a sample, one read of memory each. A list of
 *            JAVA_STUBS_MAX, or one in a circle, ends there. A frame of a stub that is known takes
 *            two reads.
 */

#include "bpf/java_site.bpf.h"

#define JAVA_TITLE_STUBS       0x74756f5262757453ull /* "StubRout"ines */
#define JAVA_TITLE_INTERPRETER 0x6572707265746e49ull /* "Interpre"ter */
#define JAVA_STUB_BYTES        48                    /* up to the end of each field that is read */
#define JAVA_STUBS_MAX         1024                  /* that a search may look at */
#define JAVA_STUB_NONE_MS      1024                  /* of 2^20 ns */

static __always_inline bool java_in_interpreter(const struct scratch *s)
{
	return s->java.title == JAVA_TITLE_INTERPRETER;
}

/* Where the current blob's list begins; 0: not known. */
static __always_inline __u64 java_stub_first(const struct scratch *s)
{
	const struct tm_java *java = &s->java.runtime.java;
	__u64 list = (__u64)(java_in_interpreter(s) ? java->codelets : java->stubs);

	if (!list)
		return 0;
	list = python_word(s->java.start + list);
	return java_in_interpreter(s) ? python_word(list + java->queue_codelets) : list;
}

/* Reads a description of the current blob's list into s->java.stub. */
static __always_inline bool java_stub_read(struct scratch *s, __u64 address)
{
	const struct tm_java *java = &s->java.runtime.java;
	struct java_described *stub = &s->java.stub;

	if (!address || bpf_probe_read_user(s->block.words, JAVA_STUB_BYTES, (const void *)address))
		return false;
	if (java_in_interpreter(s)) {
		stub->begin = address;
		stub->end = address + (__u32)java_block_field(s, java->codelet_bytes);
		stub->next = stub->end;
		stub->name = java_block_field(s, java->codelet_name);
		return true;
	}
	stub->begin = java_block_field(s, java->stub_begin);
	stub->end = java_block_field(s, java->stub_end);
	stub->next = java_block_field(s, java->stub_next);
	stub->name = java_block_field(s, java->stub_name);
	return true;
}

/* Whether the description that was read is of the stub with that code. */
static __always_inline bool java_stub_has(const struct scratch *s, __u64 pc)
{
	return pc >= s->java.stub.begin && pc < s->java.stub.end;
}

/* What is kept of the code; else the search that the process has begun in the current blob's list;
 * JAVA_STUBS: neither. */
__noinline __u32 java_stub_kept(__u32 level, __u64 pc)
{
	struct scratch *s = nesting_scratch(level);
	__u32 found = JAVA_STUBS;

	if (!s)
		return JAVA_STUBS;
	for (__u32 i = 0; i < JAVA_STUBS; i++) {
		const struct java_stub *stub = &s->java.stubs[i];

		if (!java_is_process(s, &stub->process))
			continue;
		if (stub->sought)
			found = stub->codelets == java_in_interpreter(s) ? i : found;
		else if (pc - stub->begin < stub->end - stub->begin)
			return i;
	}
	return found;
}

/* Where a search in the current blob's list begins; of codelets, each of which leads to the next
 * one, behind the nearest that is known. */
static __always_inline __u64 java_stub_from(const struct scratch *s, __u64 pc)
{
	__u64 from = java_stub_first(s);

	for (__u32 i = 0; i < JAVA_STUBS && java_in_interpreter(s); i++) {
		const struct java_stub *stub = &s->java.stubs[i];

		if (stub->codelets && !stub->sought && stub->address && stub->end > from &&
		    stub->end <= pc && java_is_process(s, &stub->process))
			from = stub->end;
	}
	return from;
}

/* Begins a search in the place that was taken longest ago. Return: that place. */
static __always_inline __u32 java_stub_begin(struct scratch *s, __u64 pc)
{
	__u64 from = java_stub_from(s, pc);
	__u32 at = s->java.stubs_taken++ & (JAVA_STUBS - 1);
	struct java_stub *stub = &s->java.stubs[at];

	java_note_process(s, &stub->process);
	stub->sought = pc;
	stub->begin = 0;
	stub->end = ~0ull;
	stub->address = from;
	stub->codelets = java_in_interpreter(s);
	stub->looked_at = 0;
	return at;
}

/* Looks at one description: of other code, it says where the gap with the sought code ends.
 * Return: whether the search is over. */
__noinline int java_stub_step(__u32 level, __u32 at)
{
	struct scratch *s = nesting_scratch(level);
	struct java_stub *stub;
	__u64 begin, end;

	if (!s)
		return 1;
	stub = &s->java.stubs[at & (JAVA_STUBS - 1)];
	if (stub->looked_at++ >= JAVA_STUBS_MAX || !java_stub_read(s, stub->address)) {
		stub->address = 0;
		stub->sought = 0;
		stub->until_ms = method_now_ms(s) + JAVA_STUB_NONE_MS;
		return 1;
	}
	begin = s->java.stub.begin;
	end = s->java.stub.end;
	if (java_stub_has(s, stub->sought)) {
		stub->begin = begin;
		stub->end = end;
		stub->sought = 0;
		return 1;
	}
	if (begin > stub->sought && begin < stub->end)
		stub->end = begin;
	if (end <= stub->sought && end > stub->begin)
		stub->begin = end;
	stub->address = s->java.stub.next;
	return 0;
}

/* Finds the stub with that code. Return: whether s->java.stub is its description. */
__noinline int java_stub_find(__u32 level, __u64 pc)
{
	struct scratch *s = nesting_scratch(level);
	struct java_stub *stub;
	__u32 at;
	int done = 0;

	if (!s ||
	    !(java_in_interpreter(s) ? s->java.runtime.java.codelets : s->java.runtime.java.stubs))
		return 0;
	at = java_stub_kept(level, pc);
	stub = &s->java.stubs[at & (JAVA_STUBS - 1)];
	if (at < JAVA_STUBS && !stub->sought) {
		if (java_stub_read(s, stub->address) && java_stub_has(s, pc))
			return 1;
		if (!stub->address && (__s32)(method_now_ms(s) - stub->until_ms) < 0)
			return 0;
		stub->end = stub->begin; /* forgotten */
		at = java_stub_kept(level, pc);
	}
	if (at >= JAVA_STUBS)
		at = java_stub_begin(s, pc);
	s->walk.looked_up = true; /* so that the clock is read */
	for (int i = 0; i < JAVA_STUB_SEARCH && s->runtimes.java_stubs_left && !done; i++) {
		s->runtimes.java_stubs_left--;
		done = java_stub_step(level, at);
	}
	stub = &s->java.stubs[at & (JAVA_STUBS - 1)];
	return done && stub->address && java_stub_has(s, pc);
}

/* What the current stub is known by, into s->method.key. */
static __always_inline void java_stub_key(struct scratch *s, __u32 level, __u64 pc)
{
	struct method_key *key = method_key_begin(s, METHOD_JAVA_STUB);
	int known = (java_in_interpreter(s) || s->java.title == JAVA_TITLE_STUBS) &&
		    java_stub_find(level, pc);

	key->lines = 0;
	key->first_line = 0;
	key->name_hash = known ? python_word(s->java.stub.name) : 0;
	if (key->name_hash) {
		key->code = key->file = s->java.stub.begin;
		key->name = s->java.stub.name;
		key->kind = java_in_interpreter(s) ? METHOD_JAVA_CODELET : METHOD_JAVA_STUB;
		return;
	}
	key->code = s->java.blob;
	key->file = s->java.code;
	key->name = java_field(s, s->java.runtime.java.blob_name);
	key->name_hash = s->java.title;
}

/* The frame of a stub takes the place of that of its address. */
__noinline int java_put_stub(__u32 level)
{
	struct scratch *s = nesting_scratch(level);
	__u64 place, number, frame;

	if (!s || !s->walk.frames)
		return 0;
	java_stub_key(s, level, s->walk.ip - s->walk.called);
	place = s->walk.ip - s->walk.called - s->method.key.file;
	number = method_number(level);
	frame = FRAME(METHOD) | number << TM_FRAME_METHOD_SHIFT |
		(place < TM_FRAME_PLACE_MAX ? place : TM_FRAME_PLACE_MAX);
	frame_take(s);
	frame_put(s, frame);
	if (s->walk.called &&
	    s->method.key.code != s->java.blob) /* and not only its blob is known */
		java_site_put(s, frame, number, s->method.epoch);
	return 0;
}
