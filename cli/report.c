/* SPDX-License-Identifier: Apache-2.0 */
/* report - the statement about one report: gathered, printed and checked */

#include "cli/report.h"

#include <stdio.h>
#include <string.h>

#include "cli/exit_code.h"
#include "cli/own_cost.h"
#include "cli/report_table.h"
#include "cli/spawn.h"
#include "cli/terminal.h"

#define FAULTS_PART 20 /* fewer than one stack in so many: nothing is said of them */

/* A program's own share: wait counts the children that it waited for as its own. */
static uint64_t own_cpu_ns(const struct child *program, uint64_t children)
{
	if (!program->ended)
		return program->cpu_ns;
	return program->cpu_ns > children ? program->cpu_ns - children : 0;
}

static void add_cost(struct summary *s, const struct session *session)
{
	const struct child *collector = &session->collector, *symbolizer = &session->symbolizer;

	s->command_cpu_ns = own_cost_own_cpu_ns();
	s->command_rss = own_cost_peak_bytes(0);
	if (session->starter) {
		s->command_cpu_ns += own_cost_process_cpu_ns(session->starter->pid);
		s->command_rss += own_cost_peak_bytes(session->starter->pid);
	}
	s->opener_cpu_ns = session->opener.child.cpu_ns + session->opener.child.child.cpu_ns;
	s->parser_cpu_ns = session->result.child_cpu_ns + session->parser.cpu_ns;
	s->parsers_started = 1 + session->restarts + session->parser.limit.started;
	s->collector_cpu_ns = collector->cpu_ns;
	s->symbolizer_cpu_ns =
		own_cpu_ns(symbolizer, session->result.child_cpu_ns) + session->dead_cpu_ns;
	s->debuginfod_cpu_ns = session->debuginfod.cpu_ns + session->debuginfod.child.cpu_ns;
	s->debuginfod_rss = session->debuginfod.rss_bytes;
	s->exporter_cpu_ns = session->exporter.child.cpu_ns + session->exporter.child.child.cpu_ns;
	s->exporter_rss = session->exporter.child.rss_bytes;
	s->spool_cpu_ns = session->spool.child.cpu_ns + session->spool.child.child.cpu_ns;
	s->spool_rss = session->spool.child.rss_bytes;
	s->collector_rss = collector->rss_bytes;
	s->symbolizer_rss = symbolizer->rss_bytes > session->dead_rss_bytes
				    ? symbolizer->rss_bytes
				    : session->dead_rss_bytes;
	s->opener_rss = session->opener.child.rss_bytes;
	s->parser_rss = session->result.child_rss_bytes > session->parser.rss_bytes
				? session->result.child_rss_bytes
				: session->parser.rss_bytes;
}

/*
 * Counts of this report's interval. The collector counts the whole recording, the symbolizer sends
 * those of its report; a dead collector published more than it lived to send.
 */
static void choose_counts(struct tm_counts *ret_counts, const struct session *session,
			  enum report_kind kind)
{
	bool from_symbolizer =
		kind == REPORT_BETWEEN || session->death == ACCOUNTING_COLLECTOR_DIED;

	if (!session->has_last_counts || !from_symbolizer) {
		accounting_rest(&session->intervals.accounting, &session->counts, ret_counts);
		return;
	}
	*ret_counts = session->last_counts;
	if (session->death != ACCOUNTING_COLLECTOR_DIED)
		accounting_copy_states(&session->counts, ret_counts);
}

/* Of all reports with this one. */
static void add_recording(struct summary *s, const struct session *session)
{
	const struct accounting *accounting = &session->intervals.accounting;

	s->report = session->options->every_ns ? accounting->reports + 1 : 0;
	memcpy(s->whole, accounting->of, sizeof(s->whole));
	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++)
		accounting_sum_add(&s->whole[unit], &s->balance.of[unit]);
	s->whole_ns = s->duration_ns + session->intervals.from_ns - session->started_ns;
}

void report_make(struct summary *ret_summary, const struct session *session, enum report_kind kind)
{
	const struct intervals *intervals = &session->intervals;
	uint64_t until_ns = kind == REPORT_BETWEEN ? intervals->until_ns : session->ended_ns;
	uint64_t idle_ns =
		kind == REPORT_BETWEEN ? intervals->idle_until_ns : session->idle_ended_ns;
	struct summary s = {
		.result = session->result,
		.duration_ns = until_ns - intervals->from_ns,
		.hz = session->options->hz,
		.cpu_max_ppm = session->options->cpu_max_ppm,
		.off_cpu = session->options->off_cpu.on,
		.otlp = session->options->otlp.on || session->options->spool.folder,
		.command_status = -1,
	};

	/* It may step back: what waited for a disk is handed from CPU to CPU, by proc(5). */
	s.idle_ns = idle_ns > intervals->idle_from_ns ? idle_ns - intervals->idle_from_ns : 0;
	choose_counts(&s.counts, session, kind);
	s.cpus_not_sampled = hotplug_missed(&session->hotplug, session->counts.cpus);
	accounting_balance_make(&s.balance, &s.counts, &session->result, session->death);
	if (session->workload.ended)
		s.command_status = workload_code(&session->workload);
	add_recording(&s, session);
	add_cost(&s, session);
	*ret_summary = s;
}

static void print_workload(const struct workload *workload)
{
	char how[64];

	spawn_describe(workload->status, how, sizeof(how));
	(void)printf("%s ended %s\n", workload->name, how);
}

/* What the files that were not opened cost, and how to have them opened. */
static void print_unopened(const struct tm_result *result, bool public_files)
{
	uint64_t files = report_table_unopened(result);
	const char *advice = "";

	if (files == 0)
		return;
	if (public_files)
		advice = "; without --public-files tidemark also opens deleted files and those in "
			 "private folders";
	else if (result->unopened[TM_NO_FILE_DENIED] > 0)
		advice = "; to open all of them root needs CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH and "
			 "CAP_CHECKPOINT_RESTORE here";
	(void)printf("%llu sampled files were not opened: their functions have no names, and "
		     "stacks may be cut in them (no_table)%s\n",
		     (unsigned long long)files, advice);
}

/* A page that NUMA balancing has taken away cannot be read until its thread touches it. */
static void print_faults(const struct accounting_balance *balance)
{
	uint64_t faults = balance->truncated[TM_STOP_STACK_FAULT];
	FILE *setting;
	int on;

	if (faults * FAULTS_PART <= balance->of[ACCOUNTING_ON_CPU].exported)
		return;
	setting = fopen("/proc/sys/kernel/numa_balancing", "re");
	on = setting ? fgetc(setting) : EOF;
	if (setting)
		(void)fclose(setting);
	if (on > '0')
		(void)printf("%llu stacks end where their memory could not be read (stack_fault): "
			     "kernel.numa_balancing, which is on, takes pages away for moments\n",
			     (unsigned long long)faults);
}

void report_print(const struct session *session, const struct summary *summary)
{
	const struct outputs *outputs = &session->intervals.current;
	const struct options *options = session->options;
	size_t i;

	if (summary->report > 0)
		(void)printf("report %u, the last: %.1f s\n", summary->report,
			     (double)summary->duration_ns / 1e9);
	report_table_print(stdout, session->top, session->top_count, summary->result.shown);
	report_table_print_completeness(stdout, summary);
	if (summary->off_cpu)
		report_table_print_off_cpu(stdout, summary);
	print_unopened(&summary->result, session->options->public_files);
	print_faults(&summary->balance);
	if (session->options->otlp.on)
		report_table_print_export(stdout, &summary->result.export);
	else if (summary->otlp)
		report_table_print_spool(stdout, &summary->result.export);
	for (i = 0; i < outputs->count; i++)
		if (outputs->stored[i])
			(void)printf("written: %s%s\n", outputs->items[i].path,
				     options->is_mode_ours && options->is_sudo
					     ? " (for root alone; --mode 644: for everybody)"
					     : "");
	if (session->workload.ended)
		print_workload(&session->workload);
	(void)fflush(stdout);
}

static void check_sum(const struct accounting_sum *sum, enum accounting_unit unit)
{
	static const char *const of[ACCOUNTING_UNITS_N] = {
		[ACCOUNTING_ON_CPU] = "",
		[ACCOUNTING_OFF_CPU] = " of off-CPU",
		[ACCOUNTING_OFF_CPU_NS] = " of the ns of off-CPU",
	};

	if (accounting_difference(sum) != 0)
		terminal_print(
			"accounting error%s: taken %llu, but exported %llu and dropped %llu; "
			"please report this",
			of[unit], (unsigned long long)sum->taken, (unsigned long long)sum->exported,
			(unsigned long long)sum->dropped);
}

int report_check(const struct summary *summary, int exit_code)
{
	const struct accounting_balance *balance = &summary->balance;

	if (summary->result.late_records > 0)
		terminal_print(
			"accounting error: %llu records came after a watermark that excluded them; "
			"please report this",
			(unsigned long long)summary->result.late_records);
	for (unsigned unit = 0; unit < ACCOUNTING_UNITS_N; unit++)
		check_sum(&balance->of[unit], unit);
	if (accounting_balances(balance) && summary->result.late_records == 0)
		return exit_code;
	return exit_code != 0 ? exit_code : EXIT_CODE_FAILED;
}

int report_check_export(const struct summary *summary, bool others, int exit_code)
{
	const struct tm_export_result *result = &summary->result.export;
	uint64_t lost = 0;

	for (unsigned outcome = 0; outcome < TM_EXPORT_N; outcome++)
		if (outcome != TM_EXPORT_DELIVERED && outcome != TM_EXPORT_SPOOLED)
			lost += result->requests[outcome];
	if (!summary->otlp || exit_code != 0 || (lost == 0 && result->rejected == 0))
		return exit_code;
	return others || result->requests[TM_EXPORT_DELIVERED] > 0 ||
			       result->requests[TM_EXPORT_SPOOLED] > 0
		       ? EXIT_CODE_SOME
		       : EXIT_CODE_FAILED;
}

static void print_sum(const struct accounting_sum *sum)
{
	(void)printf("taken %llu, exported %llu, dropped %llu", (unsigned long long)sum->taken,
		     (unsigned long long)sum->exported, (unsigned long long)sum->dropped);
}

/* One line for a report in between. */
static void print_line(const struct summary *summary, const struct outputs *outputs)
{
	const struct accounting_sum *of = summary->balance.of;
	const char *before = "; written: ";
	size_t i;

	terminal_clear_line();
	(void)printf("report %u: %.1f s, ", summary->report, (double)summary->duration_ns / 1e9);
	print_sum(&of[ACCOUNTING_ON_CPU]);
	if (summary->off_cpu) {
		(void)printf("; off-CPU: ");
		print_sum(&of[ACCOUNTING_OFF_CPU]);
	}
	for (i = 0; i < outputs->count; i++) {
		if (!outputs->stored[i])
			continue;
		(void)printf("%s%s", before, outputs->items[i].path);
		before = ", ";
	}
	(void)putchar('\n');
	(void)fflush(stdout);
}

void report_interval(struct session *session, uint64_t watermark)
{
	struct intervals *intervals = &session->intervals;
	struct summary summary;

	if (!intervals->flush_pending) {
		terminal_verbose("%s sent a report that was not requested; it is ignored",
				 session->symbolizer.name);
		return;
	}
	session->output_results.reported = true;
	child_measure(&session->collector);
	child_measure(&session->symbolizer);
	report_make(&summary, session, REPORT_BETWEEN);
	(void)outputs_store(&intervals->current, &session->output_results, &summary);
	print_line(&summary, &intervals->current);
	if (intervals->exit_code == 0)
		intervals->exit_code = report_check(&summary, 0);
	intervals_next(intervals, &summary, watermark);
	session_forget_report(session);
}
