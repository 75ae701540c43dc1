/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * kernel_stack - the kernel stack of a sample, and where its user stack begins
 */

#include "bpf/unwind.bpf.h"

/* In user mode the registers are at hand; those of the task are looked for when a rule needs more. */
static __always_inline bool kernel_stack_registers(struct scratch *s,
						   struct bpf_perf_event_data *ctx,
						   struct user_registers *registers)
{
	if (!(s->sample.event.flags & TM_FLAG_USER_MODE))
		return task_user_registers(&s->block, s->walk.task, registers);
	registers->ip = ctx->regs.rip;
	registers->sp = ctx->regs.rsp;
	registers->bp = ctx->regs.rbp;
	registers->cs = ctx->regs.cs;
	kread_opaque(registers->cs);
	registers->cs &= 0xffff;
	return true;
}

/* Registers, then the leaf. False when there is no stack to walk; `stop` says why. */
static __always_inline bool kernel_stack_begin(struct nesting *level,
					       struct bpf_perf_event_data *ctx)
{
	struct scratch *s = level->scratch;
	struct user_registers registers = {};

	if (!kernel_stack_registers(s, ctx, &registers))
		return unwind_stop(s, TM_STOP_NO_REGISTERS), false;
	if (registers.cs == USER32_CS)
		return unwind_stop(s, TM_STOP_COMPAT), false;
	mapping_cache_begin(s);
	s->walk.started = level->ktime;
	s->walk.ip = registers.ip;
	s->walk.sp = registers.sp;
	s->walk.fp = registers.bp;
	s->walk.registers = registers.at;
	s->walk.kind = WALK_TASK;
	s->walk.keeps = WALK_KEPT_SAME;
	s->walk.called = 0;
	s->walk.lost = 0;
	s->walk.chained = 0;
	s->walk.blind = 0;
	s->window.bytes = 0;
	s->window.next = USER_STACK_FIRST;
	s->walk.word = frame_of(s, level->number, registers.ip);
	unwind_put(s, s->walk.word);
	return true;
}

/* Which user stack this sample can have at all. */
static __always_inline bool kernel_stack_expected(struct scratch *s)
{
	__u32 flags = s->sample.event.flags;

	s->walk.stop = TM_STOP_NONE;
	s->walk.frames = 0;
	s->walk.remembers = 0;
	if (flags & (TM_FLAG_KTHREAD | TM_FLAG_IO_WORKER))
		return false;
	if (flags & TM_FLAG_IN_EXEC)
		return unwind_stop(s, TM_STOP_EXEC), false;
	if (!s->walk.mm)
		return unwind_stop(s, TM_STOP_EXITING), false;
	return true;
}

static __always_inline void kernel_stack_read(struct scratch *s, struct bpf_perf_event_data *ctx)
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
