/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tidemark - the BPF programs: fork and exit hooks, iterators, the collector's own
 */

#include <stdbool.h>

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/check.bpf.h"
#include "bpf/exec.bpf.h"
#include "bpf/selection.bpf.h"
#include "bpf/task_find.bpf.h"
#include "bpf/thread_report.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* --- fork and exit --------------------------------------------------------------------------- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid = (__u32)BPF_CORE_READ(child, tgid);

	if (!selecting || (__u32)BPF_CORE_READ(child, pid) != tgid)
		return 0;
	if (selection_has((__u32)(bpf_get_current_pid_tgid() >> 32),
			  task_start(bpf_get_current_task())))
		selection_add(tgid, BPF_CORE_READ(child, start_boottime));
	return 0;
}

static __always_inline void exit_record(struct tm_exit *record, struct tm_process_state *state)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};
	bool written = false;

	level.slot = nesting_slot(level.cpu);
	if (!level.slot)
		return;
	if (nesting_open_mark(&level, TM_LEVEL_EXIT) == NESTING_OPEN) {
		written = announce_exit(&level, record, state);
		nesting_close(&level);
	}
	if (!written)
		nesting_add(&level.slot->lost_announces, 1);
}

/*
 * Runs for every thread of the host: so the task is read by its typed pointer, without a helper
 * call.
 */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct tm_process_state *state;
	struct tm_process_key key = {};
	struct tm_exit record = {};
	__u32 once = 1;

	if (task->signal->live.counter)
		return 0;
	key.tgid = (__u32)task->tgid;
	key.exec_id = (__u32)task->self_exec_id;
	key.start_boottime = task->group_leader->start_boottime;
	if (selecting)
		selection_end(key.tgid, key.start_boottime);
	state = bpf_map_lookup_elem(&processes, &key);
	if (!state || state->exited == PROCESS_EXITED ||
	    bpf_map_update_elem(&exits, &key, &once, BPF_NOEXIST))
		return 0;
	task_describe(bpf_get_current_task(), &record.event);
	exit_record(&record, state);
	return 0;
}

/* --- iterators, read by the collector --------------------------------------------------------- */

/* The iterator's task as an integer: its typed pointer may not be passed everywhere. */
static __always_inline __u64 iterator_task(struct bpf_iter__task *ctx)
{
	__u64 task = 0;

	bpf_probe_read_kernel(&task, sizeof(task), &ctx->task);
	return task;
}

SEC("iter/task")
int mark_wanted(struct bpf_iter__task *ctx)
{
	__u64 task = iterator_task(ctx);
	__u32 number, *met;

	if (!task || TASK_READ(task, pid) != TASK_READ(task, tgid))
		return 0;
	number = task_own_number(task);
	met = bpf_map_lookup_elem(&wanted, &number);
	if (!number || !met)
		return 0;
	selection_add((__u32)TASK_READ(task, tgid), TASK_READ(task, start_boottime));
	*met = 1;
	return 0;
}

/* --- run by the collector --------------------------------------------------------------------- */

/* Runs first, also in a collector that goes on with these programs: its PID namespace is that of
 * the task that runs it. */
SEC("raw_tp")
int find_self(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 task = bpf_get_current_task(), at;

	file_choose_salt();
	owner_begin();
	own_level = task_level(task);
	at = task_upid(task, own_level);
	own_namespace = (__u64)KERNEL_READ(upid, at, ns);
	return 0;
}

/* The arguments are a thread, an address, and whether any file will do, else check_identity.
 * Return: enum tm_check_status. */
SEC("raw_tp")
int check_mapping(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 task = task_find((__u32)ctx->args[0]);

	return task ? check_task(task, ctx->args[1], ctx->args[2]) : TM_CHECK_UNANSWERED;
}

/* Numbers the file of check_identity, which was not sampled yet. Return: as file_number_ahead. */
SEC("raw_tp")
int number_ahead(struct bpf_raw_tracepoint_args *ctx)
{
	return file_number_ahead(&check_identity);
}

static __always_inline void announce_ahead(struct nesting *level, __u64 task, __u64 address)
{
	struct scratch *s = level->scratch;

	thread_report_describe(&s->sample.event, task, level->ktime);
	s->walk.task = task;
	s->walk.mm = (__u64)TASK_READ(task, mm);
	s->walk.announced = 0;
	sample_limits(s, 0, 0, ~0u);
	frame_look_up(level->number, address);
}

/* Announces the file that a process has mapped, before anything is sampled: no sample can need the
 * scratch memory of the timer yet. The arguments are the process and the address. */
SEC("raw_tp")
int announce_mapping(struct bpf_raw_tracepoint_args *ctx)
{
	struct nesting level = {.cpu = bpf_get_smp_processor_id()};
	__u64 task = task_find((__u32)ctx->args[0]);

	level.slot = nesting_slot(level.cpu);
	if (!task || !level.slot || nesting_open(&level, TM_LEVEL_TIMER) != NESTING_OPEN)
		return 0;
	announce_ahead(&level, task, ctx->args[1]);
	nesting_close(&level);
	return 0;
}

/*
 * Changes what a file number stands for, in place, since a sample may be using the entry. The
 * arguments are the number, enum tm_file_change, and a value.
 */
SEC("raw_tp")
int change_file(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 number = (__u32)ctx->args[0];
	__u64 change = ctx->args[1];
	struct tm_file_state *state = bpf_map_lookup_elem(&files, &number);

	if (number == TM_UNWIND_MAP_VDSO && change == TM_FILE_TABLE)
		vdso_table = ctx->args[2];
	else if (!state)
		return 0;
	else if (change == TM_FILE_DELETE)
		return file_delete(number, state);
	else if (change == TM_FILE_TABLE)
		*(volatile __u64 *)&state->table = ctx->args[2];
	else
		state->epoch = 0;
	if (state && change == TM_FILE_RETIRE)
		state->retired = 1;
	__sync_fetch_and_add(&files_generation, 1); /* after the change */
	return 1;
}

bool modules_only; /* kernel_symbols: an empty line stands for a symbol of the kernel itself */

/* Writes the lines of /proc/kallsyms, for a collector that sees no addresses there. Those of BPF
 * programs and trampolines, which lie side by side, have their size as well. */
SEC("iter/ksym")
int kernel_symbols(struct bpf_iter__ksym *ctx)
{
	struct kallsym_iter *ksym = ctx->ksym;
	char module[4] = {0};

	if (!ksym)
		return 0;
	bpf_probe_read_kernel(module, sizeof(module), ksym->module_name);
	if (module[0] == 'b' && module[1] == 'p' && module[2] == 'f' && !module[3])
		BPF_SEQ_PRINTF(ctx->meta->seq, "%llx %c %s\t[bpf]\t%pS\n",
			       BPF_CORE_READ(ksym, value), BPF_CORE_READ(ksym, type), ksym->name,
			       BPF_CORE_READ(ksym, value));
	else if (!module[0] && modules_only)
		BPF_SEQ_PRINTF(ctx->meta->seq, "\n");
	else if (module[0])
		BPF_SEQ_PRINTF(ctx->meta->seq, "%llx %c %s\t[%s]\n", BPF_CORE_READ(ksym, value),
			       BPF_CORE_READ(ksym, type), ksym->name, ksym->module_name);
	else
		BPF_SEQ_PRINTF(ctx->meta->seq, "%llx %c %s\n", BPF_CORE_READ(ksym, value),
			       BPF_CORE_READ(ksym, type), ksym->name);
	return 0;
}
