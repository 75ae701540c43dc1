/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html_threads - the part of the page's data about how threads spent the interval
 */

#include "symbolizer/output/html_threads.h"

#include "shared/reasons.h"
#include "symbolizer/output/output_file.h"

/* Process or -1, tid or 0, name, how many it stands for, lifetime, then ns by state. */
static void write_row(struct output_file *out, const struct report_thread *thread)
{
	output_file_format(out, "[%d,%u,%u,%u,",
			   thread->process == REPORT_NO_PROCESS ? -1 : (int)thread->process,
			   thread->tid, thread->comm, thread->threads);
	output_file_number(out, thread->lifetime_ns);
	for (unsigned state = 0; state < TM_THREAD_STATES_N; state++) {
		output_file_bytes(out, ",", 1);
		output_file_number(out, thread->ns[state]);
	}
	output_file_text(out, "]");
}

void html_threads_write(struct output_file *out, const struct report *report)
{
	output_file_text(out, ",\n\"thread_times\":{\"states\":[");
	for (unsigned state = 0; state < TM_THREAD_STATES_N; state++)
		output_file_format(out, "%s\"%s\"", state > 0 ? "," : "", tm_reasons_thread(state));
	output_file_text(out, report->threads_missing ? "],\"missing\":true,\"rows\":["
						      : "],\"missing\":false,\"rows\":[");
	for (uint32_t i = 0; i < report->thread_count; i++) {
		output_file_text(out, i > 0 ? ",\n" : "");
		write_row(out, &report->threads[i]);
	}
	output_file_text(out, "]}");
}
