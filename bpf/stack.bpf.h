/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * stack - the kernel stack, and the user stack by frame pointers, each frame resolved at once
 *
 * A user stack is complete when the chain of frame pointers ends in a zero, as the ABI has it for
 * the outermost frame. Whatever else ends it is its stop reason. A return address without a
 * mapping is not a frame: the chain had broken one step before.
 */

#include "bpf/announce.bpf.h"

#define STACK_TIME_NS           1000000ull /* for the user stack of one sample */
#define STACK_TIME_EVERY        64u /* frames between two looks at the clock; a power of two */
#define STACK_FRAME_MAX         (16ull << 20) /* a larger frame is a broken chain */
#define STACK_WORDS             (TM_KERNEL_FRAMES_MAX + TM_USER_FRAMES_MAX)

#define WORD(kind)              ((__u64)TM_FRAME_##kind << TM_FRAME_KIND_SHIFT)
#define WORD_UNRESOLVED(reason) (WORD(UNRESOLVED) | TM_UNRESOLVED_##reason)

static __always_inline bool word_is_unresolved(__u64 word)
{
	return word >> TM_FRAME_KIND_SHIFT == TM_FRAME_UNRESOLVED;
}

/* The word of the start of a mapping with a file, whose FILE record goes out if it is due. */
static __always_inline __u64 stack_file_word(struct scratch *s, __u32 level,
					     const struct mapping *mapping)
{
	struct tm_identity identity = {};
	struct tm_file_state *state = NULL;
	__u64 offset = mapping->pgoff << 12;
	__u32 number;

	if (offset + (mapping->end - mapping->start) > TM_FRAME_OFFSET_MAX)
		return WORD_UNRESOLVED(OFFSET);
	file_identify(&s->block, mapping->file, &identity);
	number = file_number(&identity, true, &state);
	if (!state) {
		s->counts.files_full++;
		return WORD_UNRESOLVED(FILES_FULL);
	}
	if (state->epoch != announce_file_epoch(s, number)) {
		s->file = mapping->file;
		s->vm_start = mapping->start;
		s->vm_end = mapping->end;
		announce_file(level, number);
	}
	return WORD(FILE) | (__u64)number << TM_FRAME_FILE_SHIFT | offset;
}

static __always_inline __u64 stack_start_word(struct scratch *s, __u32 level,
					      const struct mapping *mapping)
{
	if (!(mapping->flags & VM_EXEC))
		return WORD_UNRESOLVED(
			NO_MAPPING); /* no code: what points there is no address of it */
	if (mapping->file)
		return stack_file_word(s, level, mapping);
	if (mapping->start == (__u64)KERNEL_READ(mm_struct, s->walk.mm, context.vdso))
		return WORD(VDSO);
	return WORD(ANON) | mapping->start;
}

/* One try, into s->found; verified on its own. */
__noinline int stack_try(__u32 level, __u64 address)
{
	struct scratch *s = level_scratch(level);

	return s ? mapping_try(&s->block, s->walk.mm, address, &s->found) : MAPPING_BUSY;
}

/* The frame word of the start of the mapping that covers the address, put into the cache. */
__noinline __u64 stack_look_up(__u32 level, __u64 address)
{
	struct scratch *s = level_scratch(level);
	struct scratch_mapping *slot;
	__u64 word;
	int status;

	if (!s)
		return WORD_UNRESOLVED(MAPPING_BUSY);
	s->counts.lookups++;
	status = stack_try(level, address);
	for (int i = 1; i < MAPPING_TRIES && status == MAPPING_BUSY; i++) {
		s->counts.lookup_retries++;
		status = stack_try(level, address);
	}
	if (status == MAPPING_NONE)
		return WORD_UNRESOLVED(NO_MAPPING);
	if (status == MAPPING_DEEP)
		return WORD_UNRESOLVED(MAPPING_DEEP);
	if (status != MAPPING_FOUND)
		return WORD_UNRESOLVED(MAPPING_BUSY);
	word = stack_start_word(s, level, &s->found);
	slot = &s->cache[s->walk.cached++ & (SCRATCH_CACHE - 1)];
	slot->start = s->found.start;
	slot->end = s->found.end;
	slot->base = word;
	if (word_is_unresolved(word))
		return word;
	return word + (address - s->found.start);
}

/* The frame word of an address. */
static __always_inline __u64 stack_word(struct scratch *s, __u32 level, __u64 address)
{
	__u64 start, word;

	for (__u32 i = 0; i < SCRATCH_CACHE; i++) {
		start = s->cache[i].start;
		if (address < start || address >= s->cache[i].end)
			continue;
		s->counts.lookup_cached++;
		word = s->cache[i].base;
		return word_is_unresolved(word) ? word : word + (address - start);
	}
	return stack_look_up(level, address);
}

static __always_inline int stack_stop(struct scratch *s, __u32 reason)
{
	s->walk.stop = reason;
	return 1;
}

static __always_inline void stack_put(struct scratch *s, __u64 word)
{
	__u64 at = (__u64)s->walk.first + s->walk.frames;

	block_opaque(at);
	if (at < STACK_WORDS)
		s->frames[at] = word;
	s->walk.frames++;
}

/* One frame up. 1 when there is nothing more to do. */
static __always_inline int stack_step(struct scratch *s, __u32 level)
{
	__u64 record[2], fp = s->walk.fp, word;

	if (s->walk.frames >= TM_USER_FRAMES_MAX)
		return stack_stop(s, TM_STOP_DEPTH);
	if (!(s->walk.frames & (STACK_TIME_EVERY - 1)) &&
	    bpf_ktime_get_ns() - s->walk.started > STACK_TIME_NS)
		return stack_stop(s, TM_STOP_TIME);
	if ((fp & 7) || fp < s->walk.below || fp - s->walk.below > STACK_FRAME_MAX)
		return stack_stop(s, TM_STOP_FRAME_POINTER);
	if (bpf_probe_read_user(record, sizeof(record), (const void *)fp))
		return stack_stop(s, TM_STOP_STACK_FAULT);
	if (!record[1])
		return stack_stop(s, record[0] ? TM_STOP_FRAME_POINTER : TM_STOP_NONE);
	word = stack_word(s, level, record[1] - 1);
	if (word == WORD_UNRESOLVED(NO_MAPPING))
		return stack_stop(s, TM_STOP_FRAME_POINTER);
	stack_put(s, (word_is_unresolved(word) ? word : word + 1) | TM_FRAME_RETURN);
	s->walk.below = fp + sizeof(record);
	s->walk.fp = record[0];
	return record[0] ? 0 : stack_stop(s, TM_STOP_NONE);
}

/*
 * Where the return address lies while the leaf has no frame record of its own: about to push the
 * frame pointer, about to set it, or about to return. 0: it has its record, or has none at all.
 */
static __always_inline __u64 leaf_return_at(__u64 ip, __u64 sp)
{
	__u64 code = 0;

	if (bpf_probe_read_user(&code, sizeof(code), (const void *)ip))
		return 0;
	if ((code & 0xff) == 0xc3 || (code & 0xffff) == 0xc3f3) /* ret, rep ret */
		return sp;
	if ((code & 0xff) == 0x55 || (code & 0xffffffffff) == 0x55fa1e0ff3) /* push, endbr64 push */
		return sp;
	return (code & 0xffffff) == 0xe58948 ? sp + 8 : 0; /* mov %rsp,%rbp */
}

/* Does a call end right before the address? Direct, or by register or memory (ff /2). */
static __always_inline bool leaf_called(__u64 address)
{
	__u8 code[7];

	if (bpf_probe_read_user(code, sizeof(code), (const void *)(address - sizeof(code))))
		return false;
	if (code[2] == 0xe8)
		return true;
#pragma unroll
	for (int at = 0; at < 6; at++)
		if (code[at] == 0xff && (code[at + 1] & 0x38) == 0x10)
			return true;
	return false;
}

/*
 * The caller that the chain would pass over, since its next record is the caller's own. False when
 * that was the last frame.
 */
static __always_inline bool leaf_caller(struct scratch *s, __u32 level, __u64 ip)
{
	__u64 at = leaf_return_at(ip, s->walk.below), address = 0, word;

	if (!at || bpf_probe_read_user(&address, sizeof(address), (const void *)at))
		return true;
	if (!leaf_called(address))
		return true;
	word = stack_word(s, level, address - 1);
	if (word_is_unresolved(word))
		return true;
	stack_put(s, (word + 1) | TM_FRAME_RETURN);
	return s->walk.fp != 0; /* zero is what the outermost frame has for its own */
}

/* A step for a loop that the verifier follows step by step: it must be verified only once. */
__noinline int stack_step_once(__u32 level)
{
	struct scratch *s = level_scratch(level);

	return s ? stack_step(s, level) : 1;
}

/* Registers, then the leaf. False when there is no stack to walk; `stop` says why. */
static __always_inline bool stack_begin(struct level *level, struct bpf_perf_event_data *ctx)
{
	struct scratch *s = level->scratch;
	struct user_registers registers = {};

	if (s->sample.event.flags & TM_FLAG_USER_MODE) {
		registers.ip = ctx->regs.rip;
		registers.sp = ctx->regs.rsp;
		registers.bp = ctx->regs.rbp;
		registers.cs = ctx->regs.cs;
		block_opaque(registers.cs);
		registers.cs &= 0xffff;
	} else if (!task_user_registers(s->walk.task, &registers)) {
		return stack_stop(s, TM_STOP_NO_REGISTERS), false;
	}
	if (registers.cs == USER32_CS)
		return stack_stop(s, TM_STOP_COMPAT), false;
	for (__u32 i = 0; i < SCRATCH_CACHE; i++)
		s->cache[i].end = 0;
	s->walk.started = level->ktime;
	s->walk.cached = 0;
	s->walk.fp = registers.bp;
	s->walk.below = registers.sp;
	stack_put(s, stack_word(s, level->number, registers.ip));
	return leaf_caller(s, level->number, registers.ip);
}

/* Which user stack this sample can have at all. */
static __always_inline bool stack_expected(struct scratch *s)
{
	__u32 flags = s->sample.event.flags;

	s->walk.stop = TM_STOP_NONE;
	s->walk.frames = 0;
	if (flags & (TM_FLAG_KTHREAD | TM_FLAG_IO_WORKER))
		return false;
	if (flags & TM_FLAG_IN_EXEC)
		return stack_stop(s, TM_STOP_EXEC), false;
	if (!s->walk.mm)
		return stack_stop(s, TM_STOP_EXITING), false;
	return true;
}

static __always_inline void stack_kernel(struct scratch *s, struct bpf_perf_event_data *ctx)
{
	long bytes = 0;

	s->sample.kernel_stop = TM_STOP_NONE;
	if (!(s->sample.event.flags & TM_FLAG_USER_MODE))
		bytes = bpf_get_stack(ctx, s->frames, 8 * TM_KERNEL_FRAMES_MAX, 0);
	if (bytes < 0)
		bytes = 0;
	s->walk.first = (__u32)bytes / 8;
	if (s->walk.first >= TM_KERNEL_FRAMES_MAX)
		s->sample.kernel_stop = TM_STOP_KERNEL_DEPTH;
}
