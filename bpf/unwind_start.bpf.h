/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/*
 * unwind_start - the registers and the leaf of a user stack, and which samples have none
 */

#include "bpf/mapping_cache.bpf.h"
#include "bpf/unwind.bpf.h"

/* In user mode the timer has them; in kernel mode they lie on the kernel stack. */
static __always_inline bool unwind_start_registers(struct scratch *s,
						   struct bpf_perf_event_data *ctx,
						   struct user_registers *registers)
{
	if (!ctx || !(s->sample.event.flags & TM_FLAG_USER_MODE))
		return task_user_registers(&s->block, s->walk.task, registers);
	registers->ip = ctx->regs.rip;
	registers->sp = ctx->regs.rsp;
	registers->bp = ctx->regs.rbp;
	registers->cs = ctx->regs.cs;
	kread_opaque(registers->cs);
	registers->cs &= 0xffff;
	return true;
}

/* Registers, then the leaf. @ctx: of the timer, or NULL. False when there is no stack to walk:
 * `stop` has the reason. */
static __always_inline bool unwind_start(struct nesting *level, struct bpf_perf_event_data *ctx)
{
	struct scratch *s = level->scratch;
	struct user_registers registers = {};

	if (!unwind_start_registers(s, ctx, &registers))
		return unwind_end(s, TM_STOP_NO_REGISTERS), false;
	if (registers.cs == USER32_CS)
		return unwind_end(s, TM_STOP_COMPAT), false;
	mapping_cache_begin(s);
	s->walk.started = level->ktime;
	s->walk.ip = registers.ip;
	s->walk.sp = registers.sp;
	s->walk.fp = registers.bp;
	s->walk.registers = registers.at;
	s->walk.kind = WALK_TASK;
	s->walk.kept_state = WALK_KEPT_SAME;
	s->walk.called = false;
	s->walk.sp_lost = false;
	s->walk.by_fp = false;
	s->walk.table_missing = false;
	s->walk.stack_lookups = 0;
	s->walk.stacks_entered = 0;
	s->runtimes.python_inside = 0;
	stack_begin(s, registers.sp);
	s->user_stack.bytes = 0;
	s->user_stack.next = USER_STACK_FIRST;
	s->walk.frame = frame_of(s, level->number, registers.ip);
	frame_put(s, s->walk.frame);
	return true;
}

/* Whether the sample can have a user stack. If not, and it should, `stop` has the reason. */
static __always_inline bool unwind_start_expected(struct scratch *s)
{
	__u32 flags = s->sample.event.flags;

	s->walk.stop = TM_STOP_NONE;
	s->walk.frames = 0;
	s->walk.kinds = 0;
	s->walk.has_mapping_cache = false;
	if (flags & (TM_FLAG_KTHREAD | TM_FLAG_IO_WORKER))
		return false;
	if (flags & TM_FLAG_IN_EXEC)
		return unwind_end(s, TM_STOP_EXEC), false;
	if (!s->walk.mm)
		return unwind_end(s, TM_STOP_EXITING), false;
	return true;
}
