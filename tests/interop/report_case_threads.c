/* SPDX-License-Identifier: Apache-2.0 */
/* report_case_threads - how threads spent their time, with names as an attacker would choose */

#include "tests/interop/report_builder.h"

#define MS         1000000ull
#define HOSTILE    "<img src=x onerror=alert(1)>"
#define MANY       600u /* processes of one thread: more than the page lists */
#define MANY_FIRST 1000u

static void add(struct report_builder *builder, uint32_t process, uint32_t tid, const char *comm,
		uint32_t threads, uint64_t on_cpu, uint64_t runnable, uint64_t sleep,
		uint64_t io_wait)
{
	const uint64_t ns[TM_THREAD_STATES_N] = {
		[TM_THREAD_ON_CPU] = on_cpu * MS,
		[TM_THREAD_RUNNABLE] = runnable * MS,
		[TM_THREAD_INTERRUPTIBLE] = sleep * MS,
		[TM_THREAD_IO_WAIT] = io_wait * MS,
	};

	report_builder_thread(builder, process, tid, comm, threads,
			      (on_cpu + runnable + sleep + io_wait) * MS, ns);
}

/* Their time is 2 s on CPUs and 1 s of waiting for one in 10,000 s of 1,000 threads. */
static void add_others(struct report_builder *builder)
{
	add(builder, REPORT_NO_PROCESS, 0, "", 1000, 2000, 1000, 9997000, 0);
}

static void add_many(struct report_builder *builder)
{
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t process = report_builder_process(builder, MANY_FIRST + i, "idle", "");

		add(builder, process, MANY_FIRST + i, "idle", 1, 0, 0, 1, 0);
	}
}

void report_case_threads(struct report_builder *builder)
{
	uint32_t file = report_builder_file(builder, "/usr/bin/server", "cc02", 0);
	uint32_t frame =
		report_builder_frame(builder, "wait_for_work", file, 0x1200, REPORT_NATIVE);
	uint32_t stack = report_builder_stack(builder, &frame, 1);
	uint32_t server = report_builder_process(builder, 100, "server", "/usr/bin/server");
	uint32_t hostile = report_builder_process(builder, 200, HOSTILE, "");
	uint32_t sample = report_builder_sample(builder, server, 101, "worker", stack, 0, 2);

	report_builder_measured(builder, sample, TM_SAMPLE_OFF_CPU, 9000 * MS);
	add(builder, server, 100, "server", 1, 1000, 500, 8500, 0);
	add(builder, server, 101, "worker", 1, 6000, 1000, 1000, 2000);
	add(builder, server, 0, "", 30, 300, 0, 299700, 0);
	add(builder, hostile, 200, HOSTILE, 1, 4000, 0, 0, 6000);
	add_others(builder);
	add_many(builder);
}
