/* SPDX-License-Identifier: Apache-2.0 */
/* report_case_compared - two profiles: what grew, what shrank, what is new and what is gone */

#include "tests/interop/report_builder.h"

/* Per cent of 1000 samples in A, and of 500 in B. */
static const struct {
	const char *name;
	unsigned a, b;
} functions[] = {
	{"grew", 20, 60},
	{"stayed", 30, 30},
	{"gone", 50, 0},
	{"added", 0, 10},
};

/* Makes a sample one of what the others are compared with. */
static void make_base(struct report_builder *builder, uint32_t index)
{
	struct report_sample *sample;

	(void)report_builder_report(builder);
	sample = (struct report_sample *)(uintptr_t)builder->report.samples + index;
	sample->flags |= REPORT_SAMPLE_BASE;
	builder->report.exported -= sample->count;
	builder->base.exported += sample->count;
	builder->base.duration_ns = 1000000000;
	sample_sum_add(&builder->base.sums[TM_SAMPLE_ON_CPU], sample->count, sample->value);
	builder->report.base = &builder->base;
}

void report_case_compared(struct report_builder *builder)
{
	uint32_t file = report_builder_file(builder, "/usr/bin/server", "aabb", 0);
	uint32_t caller = report_builder_frame(builder, "main", file, 0x1200, REPORT_NATIVE);
	uint32_t before = report_builder_process(builder, 100, "server", "/usr/bin/server");
	uint32_t after = report_builder_process(builder, 200, "server", "/usr/bin/server");

	for (uint32_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const uint32_t frames[] = {report_builder_frame(builder, functions[i].name, file,
								0x2000 + i, REPORT_NATIVE),
					   caller};
		uint32_t stack = report_builder_stack(builder, frames, 2);

		if (functions[i].b)
			report_builder_sample(builder, after, 200, "server", stack, 0,
					      functions[i].b * 5u);
		if (functions[i].a)
			make_base(builder, report_builder_sample(builder, before, 100, "server",
								 stack, 0, functions[i].a * 10u));
	}
}
