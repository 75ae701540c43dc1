/* SPDX-License-Identifier: Apache-2.0 */
/* report - what the command says of a recording that ran: gathered, printed, checked */

#include "cli/report.h"

#include <stdio.h>

#include "cli/cost.h"
#include "cli/outcome.h"
#include "cli/say.h"
#include "cli/spawn.h"
#include "cli/table.h"

/* A program's own share of what wait told of it and the children it waited for. */
static uint64_t less(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

static void add_cost(struct summary *s, const struct session *session)
{
	const struct program *collector = &session->collector, *symbolizer = &session->symbolizer;

	s->command_cpu_ns = cost_own_cpu_ns();
	s->opener_cpu_ns = session->cost.child_cpu_ns;
	s->parser_cpu_ns = session->result.child_cpu_ns;
	s->collector_cpu_ns = less(collector->cpu_ns, s->opener_cpu_ns);
	s->symbolizer_cpu_ns = less(symbolizer->cpu_ns, s->parser_cpu_ns);
	s->command_rss = cost_peak_bytes(0);
	s->collector_rss = collector->rss_bytes;
	s->symbolizer_rss = symbolizer->rss_bytes;
	s->opener_rss = session->cost.child_rss_bytes;
	s->parser_rss = session->result.child_rss_bytes;
}

void report_make(struct summary *ret_summary, const struct session *session, int bpf_time)
{
	struct summary s = {
		.counts = session->counts,
		.result = session->result,
		.duration_ns = session->ended_ns - session->started_ns,
		.hz = session->options->hz,
		.command_status = -1,
	};

	/* A dead collector published more than it lived to tell us. */
	if (session->death == BALANCE_COLLECTOR_DIED && session->last_counts_told)
		s.counts = session->last_counts;
	balance_make(&s.balance, &s.counts, &session->result, session->death);
	s.bpf_time_known = bpf_time && s.counts.bpf_ns_valid != 0;
	if (session->command.ended)
		s.command_status = command_code(&session->command);
	add_cost(&s, session);
	*ret_summary = s;
}

static void print_command(const struct command *command)
{
	char how[64];

	spawn_describe(command->status, how, sizeof(how));
	(void)printf("%s ended %s\n", command->name, how);
}

void report_print(const struct session *session, const struct summary *summary,
		  const struct targets *targets)
{
	size_t i;

	table_print(stdout, session->top, session->top_count, summary->balance.exported);
	table_print_balance(stdout, &summary->balance, &session->result);
	if (summary->counts.files_failed > 0)
		(void)printf("%llu files could not be opened, so their functions have no names%s\n",
			     (unsigned long long)summary->counts.files_failed,
			     session->options->private_files
				     ? ""
				     : "; --private-files opens those in private folders");
	for (i = 0; i < targets->count; i++)
		if (targets->stored[i])
			(void)printf("written: %s\n", targets->outputs[i].path);
	if (session->command.ended)
		print_command(&session->command);
	(void)fflush(stdout);
}

int report_check(const struct summary *summary, int outcome)
{
	const struct balance *balance = &summary->balance;

	if (summary->result.late_records > 0)
		say("ACCOUNTING ERROR: %llu records came after a watermark that excluded them",
		    (unsigned long long)summary->result.late_records);
	if (balance->difference != 0)
		say("ACCOUNTING ERROR: taken %llu, but exported %llu and dropped %llu",
		    (unsigned long long)balance->taken, (unsigned long long)balance->exported,
		    (unsigned long long)balance->dropped);
	if (balance->difference == 0 && summary->result.late_records == 0)
		return outcome;
	return outcome != 0 ? outcome : OUTCOME_FAILED;
}
